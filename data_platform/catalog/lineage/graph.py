"""The lineage graph in memory, and walks over it.

Impact to full depth in one estate reaches nearly everything, so a walk in SQL reads nearly every edge at every
question. Here the edges are read once, and again when ``graph_revision`` has moved; a hundred thousand of them take
some tens of megabytes. Nodes are numbers within a graph, so that a walk makes no objects and gives the garbage
collector nothing to look through. Cycles and edges of a node to itself are legal: a walk comes to each node once, by a
shortest path.

A box of the legacy scheduler has two numbers, its start and its end. What it waits for leads to its start, and that to
its jobs; its jobs lead to its end, and that to what waits for the box. So a job that is late hits whoever waits for its
box, and not the other jobs in it. Other parents (the run that a stage belongs to) depend on nothing, nor do theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import select

from data_platform.catalog.lineage_table import GRAPH_REVISION, LINEAGE_EDGE
from data_platform.model.lineage import EdgeRole, NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy.engine import Connection

Node: TypeAlias = tuple[NodeType, int]
"""A kind, and the key in its table."""

_ROLES = {
    (NodeType.PROCESS, NodeType.DATASET): EdgeRole.PRODUCES,
    (NodeType.DATASET, NodeType.PROCESS): EdgeRole.CONSUMES,
    (NodeType.DATASET, NodeType.DATASET): EdgeRole.DERIVES,
    (NodeType.PROCESS, NodeType.PROCESS): EdgeRole.TRIGGERS,
}
"""What depends on what, but for boxes, which contain their jobs."""

BOX = {"derived_from": "box_name"}
"""What the scan says of the edge from a box to a job in it; other parents have edges of the same role."""


@dataclass(frozen=True)
class Walk:
    """``levels[n]`` are the nodes that n + 1 edges lead to, in order; ``before`` is where each was come to from."""

    graph: Graph
    start: int | None
    levels: tuple[tuple[int, ...], ...]
    before: dict[int, int]

    def hits(self) -> Iterator[tuple[int, Node]]:
        """Depth and node, nearest first. A box is a hit where the walk first comes to its start or its end."""
        graph = self.graph
        boxes = set() if self.start is None else {graph.nodes[self.start]}
        for depth, level in enumerate(self.levels, 1):
            for number in level:
                node = graph.nodes[number]
                if number in graph.twins or number == self.start:
                    if node in boxes:
                        continue
                    boxes.add(node)
                yield depth, node

    def path_to(self, node: Node) -> list[Node]:
        """From where the walk began to ``node``, both in it."""
        number = self.graph.numbers[node]
        ways = [self._way_to(one) for one in (number, self.graph.twins.get(number)) if one in self.before]
        path = [self.graph.nodes[step] for step in min(ways, key=len)]
        return [step for place, step in enumerate(path) if place == 0 or step != path[place - 1]]

    def _way_to(self, number: int) -> list[int]:
        way = [number]
        while way[-1] != self.start:
            way.append(self.before[way[-1]])
        return way[::-1]


@dataclass(frozen=True)
class Graph:
    """``nodes`` in order of kind and key, then the ends of boxes; ``ahead`` leads with the data, ``back`` against it.

    ``twins`` lead from the start of a box to its end and back, ``jobs`` are pairs of a box and a job in it.
    """

    revision: int
    nodes: Sequence[Node]
    numbers: dict[Node, int]
    ahead: Sequence[tuple[int, ...]]
    back: Sequence[tuple[int, ...]]
    twins: dict[int, int]
    jobs: frozenset[tuple[Node, Node]]

    def next_to(self, node: Node, *, downstream: bool) -> list[Node]:
        """Each once; a job's own box is not behind it."""
        number = self.numbers.get(node)
        if number is None:
            return []
        edges = self.ahead if downstream else self.back
        ends = (number, self.twins[number]) if number in self.twins else (number,)
        found = dict.fromkeys(self.nodes[other] for end in ends for other in edges[end])
        return [other for other in found if ((other, node) if downstream else (node, other)) not in self.jobs]

    def role_of(self, source: Node, target: Node) -> EdgeRole:
        return EdgeRole.CONTAINS if (source, target) in self.jobs else _ROLES[source[0], target[0]]

    def walk(self, start: Node, *, downstream: bool, depth: int | None = None) -> Walk:
        """All nodes within ``depth`` edges (None: all there are); ``start`` itself is not among them."""
        number = self.numbers.get(start)
        if number is None:
            return Walk(self, None, (), {})
        begin = number if downstream else self.twins.get(number, number)
        edges = self.ahead if downstream else self.back
        before = {begin: begin}
        levels: list[tuple[int, ...]] = []
        level: Sequence[int] = self._with_twin(begin, before, downstream=downstream)
        while level and (depth is None or len(levels) < depth):
            fresh: list[int] = []
            for number in level:
                for other in edges[number]:
                    if other not in before:
                        before[other] = number
                        fresh += self._with_twin(other, before, downstream=downstream)
            level = sorted(fresh)
            if level:
                levels.append(tuple(level))
        return Walk(self, begin, tuple(levels), before)

    def _with_twin(self, number: int, before: dict[int, int], *, downstream: bool) -> tuple[int, ...]:
        """A box that starts also ends, and one that has ended had started; not the other way round."""
        twin = self.twins.get(number)
        if twin is None or twin in before or (twin > number) is not downstream:
            return (number,)
        before[twin] = number
        return number, twin


class Graphs:
    """The graph as it is now, read again only when it has changed."""

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
    held = select(table.source_id, table.target_id, table.transform_meta)
    held = held.where(table.retired_at.is_(None), table.edge_role == EdgeRole.CONTAINS).order_by(table.edge_id)
    process = NodeType.PROCESS
    jobs = [((process, row[0]), (process, row[1])) for row in connection.execute(held) if row[2] == BOX]
    return _graph(revision, edges, jobs)


def _graph(revision: int, edges: Sequence[tuple[Node, Node]], jobs: Sequence[tuple[Node, Node]]) -> Graph:
    nodes = sorted({node for edge in (*edges, *jobs) for node in edge})
    numbers = {node: number for number, node in enumerate(nodes)}
    ends = {box: len(nodes) + place for place, box in enumerate(dict.fromkeys(box for box, _ in jobs))}
    ahead: list[list[int]] = [[] for _ in range(len(nodes) + len(ends))]
    back: list[list[int]] = [[] for _ in range(len(nodes) + len(ends))]

    def join(source: int, target: int) -> None:
        ahead[source].append(target)
        back[target].append(source)

    for source, target in edges:
        join(ends.get(source, numbers[source]), numbers[target])
    for box, job in jobs:
        join(numbers[box], numbers[job])
        join(ends.get(job, numbers[job]), ends[box])
    twins = {numbers[box]: end for box, end in ends.items()}
    return Graph(
        revision,
        [*nodes, *ends],
        numbers,
        [tuple(others) for others in ahead],
        [tuple(others) for others in back],
        twins | {end: start for start, end in twins.items()},
        frozenset(jobs),
    )
