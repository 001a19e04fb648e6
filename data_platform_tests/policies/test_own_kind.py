"""A regular expression of a policy is accepted only if no text can make Java search it for long."""

import pytest

from data_platform.policies.own_kind import regex_problems


@pytest.mark.parametrize(
    "regex",
    [r"C-\d{8}", r"[A-Z]{1,20}\d{1,20}", r"(?:ab|cd){3}", r"\p{L}{3}\d{6}", r"(\d)\1{3}", r"(?<=no )\d{5}"],
)
def test_an_expression_of_bounded_length_is_accepted(regex: str) -> None:
    assert regex_problems(regex) == []


@pytest.mark.parametrize(
    ("regex", "why"),
    [
        pytest.param(r"(a+)+b", "without an upper bound", id="nested open repeats"),
        pytest.param(r"\d+", "without an upper bound", id="an open repeat"),
        pytest.param(r"x(?=.*y)", "without an upper bound", id="an open repeat in a look-ahead"),
        pytest.param(r"(a{1,9}){1,9}", "more than 10,000 ways", id="nested bounded repeats"),
        pytest.param(r"(a|a){20}", "more than 10,000 ways", id="repeated alternatives"),
        pytest.param(r"\d{1,300}-\d{1,300}", "more than 10,000 ways", id="two long repeats"),
        pytest.param(r"[0-9", "not a regular expression", id="not closed"),
        pytest.param(r"a{0,3}", "matches an empty text", id="empty"),
        pytest.param(r"(?P<n>a)", "named group", id="Python's own syntax"),
    ],
)
def test_an_expression_that_may_be_slow_or_is_none_is_refused(regex: str, why: str) -> None:
    [problem] = regex_problems(regex)

    assert why in problem
