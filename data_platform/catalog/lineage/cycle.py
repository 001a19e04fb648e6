"""Finds cycles of a graph: strongly connected components, computed without recursion (Tarjan 1972)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def find_cycles(
    ahead: Sequence[tuple[int, ...]], free: Mapping[int, tuple[int, ...]], same: Sequence[tuple[int, int]]
) -> list[tuple[int, ...]]:
    """Components of two or more nodes, and nodes with an edge to themselves. Pairs in ``same`` count as one node."""
    groups = _groups(same)
    members: dict[int, list[int]] = {}
    for number, first in groups.items():
        members.setdefault(first, []).append(number)
    edges: list[list[int]] = [[] for _ in ahead]
    loops: set[int] = set()
    for number, others in enumerate(ahead):
        group = groups.get(number, number)
        edges[group] += [groups.get(other, other) for other in (*others, *free.get(number, ()))]
        if number in others:
            loops.add(group)
    cycles = [part for part in _parts(edges) if len(part) > 1 or part[0] in loops]
    return sorted(tuple(sorted(n for one in part for n in members.get(one, [one]))) for part in cycles)


def _groups(same: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Maps each node that has other names to the first of its group."""
    first: dict[int, int] = {}

    def root(number: int) -> int:
        while (above := first.setdefault(number, number)) != number:
            number = above
        return number

    for one, other in same:
        low, high = sorted((root(one), root(other)))
        first[high] = low
    return {number: root(number) for number in first}


class _Search:
    def __init__(self, edges: Sequence[Sequence[int]]) -> None:
        self.edges = edges
        self.order = [-1] * len(edges)
        self.low = [0] * len(edges)
        self.open: list[int] = []
        self.is_open = bytearray(len(edges))
        self.count = 0
        self.parts: list[list[int]] = []

    def visit(self, start: int) -> None:
        stack = [(start, iter(self.edges[start]))]
        self._enter(start)
        while stack:
            number, others = stack[-1]
            fresh = self._next(number, others)
            if fresh is not None:
                self._enter(fresh)
                stack.append((fresh, iter(self.edges[fresh])))
                continue
            stack.pop()
            if stack:
                above = stack[-1][0]
                self.low[above] = min(self.low[above], self.low[number])
            if self.low[number] == self.order[number]:
                self._close(number)

    def _next(self, number: int, others: Iterator[int]) -> int | None:
        for other in others:
            if self.order[other] < 0:
                return other
            if self.is_open[other]:
                self.low[number] = min(self.low[number], self.order[other])
        return None

    def _enter(self, number: int) -> None:
        self.order[number] = self.low[number] = self.count
        self.count += 1
        self.open.append(number)
        self.is_open[number] = 1

    def _close(self, number: int) -> None:
        part: list[int] = []
        while not part or part[-1] != number:
            part.append(self.open.pop())
            self.is_open[part[-1]] = 0
        self.parts.append(part)


def _parts(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    search = _Search(edges)
    for number in range(len(edges)):
        if search.order[number] < 0:
            search.visit(number)
    return search.parts
