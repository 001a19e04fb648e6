"""What a drawing shows around a node: some hops each way, and what people opened, with counts of the rest.

A hop from a dataset leads through its process to the datasets on the other side of it. Other names of a dataset add no
hop. A node of thousands of neighbours shows the first of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.catalog.lineage.registry import refs
from data_platform.catalog.lineage.shown_graph import ShownGraph
from data_platform.model.lineage import NodeType
from data_platform.model.neighbourhood import MOST_DRAWN, NearEdge, NearNode, Neighbourhood, Side

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.graph import Graph, Node

_SIDE = {True: Side.DOWNSTREAM, False: Side.UPSTREAM}


@dataclass(frozen=True)
class _Place:
    side: Side
    hops: int


def find_neighbourhood(
    connection: Connection,
    graph: Graph,
    start: Node,
    *,
    directions: Collection[bool],
    hops: int,
    opened: Sequence[tuple[Node, bool]] = (),
    most_at_once: int,
) -> Neighbourhood:
    """``directions`` has True for downstream and False for upstream; ``opened`` are nodes with such a direction."""
    shown = ShownGraph(graph)
    drawn = _Drawn(shown, shown.shown(start), most_at_once)
    for downstream in directions:
        level = [drawn.start]
        for _ in range(hops):
            level = [fresh for node in level for fresh in drawn.open(node, downstream=downstream)]
    closed = list(opened)
    while closed:
        now = [one for one in closed if one[0] in drawn.places]
        if not now:
            break
        closed = [one for one in closed if one not in now]
        for node, downstream in now:
            drawn.open(node, downstream=downstream)
    return _read(connection, shown, drawn.places, drawn.opened)


def find_between(
    connection: Connection, graph: Graph, starts: Iterable[Node], end: Node, affected: Iterable[Node]
) -> Neighbourhood:
    """Every way from ``starts`` to ``end``, and from there a shortest way to each of ``affected``."""
    shown = ShownGraph(graph)
    end = shown.shown(end)
    places = {end: _Place(Side.START, 0)}
    places |= {node: _Place(Side.UPSTREAM, 0) for node in shown.between(starts, end) if node != end}
    walk = graph.walk(end, downstream=True)
    for node in affected:
        if node in graph.numbers and graph.numbers[node] in walk.before:
            path = list(dict.fromkeys(shown.shown(step) for step in walk.path_to(node)))
            for hops, step in enumerate(path):
                places.setdefault(step, _Place(Side.DOWNSTREAM, hops))
    return _read(connection, shown, places)


class _Drawn:
    """The nodes of the drawing so far, and their places."""

    def __init__(self, shown: ShownGraph, start: Node, most_at_once: int) -> None:
        self.shown, self.start, self.most_at_once = shown, start, most_at_once
        self.places = {start: _Place(Side.START, 0)}
        self.opened: set[tuple[Node, bool]] = set()

    def open(self, node: Node, *, downstream: bool) -> list[Node]:
        """Adds what is next to the node; answers the nodes that a further hop starts from, none the second time."""
        if (node, downstream) in self.opened:
            return []
        fresh: list[Node] = []
        for name in self.shown.names_of(node, downstream=downstream):
            self._add(name, node, hops=0, downstream=downstream)
            self.opened.add((name, downstream))
            for other in self._first(name, downstream=downstream):
                self._add(other, node, hops=1, downstream=downstream)
                fresh += self._behind(other, name, downstream=downstream) or [other]
        return list(dict.fromkeys(fresh))

    def _behind(self, process: Node, before: Node, *, downstream: bool) -> list[Node]:
        """The datasets on the other side of a process to which a dataset led."""
        if process[0] is not NodeType.PROCESS or before[0] is not NodeType.DATASET:
            return []
        datasets = self._first(process, downstream=downstream, only=NodeType.DATASET)
        for dataset in datasets:
            self._add(dataset, process, hops=1, downstream=downstream)
        if len(datasets) == self.most_at_once:
            self.opened.add((process, downstream))
        return datasets

    def _first(self, node: Node, *, downstream: bool, only: NodeType | None = None) -> list[Node]:
        others = self.shown.next_to(node, downstream=downstream)
        return [other for other in others if only is None or other[0] is only][: self.most_at_once]

    def _add(self, node: Node, before: Node, *, hops: int, downstream: bool) -> None:
        if node in self.places:
            return
        place, side = self.places[before], _SIDE[downstream]
        self.places[node] = _Place(side if place.side in (Side.START, side) else Side.BESIDE, place.hops + hops)


def _read(
    connection: Connection,
    shown: ShownGraph,
    places: dict[Node, _Place],
    opened: Collection[tuple[Node, bool]] = (),
) -> Neighbourhood:
    nodes = list(places)[:MOST_DRAWN]
    numbers = {node: number for number, node in enumerate(nodes)}
    names = refs(connection, nodes)

    def hidden(node: Node, *, downstream: bool) -> int:
        return sum(other not in numbers for other in shown.next_to(node, downstream=downstream))

    return Neighbourhood(
        nodes=tuple(
            NearNode(
                node=names[node],
                side=places[node].side,
                hops=places[node].hops,
                hidden_upstream=hidden(node, downstream=False),
                hidden_downstream=hidden(node, downstream=True),
                is_open_upstream=(node, False) in opened,
                is_open_downstream=(node, True) in opened,
            )
            for node in nodes
        ),
        edges=tuple(
            NearEdge(numbers[source], numbers[target], shown.graph.role_of(source, target))
            for source, target in dict.fromkeys(shown.edges_among(nodes))
        ),
        total=len(places),
    )
