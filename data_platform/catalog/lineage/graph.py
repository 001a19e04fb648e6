"""The lineage graph in memory, and walks over it.

Impact to full depth in one estate reaches nearly everything, so a walk in SQL reads nearly every edge at every
question. Here the edges are read once, and again when ``graph_revision`` has moved; a hundred thousand of them take
some tens of megabytes. Nodes are numbers within a graph, so that a walk makes no objects and gives the garbage
collector nothing to look through. Cycles and edges of a node to itself are legal: a walk comes to each node once, by a
shortest path.

A box of the legacy scheduler has two numbers, its start and its end. What it waits for leads to its start, and that to
its jobs; its jobs lead to its end, and that to what waits for the box. So a job that is late hits whoever waits for its
box, and not the other jobs in it. Other parents (the run that a stage belongs to) depend on nothing, nor do theirs.

Steps that cost no depth: from one name of a dataset to another (symlinks, renames), and between the stages, steps and
jobs inside one dataset of ours, which people see as one. How a graph is read is in ``graph_source``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from data_platform.catalog.lineage.cycle import find_cycles
from data_platform.model.lineage import EdgeRole, LinkKind, NodeType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Node: TypeAlias = tuple[NodeType, int]
"""A kind, and the key in its table."""

_ROLES = {
    (NodeType.PROCESS, NodeType.DATASET): EdgeRole.PRODUCES,
    (NodeType.DATASET, NodeType.PROCESS): EdgeRole.CONSUMES,
    (NodeType.DATASET, NodeType.DATASET): EdgeRole.DERIVES,
    (NodeType.PROCESS, NodeType.PROCESS): EdgeRole.TRIGGERS,
}
"""What depends on what, but for boxes, which contain their jobs."""


@dataclass(frozen=True)
class Walk:
    """``levels[n]`` are the nodes at depth n, in order, without the start; ``before`` leads to the one before."""

    graph: Graph
    start: int | None
    levels: tuple[tuple[int, ...], ...]
    before: dict[int, int]

    def hits(self) -> Iterator[tuple[int, Node]]:
        """Depth and node, nearest first. A box is a hit where the walk first comes to its start or its end."""
        graph = self.graph
        boxes = set() if self.start is None else {graph.nodes[self.start]}
        for depth, level in enumerate(self.levels):
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

    ``free_ahead`` and ``free_back`` are the steps that cost no depth. ``twins`` map the start of a box to its end and
    back, ``jobs`` are pairs of a box and a job in it. ``links`` map two names of one dataset to their kind, in the
    direction of the data. ``shown_as`` maps what is inside a dataset of ours to that dataset.
    """

    revision: int
    nodes: Sequence[Node]
    numbers: dict[Node, int]
    ahead: Sequence[tuple[int, ...]]
    back: Sequence[tuple[int, ...]]
    free_ahead: Mapping[int, tuple[int, ...]]
    free_back: Mapping[int, tuple[int, ...]]
    twins: dict[int, int]
    jobs: frozenset[tuple[Node, Node]]
    links: Mapping[tuple[Node, Node], LinkKind]
    shown_as: Mapping[Node, Node]

    @cached_property
    def cycles(self) -> tuple[tuple[Node, ...], ...]:
        """Nodes that depend on each other, in order; two names of one dataset alone are none."""
        symlinks = [
            (self.numbers[source], self.numbers[target])
            for (source, target), kind in self.links.items()
            if kind is LinkKind.SYMLINK
        ]
        found = find_cycles(self.ahead, self.free_ahead, symlinks)
        return tuple(tuple(dict.fromkeys(self.nodes[number] for number in cycle)) for cycle in found)

    def names_of(self, node: Node, *, downstream: bool) -> tuple[Node, ...]:
        """The node, and under which other names its data goes on (downstream) or came from (upstream)."""
        found = {node: None}
        waiting = [node]
        while waiting:
            here = waiting.pop()
            for other in self._linked.get((here, downstream), ()):
                if other not in found:
                    found[other] = None
                    waiting.append(other)
        return tuple(found)

    @cached_property
    def _linked(self) -> dict[tuple[Node, bool], list[Node]]:
        """By node and direction."""
        found: dict[tuple[Node, bool], list[Node]] = {}
        for (source, target), kind in self.links.items():
            found.setdefault((source, True), []).append(target)
            found.setdefault((target, False), []).append(source)
            if kind is LinkKind.SYMLINK:
                found.setdefault((target, True), []).append(source)
                found.setdefault((source, False), []).append(target)
        return found

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
        if (source, target) in self.jobs:
            return EdgeRole.CONTAINS
        kind = self.links.get((source, target))
        return _ROLES[source[0], target[0]] if kind is None else EdgeRole(kind)

    def walk(self, start: Node, *, downstream: bool, depth: int | None = None) -> Walk:
        """All nodes within ``depth`` edges (None: all there are); ``start`` itself is not among them."""
        number = self.numbers.get(start)
        if number is None:
            return Walk(self, None, (), {})
        begin = number if downstream else self.twins.get(number, number)
        edges, free = (self.ahead, self.free_ahead) if downstream else (self.back, self.free_back)
        before = {begin: begin}
        level: Sequence[int] = sorted(_with_free(begin, free, before))
        levels = [tuple(number for number in level if number != begin)]
        while level and (depth is None or len(levels) <= depth):
            fresh: list[int] = []
            for number in level:
                for other in edges[number]:
                    if other not in before:
                        before[other] = number
                        fresh += _with_free(other, free, before)
            level = sorted(fresh)
            if level:
                levels.append(tuple(level))
        return Walk(self, begin, tuple(levels), before)


def _with_free(number: int, free: Mapping[int, tuple[int, ...]], before: dict[int, int]) -> list[int]:
    """The node, and what costs nothing from there: a box that starts also ends, a dataset has other names."""
    found = [number]
    for here in found:
        for other in free.get(here, ()):
            if other not in before:
                before[other] = here
                found.append(other)
    return found
