"""The lineage graph in memory, and walks over it.

Impact to full depth in one estate reaches nearly everything, so a walk in SQL reads nearly every edge at every
question. Here the edges are read once, and again when ``graph_revision`` has moved; a hundred thousand of them take
some tens of megabytes. Nodes are numbers within a graph, so that a walk makes no objects and gives the garbage
collector nothing to look through. Cycles and edges of a node to itself are legal: a walk comes to each node once, by a
shortest path.
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
"""What depends on what. CONTAINS says where a job belongs; a box does not depend on its jobs, nor they on it."""


def role_of(source: Node, target: Node) -> EdgeRole:
    return _ROLES[source[0], target[0]]


@dataclass(frozen=True)
class Walk:
    """``levels[n]`` are the nodes that n + 1 edges lead to, in order; ``before`` is where each was come to from."""

    graph: Graph
    start: int | None
    levels: tuple[tuple[int, ...], ...]
    before: dict[int, int]

    def hits(self) -> Iterator[tuple[int, Node]]:
        """Depth and node, nearest first."""
        for depth, level in enumerate(self.levels, 1):
            for number in level:
                yield depth, self.graph.nodes[number]

    def path_to(self, node: Node) -> list[Node]:
        """From where the walk began to ``node``, both in it."""
        number = self.graph.numbers[node]
        path = [number]
        while path[-1] != self.start:
            path.append(self.before[path[-1]])
        return [self.graph.nodes[step] for step in reversed(path)]


@dataclass(frozen=True)
class Graph:
    """``nodes`` in order of kind and key; ``ahead`` leads with the data, ``back`` against it, both by number."""

    revision: int
    nodes: Sequence[Node]
    numbers: dict[Node, int]
    ahead: Sequence[tuple[int, ...]]
    back: Sequence[tuple[int, ...]]

    def next_to(self, node: Node, *, downstream: bool) -> list[Node]:
        number = self.numbers.get(node)
        edges = self.ahead if downstream else self.back
        return [] if number is None else [self.nodes[other] for other in edges[number]]

    def walk(self, start: Node, *, downstream: bool, depth: int | None = None) -> Walk:
        """All nodes within ``depth`` edges (None: all there are); ``start`` itself is not among them."""
        begin = self.numbers.get(start)
        if begin is None:
            return Walk(self, None, (), {})
        edges = self.ahead if downstream else self.back
        before = {begin: begin}
        levels: list[tuple[int, ...]] = []
        level: Sequence[int] = (begin,)
        while level and (depth is None or len(levels) < depth):
            fresh: list[int] = []
            for number in level:
                for other in edges[number]:
                    if other not in before:
                        before[other] = number
                        fresh.append(other)
            level = sorted(fresh)
            if level:
                levels.append(tuple(level))
        return Walk(self, begin, tuple(levels), before)


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
    live = select(*columns).where(table.retired_at.is_(None), table.edge_role != EdgeRole.CONTAINS)
    kinds = {str(kind): kind for kind in NodeType}
    rows: Iterable[Any] = connection.execute(live.order_by(table.edge_id))
    edges = [((kinds[row[0]], row[1]), (kinds[row[2]], row[3])) for row in rows]
    nodes = sorted({node for edge in edges for node in edge})
    numbers = {node: number for number, node in enumerate(nodes)}
    ahead: list[list[int]] = [[] for _ in nodes]
    back: list[list[int]] = [[] for _ in nodes]
    for source, target in edges:
        ahead[numbers[source]].append(numbers[target])
        back[numbers[target]].append(numbers[source])
    return Graph(revision, nodes, numbers, [tuple(o) for o in ahead], [tuple(o) for o in back])
