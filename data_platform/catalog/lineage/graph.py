"""The lineage graph in memory, and walks over it.

Impact to full depth in one estate reaches nearly everything, so a walk in SQL reads nearly every edge at every
question. Here the edges are read once, and again when ``graph_revision`` has moved; a hundred thousand of them take
some tens of megabytes. Cycles and edges of a node to itself are legal: a walk comes to each node once, by a shortest
path.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import select

from data_platform.catalog.lineage_table import GRAPH_REVISION, LINEAGE_EDGE
from data_platform.model.lineage import EdgeRole, NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

Node: TypeAlias = tuple[NodeType, int]
"""A kind, and the key in its table."""

_DATA = frozenset({EdgeRole.PRODUCES, EdgeRole.CONSUMES, EdgeRole.DERIVES, EdgeRole.TRIGGERS})
"""What depends on what. CONTAINS says where a job belongs; a box does not depend on its jobs, nor they on it."""


@dataclass(frozen=True)
class Hit:
    """A node that a walk came to: ``depth`` edges from where it began, from ``before`` by ``role``."""

    node: Node
    depth: int
    before: Node
    role: EdgeRole


@dataclass(frozen=True)
class Graph:
    """``ahead`` leads with the data, ``back`` against it."""

    revision: int
    ahead: dict[Node, tuple[tuple[Node, EdgeRole], ...]]
    back: dict[Node, tuple[tuple[Node, EdgeRole], ...]]

    def walk(self, start: Node, *, downstream: bool, depth: int | None = None) -> dict[Node, Hit]:
        """All nodes within ``depth`` edges (None: all there are), nearest first; ``start`` itself is not among them."""
        edges = self.ahead if downstream else self.back
        found: dict[Node, Hit] = {}
        waiting = deque([(start, 0)])
        while waiting:
            node, reached = waiting.popleft()
            if depth is not None and reached >= depth:
                continue
            for other, role in edges.get(node, ()):
                if other != start and other not in found:
                    found[other] = Hit(other, reached + 1, node, role)
                    waiting.append((other, reached + 1))
        return found


def path_to(hits: dict[Node, Hit], node: Node) -> list[Node]:
    """From where the walk began to ``node``, both in it."""
    path = [node]
    while path[-1] in hits:
        path.append(hits[path[-1]].before)
    return path[::-1]


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
    columns = (table.source_type, table.source_id, table.target_type, table.target_id, table.edge_role)
    live = select(*columns).where(table.retired_at.is_(None), table.edge_role.in_([str(role) for role in _DATA]))
    kinds = {str(kind): kind for kind in NodeType}
    roles = {str(role): role for role in EdgeRole}
    ahead: dict[Node, list[tuple[Node, EdgeRole]]] = {}
    back: dict[Node, list[tuple[Node, EdgeRole]]] = {}
    rows: Iterable[Any] = connection.execute(live.order_by(table.edge_id))
    for source_kind, source_id, target_kind, target_id, role in rows:
        source, target = (kinds[source_kind], source_id), (kinds[target_kind], target_id)
        ahead.setdefault(source, []).append((target, roles[role]))
        back.setdefault(target, []).append((source, roles[role]))
    return Graph(revision, _frozen(ahead), _frozen(back))


def _frozen(edges: dict[Node, list[tuple[Node, EdgeRole]]]) -> dict[Node, tuple[tuple[Node, EdgeRole], ...]]:
    return {node: tuple(listed) for node, listed in edges.items()}
