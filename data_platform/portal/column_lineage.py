"""Lineage of one column: the columns that it is computed from, and those that are computed from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.internal import shown_reference
from data_platform.model.number_text import number_of
from data_platform.portal.graph_drawing import Join, draw

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from data_platform.model.lineage_graph import ColumnHitCard, ColumnImpact
    from data_platform.portal.graph_drawing import Drawing

MOST_COLUMNS = 500
"""The most columns of a drawing and its table."""
ALL_COLUMNS = "*"


@dataclass(frozen=True, kw_only=True)
class ColumnNode:
    """A column of a dataset; ``*`` is the whole dataset. ``side``: start, upstream or downstream."""

    dataset: str
    column: str
    side: str
    hops: int = 0
    process: str | None = None
    transformation: str | None = None


@dataclass(frozen=True, kw_only=True)
class ColumnView:
    """``nodes`` begins with the column that was asked for. ``total`` counts all, also those that are not shown."""

    dataset: str
    column: str
    nodes: tuple[ColumnNode, ...]
    total: int
    drawing: Drawing | None
    no_drawing: str = ""


def column_view(dataset: str, column: str, found: Mapping[str, ColumnImpact]) -> ColumnView:
    """``found`` has the impact by direction: upstream, downstream or both."""
    start = ColumnNode(dataset=dataset, column=column, side="start")
    nodes = {(dataset, column): start}
    joins: dict[tuple[int, int], Join] = {}
    numbers = {(dataset, column): 0}
    for side, impact in found.items():
        known = {f"{dataset}.{column}": (dataset, column)}
        for hit in impact.hits:
            known[hit.path[-1]] = key = (shown_reference(hit.dataset), hit.column)
            nodes.setdefault(key, _node(hit, side))
            numbers.setdefault(key, len(numbers))
        for before, after in _steps(impact.hits, known):
            ends = (numbers[before], numbers[after])
            ends = ends if side == "downstream" else ends[::-1]
            joins[ends] = Join(*ends, title=f"{before[1]} → {after[1]}")
    shown = tuple(nodes.values())[:MOST_COLUMNS]
    kept = [one for one in joins.values() if max(one.source, one.target) < len(shown)]
    return ColumnView(
        dataset=dataset,
        column=column,
        nodes=shown,
        total=len(nodes),
        drawing=draw([False] * len(shown), kept),
        no_drawing="" if len(nodes) <= MOST_COLUMNS else _cut(len(nodes)),
    )


def _cut(total: int) -> str:
    return f"{number_of(total, 'column')}: the nearest {MOST_COLUMNS} are shown. The API's impact has all."


def _steps(
    hits: Iterable[ColumnHitCard], known: Mapping[str, tuple[str, str]]
) -> Iterable[tuple[tuple[str, str], tuple[str, str]]]:
    for hit in hits:
        before, after = known.get(hit.path[-2]) if len(hit.path) > 1 else None, known[hit.path[-1]]
        if before is not None and before != after:
            yield before, after


def _node(hit: ColumnHitCard, side: str) -> ColumnNode:
    return ColumnNode(
        dataset=shown_reference(hit.dataset),
        column=hit.column,
        side=side,
        hops=hit.depth,
        process=hit.process,
        transformation=hit.transformation,
    )
