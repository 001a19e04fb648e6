"""A condition keeps its parentheses: as a tree, and in the text that people read."""

from typing import Any

import pytest

from data_platform.legacy.jil.grammar import parse_condition
from data_platform.legacy.jil.scan import scan
from data_platform.legacy.jil.text import Source


def job(name: str) -> dict[str, Any]:
    return {"state": "success", "job": name}


@pytest.mark.parametrize(
    ("written", "text", "tree"),
    [
        pytest.param(
            "(s(a) | s(b)) & s(c)",
            "(success(a) or success(b)) and success(c)",
            {"op": "and", "of": [{"op": "or", "of": [job("a"), job("b")]}, job("c")]},
            id="parentheses on the left",
        ),
        pytest.param(
            "s(a) | (s(b) & s(c))",
            "success(a) or (success(b) and success(c))",
            {"op": "or", "of": [job("a"), {"op": "and", "of": [job("b"), job("c")]}]},
            id="parentheses on the right",
        ),
        pytest.param(
            "s(a) or s(b) and s(c)",
            "(success(a) or success(b)) and success(c)",
            {"op": "and", "of": [{"op": "or", "of": [job("a"), job("b")]}, job("c")]},
            id="none: read from left to right, both of one rank",
        ),
        pytest.param(
            "s(a) & s(b) & s(c)",
            "success(a) and success(b) and success(c)",
            {"op": "and", "of": [job("a"), job("b"), job("c")]},
            id="one operator",
        ),
        pytest.param("s(a)", "success(a)", job("a"), id="one job"),
        pytest.param(
            "v(G) = 1 | e(x^PRD, 12.00) > 3",
            "value(G) = 1 or exitcode(x^PRD,12.00) > 3",
            {
                "op": "or",
                "of": [
                    {"state": "value", "variable": "G", "comparison": "=", "value": "1"},
                    {
                        "state": "exitcode", "job": "x", "instance": "PRD", "look_back_minutes": 720,
                        "comparison": ">", "value": "3",
                    },
                ],
            },
            id="a variable and an exit code",
        ),
    ],
)  # fmt: skip
def test_a_condition_keeps_its_tree(written: str, text: str, tree: dict[str, Any]) -> None:
    condition = parse_condition(written)

    assert (str(condition), condition.tree()) == (text, tree)
    assert parse_condition(text) == condition  # the text says the same again


def test_a_condition_that_is_nested_too_deep_keeps_its_text() -> None:
    deep = "s(a)"
    for number in range(300):
        deep = f"s(b{number}) {'|' if number % 2 else '&'} ({deep})"

    condition = parse_condition(deep)

    assert condition.tree() is None
    assert parse_condition(str(condition)) == condition


def test_a_scan_shows_the_tree_of_each_condition() -> None:
    found = scan([Source("a.jil", b"insert_job: J\ncondition: s(a) | (s(b) & s(c))\nbox_success: s(x)\n")])

    assert found.processes[0].trees["condition"]["op"] == "or"
    assert found.processes[0].trees["box_success"] == job("x")
