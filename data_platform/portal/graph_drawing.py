"""Where the boxes and lines of a graph are drawn, in pixels: a pure function of its layout."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from data_platform.portal.graph_layout import lay_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from data_platform.portal.graph_layout import Layout, Point

WIDTH, HEIGHT, HANDLE = 240, 52, 22
"""Of a box, in pixels, and of the row below its texts with what can be opened."""
GAP, ROW_GAP, MARGIN = 74, 20, 28
KEPT = 256
"""Drawings that are kept. One of 500 nodes takes some 400 kB."""
MOST_LINES = 6_000
"""With more edges than that the layout takes seconds, and nobody can follow a line."""
_BACK = 12
"""How far below the middle of its boxes a line against the direction is drawn."""


@dataclass(frozen=True)
class Line:
    """``curve`` is a path of SVG. ``kind`` is data, link (two names of one dataset) or trigger.

    A line that ``is_back`` closes a cycle.
    """

    curve: str
    kind: str
    title: str
    is_back: bool = False


@dataclass(frozen=True)
class Drawing:
    """``boxes`` has x, y and height for each node, in their order; each is ``box_width`` wide."""

    width: int
    height: int
    boxes: tuple[tuple[int, int, int], ...]
    lines: tuple[Line, ...]
    box_width: int = WIDTH


@dataclass(frozen=True)
class Join:
    """An edge between two nodes, by their places in the list of nodes."""

    source: int
    target: int
    kind: str = "data"
    title: str = ""


def draw(has_handle: Sequence[bool], joins: Iterable[Join]) -> Drawing | None:
    """``has_handle`` says for each node whether its box has a row with what can be opened.

    None if the graph is too deep to be laid out. Drawings are kept, since the same neighbourhood is asked for again
    and again.
    """
    return _draw(tuple(has_handle), tuple(joins))


def forget_drawings() -> None:
    _draw.cache_clear()


@lru_cache(maxsize=KEPT)
def _draw(has_handle: tuple[bool, ...], joins: tuple[Join, ...]) -> Drawing | None:
    joined: dict[tuple[int, int], Join] = {}
    for join in joins:
        joined.setdefault((join.source, join.target), join)
    layout = lay_out(len(has_handle), tuple(sorted(joined)))
    if layout is None:
        return None
    sheet = _Sheet(layout, HEIGHT + HANDLE + ROW_GAP if any(has_handle) else HEIGHT + ROW_GAP)
    boxes = tuple(
        (sheet.left(point), round(sheet.middle(point) - HEIGHT / 2), HEIGHT + (HANDLE if handle else 0))
        for point, handle in zip(layout.points, has_handle, strict=True)
    )
    bends = [point for passed in layout.bends.values() for point in passed]
    right = max((sheet.left(point) for point in (*layout.points, *bends)), default=0)
    bottom = max((sheet.middle(point) for point in (*layout.points, *bends)), default=0)
    return Drawing(
        width=right + WIDTH + MARGIN,
        height=round(bottom + HEIGHT / 2 + HANDLE + MARGIN),
        boxes=boxes,
        lines=tuple(
            Line(sheet.path(*ends), join.kind, join.title, ends in layout.backward) for ends, join in joined.items()
        ),
    )


@dataclass(frozen=True)
class _Sheet:
    layout: Layout
    pitch: int

    def left(self, point: Point) -> int:
        return MARGIN + round(point[0]) * (WIDTH + GAP)

    def middle(self, point: Point) -> float:
        return MARGIN + HEIGHT / 2 + point[1] * self.pitch

    def path(self, source: int, target: int) -> str:
        """From the right side of the source through its bends to the left side of the target, or back."""
        begin, end = self.layout.points[source], self.layout.points[target]
        if source == target:
            return self._loop(begin)
        is_back = (source, target) in self.layout.backward
        passed = self.layout.bends.get((source, target), ())
        down, leaves, enters = (_BACK, 0, WIDTH) if is_back else (0, WIDTH, 0)
        x, y = self.left(begin) + leaves, self.middle(begin) + down
        parts = [f"M{x} {y:.1f}"]
        for bend in passed:
            parts.append(_curve(x, y, self.left(bend) + enters, self.middle(bend)))
            x, y = self.left(bend) + leaves, self.middle(bend)
            parts.append(f"H{x}")
        parts.append(_curve(x, y, self.left(end) + enters, self.middle(end) + down))
        return "".join(parts)

    def _loop(self, point: Point) -> str:
        right, top = self.left(point) + WIDTH, self.middle(point) - HEIGHT / 2
        return f"M{right - 44} {top:.1f}C{right - 44} {top - 22:.1f} {right + 34} {top - 14:.1f} {right} {top + 16:.1f}"


def _curve(x: int, y: float, to_x: int, to_y: float) -> str:
    if y == to_y:
        return f"H{to_x}"
    middle = (x + to_x) / 2
    return f"C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x} {to_y:.1f}"
