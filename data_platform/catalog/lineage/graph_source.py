"""Reads the lineage graph from the catalog: edges, links between names, and the parts of the platform's datasets."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from data_platform.catalog.lineage.graph import Graph
from data_platform.catalog.lineage_table import DATASET_LINK, GRAPH_REVISION, LINEAGE_EDGE
from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.model.internal import JOBS, is_internal_job, whole_of
from data_platform.model.lineage import EdgeRole, LinkKind, Name, NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.graph import Node

BOX = {"derived_from": "box_name"}
"""The scan's metadata of an edge from a box to its job; edges of other parents have the same role."""


class Graphs:
    """Caches the graph, and reads it again only when it has changed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._graph: Graph | None = None

    def now(self, connection: Connection) -> Graph:
        revision = connection.execute(select(GRAPH_REVISION.c.revision)).scalar_one()
        with self._lock:
            if self._graph is None or self._graph.revision != revision:
                self._graph = read_graph(connection, revision)
            return self._graph


def read_graph(connection: Connection, revision: int) -> Graph:
    table = LINEAGE_EDGE.c
    columns = (table.source_type, table.source_id, table.target_type, table.target_id)
    kinds = {str(kind): kind for kind in NodeType}
    live = select(*columns).where(table.retired_at.is_(None), table.edge_role != EdgeRole.CONTAINS)
    rows: Iterable[Any] = connection.execute(live.order_by(table.edge_id))
    edges = [((kinds[row[0]], row[1]), (kinds[row[2]], row[3])) for row in rows]
    contained = select(table.source_id, table.target_id, table.transform_meta)
    contained = contained.where(table.retired_at.is_(None), table.edge_role == EdgeRole.CONTAINS).order_by(
        table.edge_id
    )
    process = NodeType.PROCESS
    jobs = [((process, row[0]), (process, row[1])) for row in connection.execute(contained) if row[2] == BOX]
    links = {
        ((NodeType.DATASET, row.source_id), (NodeType.DATASET, row.target_id)): LinkKind(row.kind)
        for row in connection.execute(select(DATASET_LINK).order_by(*DATASET_LINK.primary_key))
    }
    whole, shown_as = _inside(connection, edges)
    return _Builder(edges, jobs, links, whole).graph(revision, shown_as)


def _inside(connection: Connection, edges: Iterable[tuple[Node, Node]]) -> tuple[dict[Node, Node], dict[Node, Node]]:
    """Maps nodes to the platform's dataset that they are part of, and nodes to the dataset that they are shown as."""
    platform_datasets = select(DATASET.c.dataset_id, DATASET.c.namespace, DATASET.c.name).where(
        DATASET.c.namespace.like("ds://%")
    )
    names = {Name(row.namespace, row.name): row.dataset_id for row in connection.execute(platform_datasets)}
    shown_as: dict[Node, Node] = {}
    for name, number in names.items():
        dataset = whole_of(name)
        if dataset is not None and dataset in names:
            shown_as[NodeType.DATASET, number] = (NodeType.DATASET, names[dataset])
    inside = shown_as | {whole: whole for whole in shown_as.values()}
    query = select(PROCESS.c.process_id, PROCESS.c.namespace, PROCESS.c.name).where(PROCESS.c.namespace == JOBS)
    jobs = {(NodeType.PROCESS, r.process_id): Name(r.namespace, r.name) for r in connection.execute(query)}
    outputs: dict[Node, set[Node | None]] = {}
    for source, target in edges:
        if source in jobs and target[0] is NodeType.DATASET:
            outputs.setdefault(source, set()).add(inside.get(target))
    for job, wholes in outputs.items():
        (whole, *others) = wholes
        if whole is not None and not others:
            inside[job] = whole
            if is_internal_job(jobs[job]):
                shown_as[job] = whole
    return inside, shown_as


@dataclass
class _Builder:
    edges: Sequence[tuple[Node, Node]]
    jobs: Sequence[tuple[Node, Node]]
    links: dict[tuple[Node, Node], LinkKind]
    inside: dict[Node, Node]
    ahead: list[list[int]] = field(default_factory=list)
    back: list[list[int]] = field(default_factory=list)
    free_ahead: dict[int, list[int]] = field(default_factory=dict)
    free_back: dict[int, list[int]] = field(default_factory=dict)

    def graph(self, revision: int, shown_as: dict[Node, Node]) -> Graph:
        nodes = sorted({node for pair in (*self.edges, *self.jobs, *self.links) for node in pair})
        numbers = {node: number for number, node in enumerate(nodes)}
        ends = {box: len(nodes) + place for place, box in enumerate(dict.fromkeys(box for box, _ in self.jobs))}
        self.ahead = [[] for _ in range(len(nodes) + len(ends))]
        self.back = [[] for _ in range(len(nodes) + len(ends))]
        for source, target in self.edges:
            self._join(ends.get(source, numbers[source]), numbers[target])
            if source in self.inside and self.inside[source] == self.inside.get(target):
                self._free(numbers[source], numbers[target])
        for box, job in self.jobs:
            self._join(numbers[box], numbers[job])
            self._join(ends.get(job, numbers[job]), ends[box])
        for source, target in self._both_ways():
            self._free(numbers[source], numbers[target])
        twins = {numbers[box]: end for box, end in ends.items()}
        for start, end in twins.items():
            self._free(start, end)
        return Graph(
            revision,
            [*nodes, *ends],
            numbers,
            [tuple(others) for others in self.ahead],
            [tuple(others) for others in self.back],
            {number: tuple(others) for number, others in self.free_ahead.items()},
            {number: tuple(others) for number, others in self.free_back.items()},
            twins | {end: start for start, end in twins.items()},
            frozenset(self.jobs),
            self.links,
            shown_as,
        )

    def _both_ways(self) -> Iterator[tuple[Node, Node]]:
        for (source, target), kind in self.links.items():
            yield source, target
            if kind is LinkKind.SYMLINK:
                yield target, source

    def _join(self, source: int, target: int) -> None:
        self.ahead[source].append(target)
        self.back[target].append(source)

    def _free(self, source: int, target: int) -> None:
        self.free_ahead.setdefault(source, []).append(target)
        self.free_back.setdefault(target, []).append(source)
