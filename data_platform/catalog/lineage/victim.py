"""Finds the datasets that a change of columns breaks: at any depth by column lineage, and readers without one.

Stages of a platform dataset count as that dataset, and the dataset itself is no victim of its own.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sqlalchemy import select

from data_platform.catalog.dataset_row import name_of_row
from data_platform.catalog.lineage.column_walk import WHOLE, walk_columns
from data_platform.catalog.lineage.impact import ALL_COLUMNS, consumers_of, neighbours
from data_platform.catalog.lineage_table import COLUMN_EDGE
from data_platform.catalog.registry_table import DATASET
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.lineage import NodeType
from data_platform.model.schema_impact import MOST_SHOWN, SchemaImpact, Victim

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.graph import Graph

MOST_COLUMNS = 20
"""The number of columns listed for one dataset."""

_SHOWN = ("dataset_id", "namespace", "name", "owner_team", "tier")
_DATASETS = select(*(DATASET.c[name] for name in _SHOWN)).where(DATASET.c.dataset_id.in_(WANTED))


class _Found:
    """What is known of one dataset: its columns, the changed columns, and the distance."""

    def __init__(self) -> None:
        self.columns: set[str] = set()
        self.because: set[str] = set()
        self.depth = 0


def find_victims(connection: Connection, graph: Graph, dataset_id: int, columns: Sequence[str]) -> SchemaImpact:
    """The datasets that a change of ``columns`` breaks; none of no columns."""
    start = _shown(graph, dataset_id)
    found: dict[int, _Found] = defaultdict(_Found)
    for column in columns:
        for (number, name), hit in walk_columns(connection, graph, (dataset_id, column), downstream=True).items():
            shown = _shown(graph, number)
            if shown == start:
                continue
            victim = found[shown]
            victim.columns.add(name if name != WHOLE else ALL_COLUMNS)
            victim.because.add(column)
            victim.depth = min(victim.depth or hit.depth, hit.depth)
    nearest = sorted(found, key=lambda number: (found[number].depth, number))
    unclear = sorted(_without_columns(connection, graph, dataset_id) - set(found) - {start}) if columns else []
    wanted = [*nearest[:MOST_SHOWN], *unclear[:MOST_SHOWN]]
    rows = {row.dataset_id: row for row in rows_of(connection, _DATASETS, wanted)}
    return SchemaImpact(
        broken=tuple(_victim(rows[number], found[number]) for number in nearest[:MOST_SHOWN] if number in rows),
        total=len(nearest),
        unclear=tuple(_victim(rows[number], None) for number in unclear[:MOST_SHOWN] if number in rows),
        unclear_total=len(unclear),
    )


def _without_columns(connection: Connection, graph: Graph, dataset_id: int) -> set[int]:
    """Datasets made by direct readers, of which no column is known to come from the dataset."""
    node = (NodeType.DATASET, dataset_id)
    outputs = {
        number
        for process in consumers_of(graph, node)
        for kind, number in neighbours(graph, process, downstream=True)
        if kind is NodeType.DATASET
    }
    outputs |= {n for kind, n in neighbours(graph, node, downstream=True) if kind is NodeType.DATASET}
    table = COLUMN_EDGE.c
    names = [number for _, number in graph.names_of(node, downstream=True)]
    known = select(table.target_dataset_id).where(table.source_dataset_id.in_(names)).distinct()
    with_columns = {_shown(graph, number) for number in connection.execute(known).scalars()}
    return {_shown(graph, number) for number in outputs} - with_columns


def _shown(graph: Graph, dataset_id: int) -> int:
    node = (NodeType.DATASET, dataset_id)
    return graph.shown_as.get(node, node)[1]


def _victim(row: Any, found: _Found | None) -> Victim:
    return Victim(
        dataset=name_of_row(row).reference,
        columns=tuple(sorted(found.columns)[:MOST_COLUMNS]) if found else (),
        because=tuple(sorted(found.because)) if found else (),
        owner_team=row.owner_team,
        tier=row.tier,
        depth=found.depth if found else 1,
    )
