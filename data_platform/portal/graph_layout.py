"""Places the nodes of a graph in layers from left to right, and the bends of its edges.

``lay_out`` is the only door to the engine, fast-sugiyama, which is imported when the first graph is drawn. The engine
ends the whole process if it is given a cycle or an edge from a node to itself, and mixes up the bends of graphs that
are in several pieces; so it gets one piece at a time, without cycles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Edge: TypeAlias = tuple[int, int]
Point: TypeAlias = tuple[float, float]
"""A layer from the left, and a place from the top; two nodes of a layer are at least 1 apart."""

MOST_BENDS = 60_000
_THOROUGH, _SHORT = 2_000, 2_000
"""Up to so many nodes, edges and bends the engine also swaps neighbours for fewer crossings; up to so many nodes and
edges it makes edges short. On large graphs both take many seconds."""
_PIECE_GAP = 1.0


@dataclass(frozen=True)
class Layout:
    """``points`` has the place of each node. ``bends`` has where an edge crosses a layer, from its source on.

    ``backward`` are edges against the direction of the others, which close a cycle.
    """

    points: tuple[Point, ...]
    bends: Mapping[Edge, tuple[Point, ...]]
    backward: frozenset[Edge]


def lay_out(count: int, edges: tuple[Edge, ...]) -> Layout | None:
    """``edges`` are pairs of numbers below ``count``: in any order, with cycles, twice, or from a node to itself.

    None if its edges cross more than ``MOST_BENDS`` layers: the engine would take minutes.
    """
    backward = _backward(count, edges)
    forward = sorted({(b, a) if (a, b) in backward else (a, b) for a, b in edges if a != b})
    crossed = _crossed(count, forward)
    if crossed > MOST_BENDS:
        return None
    points: dict[int, Point] = {}
    bends: dict[Edge, tuple[Point, ...]] = {}
    below = 0.0
    for piece in _pieces(forward):
        placed, bent = _place(piece, crossed)
        points |= {node: (layer, place + below) for node, (layer, place) in placed.items()}
        bends |= {edge: tuple((at, place + below) for at, place in passed) for edge, passed in bent.items()}
        below = max(points[node][1] for node in placed) + _PIECE_GAP
    points |= _grid([node for node in range(count) if node not in points], points.values(), below)
    turned = {(b, a): passed[::-1] for (a, b), passed in bends.items() if (b, a) in backward}
    return Layout(tuple(points[node] for node in range(count)), bends | turned, backward)


def _backward(count: int, edges: Iterable[Edge]) -> frozenset[Edge]:
    """Edges to a node from which the walk came: without them there is no cycle."""
    ahead: list[list[int]] = [[] for _ in range(count)]
    entered = [0] * count
    for source, target in edges:
        if source != target:
            ahead[source].append(target)
            entered[target] += 1
    state, found = bytearray(count), set()
    for start in sorted(range(count), key=lambda node: entered[node] > 0):
        if not state[start]:
            found |= set(_walk(start, ahead, state))
    return frozenset(found)


def _walk(start: int, ahead: Sequence[Sequence[int]], state: bytearray) -> Iterator[Edge]:
    """``state`` is 1 for a node that the walk came through, and 2 for one that it has left."""
    stack = [(start, iter(ahead[start]))]
    state[start] = 1
    while stack:
        node, others = stack[-1]
        for other in others:
            if state[other] == 1:
                yield node, other
            elif not state[other]:
                state[other] = 1
                stack.append((other, iter(ahead[other])))
                break
        else:
            state[node] = 2
            stack.pop()


def _pieces(edges: Iterable[Edge]) -> list[list[Edge]]:
    """The edges by connected piece, the largest first."""
    first: dict[int, int] = {}

    def root(node: int) -> int:
        while (above := first.setdefault(node, node)) != node:
            first[node] = first[above]
            node = above
        return node

    listed = list(edges)
    for source, target in listed:
        first[root(source)] = root(target)
    pieces: dict[int, list[Edge]] = {}
    for edge in listed:
        pieces.setdefault(root(edge[0]), []).append(edge)
    return sorted(pieces.values(), key=len, reverse=True)


def _crossed(count: int, edges: Iterable[Edge]) -> int:
    """How many layers the edges cross between their ends, if each node is in the first layer that it can be in."""
    ahead: list[list[int]] = [[] for _ in range(count)]
    waits, layer, crossed = [0] * count, [0] * count, 0
    for source, target in edges:
        ahead[source].append(target)
        waits[target] += 1
    ready = [node for node in range(count) if not waits[node]]
    for node in ready:
        for other in ahead[node]:
            layer[other] = max(layer[other], layer[node] + 1)
            waits[other] -= 1
            if not waits[other]:
                ready.append(other)
    for node, others in enumerate(ahead):
        crossed += sum(layer[other] - layer[node] - 1 for other in others)
    return crossed


def _place(edges: Sequence[Edge], crossed: int) -> tuple[dict[int, Point], dict[Edge, tuple[Point, ...]]]:
    """Places of the nodes of one piece without cycles, and its bends. The engine's layers are from the top."""
    from fast_sugiyama import from_edges

    nodes = sorted({node for edge in edges for node in edge})
    numbers, size = {node: number for number, node in enumerate(nodes)}, len(nodes) + len(edges)
    ((placed, _, height, steps),) = from_edges(
        [(numbers[source], numbers[target]) for source, target in edges],
        vertex_spacing=1.0,
        minimum_length=1,
        dummy_vertices=True,
        dummy_size=0.5,
        ranking_type="minimize" if size <= _SHORT else "up",
        crossing_minimization="barycenter",
        transpose=size + crossed <= _THOROUGH,
        check_layout=False,
    )
    top = min(x for _, (x, _) in placed)
    at: dict[int, Point] = {int(number): (round(float(height) - y), float(x - top)) for number, (x, y) in placed}
    points = {node: at[number] for node, number in numbers.items()}
    passed = _passed([(int(a), int(b)) for a, b in steps or ()], len(nodes))
    return points, {(nodes[a], nodes[b]): tuple(at[bend] for bend in between) for (a, b), between in passed.items()}


def _passed(steps: Iterable[Edge], count: int) -> dict[Edge, list[int]]:
    """The engine cuts a long edge into steps over bends, whose numbers begin at ``count``."""
    after = {source: target for source, target in steps if source >= count}
    found: dict[Edge, list[int]] = {}
    for source, target in steps:
        if source < count <= target:
            bends = [target]
            while after[bends[-1]] >= count:
                bends.append(after[bends[-1]])
            found[source, after[bends[-1]]] = bends
    return found


def _grid(nodes: Sequence[int], placed: Iterable[Point], below: float) -> dict[int, Point]:
    """Nodes without edges, in rows that are as wide as the rest."""
    width = 1 + int(max((layer for layer, _ in placed), default=2))
    return {node: (place % width, below + place // width) for place, node in enumerate(nodes)}
