"""Finds cycles of a directed graph: Tarjan's strongly connected components, without recursion, in linear time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def cycles(edges: Iterable[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Returns each set of nodes that reach each other, sorted; a single node only if it has an edge to itself."""
    following: dict[str, list[str]] = {}
    for source, target in edges:
        following.setdefault(source, []).append(target)
        following.setdefault(target, [])
    components = (tuple(sorted(part)) for part in _Search(following).components())
    return tuple(sorted(part for part in components if len(part) > 1 or part[0] in following[part[0]]))


class _Search:
    def __init__(self, following: dict[str, list[str]]) -> None:
        self.following = following
        self.order: dict[str, int] = {}
        self.lowest: dict[str, int] = {}
        self.stack: list[str] = []
        self.on_stack: set[str] = set()

    def components(self) -> Iterator[list[str]]:
        for node in self.following:
            if node not in self.order:
                yield from self._from(node)

    def _from(self, root: str) -> Iterator[list[str]]:
        path = [(root, self._enter(root))]
        while path:
            node, rest = path[-1]
            target = next(rest, None)
            if target is None:
                path.pop()
                if path:
                    self._lower(path[-1][0], self.lowest[node])
                if self.lowest[node] == self.order[node]:
                    yield self._component(node)
            elif target not in self.order:
                path.append((target, self._enter(target)))
            elif target in self.on_stack:
                self._lower(node, self.order[target])

    def _enter(self, node: str) -> Iterator[str]:
        self.order[node] = self.lowest[node] = len(self.order)
        self.stack.append(node)
        self.on_stack.add(node)
        return iter(self.following[node])

    def _lower(self, node: str, order: int) -> None:
        self.lowest[node] = min(self.lowest[node], order)

    def _component(self, root: str) -> list[str]:
        nodes: list[str] = []
        while not nodes or nodes[-1] != root:
            nodes.append(self.stack.pop())
            self.on_stack.discard(nodes[-1])
        return nodes
