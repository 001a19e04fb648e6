"""Any graph can be laid out: each node has a place of its own, and lines lead from box to box."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.portal.graph_drawing import HEIGHT, WIDTH, Join, draw, forget_drawings
from data_platform.portal.graph_layout import lay_out

NODES = 12
edges = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)), max_size=30)


@given(edges)
def test_any_graph_has_a_layout(given: list[tuple[int, int]]) -> None:
    layout = lay_out(NODES, tuple(given))

    assert layout is not None
    assert len(set(layout.points)) == NODES, "two nodes have the same place"
    for source, target in set(given) - layout.backward:
        assert source == target or layout.points[source][0] < layout.points[target][0]
    for source, target in layout.backward:
        assert layout.points[source][0] > layout.points[target][0]


@given(edges)
def test_boxes_do_not_overlap_and_lines_end_at_them(given: list[tuple[int, int]]) -> None:
    drawing = draw([True] * NODES, [Join(*one) for one in given])

    assert drawing is not None
    for place, (x, y, _) in enumerate(drawing.boxes):
        assert all(abs(x - other[0]) >= WIDTH or abs(y - other[1]) >= HEIGHT for other in drawing.boxes[:place])
        assert x + WIDTH <= drawing.width
        assert y + HEIGHT <= drawing.height
    assert len(drawing.lines) == len(set(given))
    for line, (source, target) in zip(drawing.lines, dict.fromkeys(given), strict=True):
        begin = int(re.match(r"M(\d+)", line.curve)[1])
        assert drawing.boxes[source][0] <= begin <= drawing.boxes[source][0] + WIDTH
        assert re.fullmatch(r"M[\d. ]+(?:[CH][\d. ]+)+", line.curve), line.curve
        assert source == target or line.is_back == (drawing.boxes[source][0] > drawing.boxes[target][0])


@pytest.mark.parametrize(
    ("count", "given"),
    [
        pytest.param(0, (), id="no node"),
        pytest.param(1, ((0, 0),), id="a loop alone"),
        pytest.param(3, ((0, 1), (1, 2), (2, 0)), id="nothing but a cycle"),
        pytest.param(2_000, tuple((0, number) for number in range(1, 2_000)), id="a node with 1999 children"),
        pytest.param(2_000, tuple((number, number + 1) for number in range(1_999)), id="a chain of 2000"),
        pytest.param(8, ((0, 1), (1, 2), (2, 3), (0, 3), (4, 5), (5, 6), (6, 7), (4, 7)), id="two pieces with bends"),
    ],
)
def test_extreme_graphs(count: int, given: tuple[tuple[int, int], ...]) -> None:
    layout = lay_out(count, given)

    assert layout is not None
    assert len(set(layout.points)) == count


def test_a_graph_whose_lines_cross_too_many_layers_is_not_drawn() -> None:
    chain = [(number, number + 1) for number in range(1_999)]
    long = [(number, 1_999 - number) for number in range(100)]

    assert draw([False] * 2_000, [Join(*one) for one in (*chain, *long)]) is None


def test_the_same_neighbourhood_is_drawn_once() -> None:
    joins = [Join(0, 1), Join(1, 2)]

    first = draw([False, False, True], joins)

    assert draw([False, False, True], list(joins)) is first
    assert draw([False, False, False], joins) != first
    forget_drawings()
    again = draw([False, False, True], joins)
    assert (again, again is first) == (first, False)
