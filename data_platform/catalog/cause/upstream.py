"""The datasets upstream of an incident, with those that each reads directly and the processes that make it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import select

from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.graph import Graph, Node

MOST = 300
"""So many datasets are examined at most, the nearest first."""


@dataclass
class Upstream:
    """Keys of datasets and processes by their names. ``parts`` maps a dataset to itself and its stages.

    ``inputs`` maps a dataset to those that it reads directly. ``cut`` counts those that were left out.
    """

    datasets: dict[str, int] = field(default_factory=dict)
    processes: dict[str, int] = field(default_factory=dict)
    parts: dict[str, frozenset[int]] = field(default_factory=dict)
    inputs: dict[str, frozenset[str]] = field(default_factory=dict)
    makers: dict[str, frozenset[str]] = field(default_factory=dict)
    cut: int = 0


_BY_NAME = select(DATASET.c.dataset_id, DATASET.c.full_name).where(DATASET.c.full_name.in_(WANTED))
_NAMES = select(DATASET.c.dataset_id, DATASET.c.full_name).where(DATASET.c.dataset_id.in_(WANTED))
_KEYS = select(PROCESS.c.process_id, PROCESS.c.process_key).where(PROCESS.c.process_id.in_(WANTED))


@dataclass
class _Around:
    """What is directly behind one dataset: its parts, its makers, its inputs."""

    parts: set[int] = field(default_factory=set)
    makers: set[int] = field(default_factory=set)
    inputs: set[int] = field(default_factory=set)


def find_upstream(connection: Connection, graph: Graph, urns: Iterable[str]) -> Upstream:
    """The datasets and their upstream; one that no event has named yet has no lineage."""
    starts = {row.full_name: row.dataset_id for row in rows_of(connection, _BY_NAME, sorted(urns))}
    around: dict[int, _Around] = {}
    level, cut = sorted(starts.values()), 0
    while level:
        taken = level[: max(0, MOST - len(around))]
        cut += len(level) - len(taken)
        for number in taken:
            around[number] = _around(graph, number)
        found = {other for number in taken for other in around[number].inputs}
        level = sorted(found - around.keys())
    reached = around.keys() | {other for one in around.values() for other in one.inputs}
    names = {row.dataset_id: row.full_name for row in rows_of(connection, _NAMES, sorted(reached))}
    processes = {number for one in around.values() for number in one.makers}
    keys = {row.process_id: row.process_key for row in rows_of(connection, _KEYS, sorted(processes))}
    return Upstream(
        datasets={names[number]: number for number in around},
        processes={key: number for number, key in keys.items()},
        parts={names[number]: frozenset(one.parts) for number, one in around.items()},
        inputs={names[n]: frozenset(names[other] for other in one.inputs) for n, one in around.items()},
        makers={names[n]: frozenset(keys[maker] for maker in one.makers) for n, one in around.items()},
        cut=cut,
    )


def _around(graph: Graph, number: int) -> _Around:
    """Goes back through the stages and other names of the dataset, and through the processes that write them."""
    start = (NodeType.DATASET, number)
    found = _Around(parts={number})
    waiting: list[Node] = [start, *graph.names_of(start, downstream=False)[1:]]
    seen: set[Node] = set(waiting)
    while waiting:
        node = waiting.pop()
        for other in graph.next_to(node, downstream=False):
            if other in seen or (node[0] is NodeType.PROCESS and other[0] is NodeType.PROCESS):
                continue
            seen.add(other)
            if other[0] is NodeType.PROCESS:
                found.makers.add(other[1])
                waiting.append(other)
            elif graph.shown_as.get(other, other) == start:
                found.parts.add(other[1])
                waiting.append(other)
            else:
                found.inputs.add(graph.shown_as.get(other, other)[1])
    return found
