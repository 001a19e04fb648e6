"""A pattern that would run for hours is found wherever a rule or a step writes it."""

import pytest

from data_platform.sql.check import query_problems
from data_platform.sql.rule_text import Rule, policy_problems

SLOW = "(a+)+$"


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(f"t RLIKE '{SLOW}'", id="an operator"),
        pytest.param(f"t RLIKE r'{SLOW}'", id="a raw string"),
        pytest.param(f't NOT REGEXP R"{SLOW}"', id="a raw string in double quotes"),
        pytest.param(f"regexp(t, '{SLOW}')", id="regexp as a function"),
        pytest.param(f"rlike(t, '{SLOW}')", id="rlike as a function"),
        pytest.param(f"size(split(t, '{SLOW}')) = 1", id="split"),
        pytest.param(f"regexp_instr(t, '{SLOW}') > 0", id="instr"),
        pytest.param(f"regexp_substr(t, '{SLOW}') = 'x'", id="substr"),
        pytest.param(f"str_to_map(t, ',', '{SLOW}')['a'] = 'b'", id="str_to_map"),
        pytest.param("t RLIKE ('(a' || '+)+$')", id="joined by ||"),
        pytest.param("t RLIKE concat('(a', CAST('+)' AS STRING), r'+$')", id="joined by concat"),
        pytest.param(f"t RLIKE ANY ('b', '{SLOW}')", id="one of several"),
        pytest.param(f"exists(split(t, ','), x -> x RLIKE '{SLOW}')", id="within a lambda function"),
    ],
)
def test_a_slow_pattern_is_found_in_every_place(rule: str) -> None:
    [problem] = policy_problems([Rule(id="r", expression=rule)])

    assert problem.startswith("rule r: (a+)+ repeats a group")


@pytest.mark.parametrize(
    "step",
    [
        "SELECT regexp_replace(t, '(a+)+$', '') AS t FROM orders",
        "SELECT t FROM orders WHERE t RLIKE r'(a+)+$'",
        "WITH a AS (SELECT explode(split(t, '(a+)+$')) AS t FROM orders) SELECT t FROM a",
    ],
)
def test_a_slow_pattern_of_a_step_is_found(step: str) -> None:
    [problem] = query_problems(step, ("orders",))

    assert problem.text.startswith("(a+)+ repeats a group")


@pytest.mark.parametrize(
    "rule",
    [
        "t RLIKE other",
        "t RLIKE concat('(a', other, ')+$')",
        "size(split(t, ',')) = 1",
        "size(split(t, '[|]')) = 1",
        "str_to_map(t)['a'] = 'b'",
        "t RLIKE r'^[a-z]+$'",
        "t = '(a+)+$'",
        "replace(t, '(a+)+$', '') = ''",
    ],
)
def test_other_texts_and_patterns_of_the_data_are_no_problem(rule: str) -> None:
    assert policy_problems([Rule(id="r", expression=rule)]) == ()


@pytest.mark.parametrize(
    ("rule", "is_slow"),
    [
        pytest.param("t LIKE '%a%b%c%d%e%'", True, id="five and one at the end"),
        pytest.param("t NOT ILIKE 'a%b%c%d%e%f'", True, id="between letters"),
        pytest.param("t LIKE ANY ('x%', '%a%b%c%d%e')", True, id="one of several"),
        pytest.param("t LIKE '%a%b%c%d%'", False, id="four and one at the end"),
        pytest.param("t LIKE '%%%%%%a'", False, id="several that are one"),
        pytest.param(r"t LIKE '\\%a\\%b\\%c\\%d\\%e\\%f'", False, id="percent signs themselves"),
        pytest.param("t LIKE '!%a!%b!%c!%d!%e!%f' ESCAPE '!'", False, id="percent signs behind another escape"),
        pytest.param("t LIKE concat('%', other, '%')", False, id="with a column"),
    ],
)
def test_like_with_many_wildcards_is_slow_too(rule: str, is_slow: bool) -> None:
    problems = policy_problems([Rule(id="r", expression=rule)])

    assert any("open % in a row" in problem for problem in problems) is is_slow
    assert len(problems) == is_slow
