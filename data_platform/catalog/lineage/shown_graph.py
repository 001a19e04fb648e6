"""The lineage graph as people see it: a stage, a step or a landing folder of a dataset is that dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from data_platform.catalog.lineage.graph import Graph, Node


class ShownGraph:
    """The graph remembers the neighbours that were asked for."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._known = graph.neighbours

    def shown(self, node: Node) -> Node:
        return self.graph.shown_as.get(node, node)

    def next_to(self, node: Node, *, downstream: bool) -> tuple[Node, ...]:
        """Neighbours without duplicates, in a fixed order; other names of a dataset in the direction of its data."""
        key = (node, downstream)
        if key not in self._known:
            self._known[key] = tuple(self._next_to(node, downstream=downstream))
        return self._known[key]

    def names_of(self, node: Node, *, downstream: bool) -> tuple[Node, ...]:
        return tuple(dict.fromkeys(map(self.shown, self.graph.names_of(node, downstream=downstream))))

    def edges_among(self, nodes: Iterable[Node]) -> Iterator[tuple[Node, Node]]:
        drawn = dict.fromkeys(nodes)
        for node in drawn:
            for other in (*self.next_to(node, downstream=True), *self._own_loop(node)):
                if other in drawn:
                    yield node, other

    def between(self, starts: Iterable[Node], end: Node) -> list[Node]:
        """Every node on a way from one of ``starts`` downstream to ``end``, both included if there is a way."""
        reached = self._reached(starts, downstream=True)
        return [node for node in self._reached([end], downstream=False) if node in reached]

    def _reached(self, starts: Iterable[Node], *, downstream: bool) -> dict[Node, None]:
        found = dict.fromkeys(map(self.shown, starts))
        stack = list(found)
        while stack:
            for other in self.next_to(stack.pop(), downstream=downstream):
                if other not in found:
                    found[other] = None
                    stack.append(other)
        return found

    def _next_to(self, node: Node, *, downstream: bool) -> list[Node]:
        found: dict[Node, bool] = {}
        for member in (*self.graph.parts.get(node, ()), node):
            for other in self.graph.next_to(member, downstream=downstream):
                shown = self.shown(other)
                is_step = shown != other and other[0] is NodeType.PROCESS
                found[shown] = found.get(shown, True) and is_step
            for other in self.graph.linked(member, downstream=downstream):
                found[self.shown(other)] = False
        found.pop(node, None)
        by_process = self._outputs(found, downstream=downstream) if True in found.values() else frozenset()
        return [other for other, is_step in found.items() if not (is_step and other in by_process)]

    def _outputs(self, nodes: Iterable[Node], *, downstream: bool) -> frozenset[Node]:
        """What the processes among ``nodes`` lead to: a step of such a process adds no edge of its own."""
        return frozenset(
            self.shown(other)
            for node in nodes
            if node[0] is NodeType.PROCESS
            for other in self.graph.next_to(node, downstream=downstream)
        )

    def _own_loop(self, node: Node) -> tuple[Node, ...]:
        return (node,) if node in self.graph.next_to(node, downstream=True) else ()
