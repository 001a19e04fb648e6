"""The lineage graph in memory, and walks over it.

Impact to full depth reaches nearly every node of an estate, so a walk in SQL would read nearly every edge for every
query. Here the edges are read once, and again when ``graph_revision`` has changed; a hundred thousand of them take
some tens of megabytes. Nodes are numbers within a graph, so that a walk creates no objects for the garbage collector.
Cycles and edges from a node to itself are legal: a walk visits each node once, by a shortest path.

A box of the legacy scheduler has two numbers, its start and its end. Edges go from what the box waits for to its start,
from its start to its jobs, from its jobs to its end, and from its end to what waits for the box. So a late job affects
whatever waits for its box, and not the other jobs in it. Other parents (the run of a stage) have no dependencies.

Two kinds of steps add no depth: from one name of a dataset to another (symlinks, renames), and between the stages,
steps and jobs inside one dataset of the platform, which is shown as one node. ``graph_source`` reads the graph.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from data_platform.catalog.lineage.cycle import find_cycles
from data_platform.model.lineage import EdgeRole, LinkKind, NodeType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Node: TypeAlias = tuple[NodeType, int]
"""A node type and the key in its table."""

_ROLES = {
    (NodeType.PROCESS, NodeType.DATASET): EdgeRole.PRODUCES,
    (NodeType.DATASET, NodeType.PROCESS): EdgeRole.CONSUMES,
    (NodeType.DATASET, NodeType.DATASET): EdgeRole.DERIVES,
    (NodeType.PROCESS, NodeType.PROCESS): EdgeRole.TRIGGERS,
}
"""The role of an edge by its node types; edges from a box to its jobs have CONTAINS."""


@dataclass(frozen=True)
class Walk:
    """``levels[n]`` has the nodes at depth n, sorted, without the start; ``before`` maps a node to its predecessor."""

    graph: Graph
    start: int | None
    levels: tuple[tuple[int, ...], ...]
    before: dict[int, int]

    def hits(self) -> Iterator[tuple[int, Node]]:
        """Depth and node, nearest first. A box counts once, where the walk first reaches its start or its end."""
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
        """The path from the start of the walk to ``node``, both included."""
        number = self.graph.numbers[node]
        paths = [self._way_to(end) for end in (number, self.graph.twins.get(number)) if end in self.before]
        path = [self.graph.nodes[step] for step in min(paths, key=len)]
        return [step for place, step in enumerate(path) if place == 0 or step != path[place - 1]]

    def _way_to(self, number: int) -> list[int]:
        way = [number]
        while way[-1] != self.start:
            way.append(self.before[way[-1]])
        return way[::-1]


@dataclass(frozen=True)
class Graph:
    """``nodes`` by type and key, then the ends of boxes; ``ahead`` has edges downstream, ``back`` upstream.

    ``free_ahead`` and ``free_back`` are the steps that add no depth. ``twins`` maps the start of a box to its end and
    back, ``jobs`` has pairs of a box and a job in it. ``links`` maps two names of one dataset to their kind, in the
    direction of the data. ``shown_as`` maps parts of a platform dataset to that dataset. ``neighbours`` is filled by
    ``ShownGraph``, whose answers are true as long as the graph is.
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
    neighbours: dict[tuple[Node, bool], tuple[Node, ...]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def cycles(self) -> tuple[tuple[Node, ...], ...]:
        """Nodes that depend on each other, in order; two names of one dataset alone are not a cycle."""
        symlinks = [
            (self.numbers[source], self.numbers[target])
            for (source, target), kind in self.links.items()
            if kind is LinkKind.SYMLINK
        ]
        numbered = find_cycles(self.ahead, self.free_ahead, symlinks)
        return tuple(tuple(dict.fromkeys(self.nodes[number] for number in cycle)) for cycle in numbered)

    @cached_property
    def parts(self) -> dict[Node, tuple[Node, ...]]:
        """The parts of each dataset of the platform: the reverse of ``shown_as``."""
        found: dict[Node, list[Node]] = {}
        for part, whole in self.shown_as.items():
            found.setdefault(whole, []).append(part)
        return {whole: tuple(sorted(parts)) for whole, parts in found.items()}

    def linked(self, node: Node, *, downstream: bool) -> tuple[Node, ...]:
        """Other names to which a link leads from the node (downstream), or from which one leads to it."""
        return self._links_of.get((node, downstream), ())

    @cached_property
    def _links_of(self) -> dict[tuple[Node, bool], tuple[Node, ...]]:
        found: dict[tuple[Node, bool], list[Node]] = {}
        for source, target in self.links:
            found.setdefault((source, True), []).append(target)
            found.setdefault((target, False), []).append(source)
        return {key: tuple(others) for key, others in found.items()}

    def names_of(self, node: Node, *, downstream: bool) -> tuple[Node, ...]:
        """The node and the other names under which its data continues (downstream) or came (upstream)."""
        names = {node: None}
        stack = [node]
        while stack:
            current = stack.pop()
            for other in self._linked.get((current, downstream), ()):
                if other not in names:
                    names[other] = None
                    stack.append(other)
        return tuple(names)

    @cached_property
    def _linked(self) -> dict[tuple[Node, bool], list[Node]]:
        """Other names by node and direction."""
        links: dict[tuple[Node, bool], list[Node]] = {}
        for (source, target), kind in self.links.items():
            links.setdefault((source, True), []).append(target)
            links.setdefault((target, False), []).append(source)
            if kind is LinkKind.SYMLINK:
                links.setdefault((target, True), []).append(source)
                links.setdefault((source, False), []).append(target)
        return links

    def next_to(self, node: Node, *, downstream: bool) -> list[Node]:
        """Neighbours without duplicates; a job's own box is not one of them."""
        number = self.numbers.get(node)
        if number is None:
            return []
        edges = self.ahead if downstream else self.back
        ends = (number, self.twins[number]) if number in self.twins else (number,)
        neighbours = dict.fromkeys(self.nodes[other] for end in ends for other in edges[end])
        return [other for other in neighbours if ((other, node) if downstream else (node, other)) not in self.jobs]

    def role_of(self, source: Node, target: Node) -> EdgeRole:
        if (source, target) in self.jobs:
            return EdgeRole.CONTAINS
        kind = self.links.get((source, target))
        return _ROLES[source[0], target[0]] if kind is None else EdgeRole(kind)

    def walk(self, start: Node, *, downstream: bool, depth: int | None = None) -> Walk:
        """Reaches all nodes within ``depth`` edges, or without a limit if None; ``start`` is left out."""
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
    """The node and those that it reaches at no depth, such as the end of a box or other names of a dataset."""
    reached = [number]
    for node in reached:
        for other in free.get(node, ()):
            if other not in before:
                before[other] = node
                reached.append(other)
    return reached
