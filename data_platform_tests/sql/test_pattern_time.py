"""An expression is refused if its time grows with a high power of the text's length, and no fast one is."""

import pytest

from data_platform.sql.pattern_time import MOST_IN_A_ROW, open_repeats
from data_platform.sql.written_pattern import pattern_problems


@pytest.mark.parametrize(
    ("pattern", "repeats"),
    [
        pytest.param(r"(.*a){11}", 6, id="a repeated group with an open repeat that matches its end"),
        pytest.param(r"^(.*?,){11}P", 6, id="reluctant"),
        pytest.param(r"(.*,){1,11}P", 6, id="a number of times that varies"),
        pytest.param(r"\w*\w*\w*\w*\w*x", 5, id="in a row"),
        pytest.param(r"\d+[0-9a-f]*\w+\d*.*z", 5, id="classes that overlap"),
        pytest.param(r"(?:\w*-?){8}", 6, id="an optional end"),
        pytest.param(r"\p{L}*\p{L}*\p{L}*\p{L}*\p{L}*1", 5, id="Java's classes"),
        pytest.param(r"(.{0,500},){9}", 6, id="a large bound"),
        pytest.param(r".*foo.*bar.*", 3, id="words among anything"),
        pytest.param(r"([^,]*,){11}", 1, id="the end is not in the class"),
        pytest.param(r"[a-z]+-[a-z]+-[a-z]+-[a-z]+-[a-z]+-[a-z]+", 1, id="signs between"),
        pytest.param(r"(\w+\.){0,5}\w+@(\w+\.){1,5}\w{2,10}", 1, id="an address"),
        pytest.param(r"(.*+a){11}", 0, id="possessive"),
        pytest.param(r"[A-Z]{2}\d{2}( ?[0-9A-Z]{1,4}){1,8}", 0, id="an account, with bounds"),
        pytest.param(r"(\d{1,3}\.){3}\d{1,3}", 0, id="numbers with bounds"),
        pytest.param(r"[a", 0, id="not an expression"),
    ],
)
def test_open_repeats_in_a_row_are_counted(pattern: str, repeats: int) -> None:
    assert open_repeats(pattern) == repeats
    assert bool(pattern_problems(pattern)) is (repeats > MOST_IN_A_ROW)


def test_the_problem_names_the_number_and_the_remedy() -> None:
    (problem,) = pattern_problems(r"(.*a){11}")

    assert "6 or more open repeats in a row" in problem
    assert "possessive" in problem
