"""A condition keeps what it names and in which order it is joined, however deep it is (case C37)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.legacy.jil.condition import Atom, Condition, Operator, State
from data_platform.legacy.jil.grammar import ConditionError, parse_condition
from data_platform_tests.legacy.example import expected

CASE = expected("C37")


def tree(condition: Condition) -> Any:
    """As the case writes it."""
    stack: list[Any] = []
    for step in condition.postfix:
        if isinstance(step, Operator):
            right, left = stack.pop(), stack.pop()
            stack.append({"op": step.value, "left": left, "right": right})
        else:
            stack.append(leaf(step))
    [whole] = stack
    return whole


def leaf(atom: Atom) -> dict[str, Any]:
    if atom.state is State.VALUE:
        return {"atom": "value", "global": atom.name, "cmp": atom.comparison, "value": atom.value}
    said = {
        "atom": atom.state.value,
        "job": atom.name,
        "instance": atom.instance,
        "lookback_raw": atom.look_back,
        "lookback_minutes": atom.look_back_minutes,
        "cmp": atom.comparison,
        "value": atom.value,
    }
    return said | ({"lookback_special": atom.look_back_word.value} if atom.look_back_word else {})


def holds(condition: Condition, states: dict[str, str]) -> bool:
    """Evaluated as the scheduler does, for the case's truth table."""
    true = {
        State.SUCCESS: {"SUCCESS"},
        State.FAILURE: {"FAILURE"},
        State.TERMINATED: {"TERMINATED"},
        State.DONE: {"SUCCESS", "FAILURE", "TERMINATED"},
        State.NOTRUNNING: {"SUCCESS", "FAILURE", "TERMINATED", "INACTIVE"},
    }
    stack: list[bool] = []
    for step in condition.postfix:
        if isinstance(step, Operator):
            right, left = stack.pop(), stack.pop()
            stack.append(left and right if step is Operator.AND else left or right)
        else:
            stack.append(states.get(step.name) in true[step.state])
    return stack.pop()


@pytest.mark.parametrize("good", CASE["good"], ids=lambda good: good["what"] or good["condition"])
def test_a_condition_is_the_tree_that_the_scheduler_reads(good: dict[str, Any]) -> None:
    condition = parse_condition(good["condition"])

    assert tree(condition) == good["tree"]
    assert list(condition.jobs) == good["predecessors"]
    assert list(condition.globals_read) == good["globals"]


@pytest.mark.parametrize("bad", CASE["bad"], ids=lambda bad: bad["why"])
def test_what_is_no_condition_is_refused_with_its_column(bad: dict[str, Any]) -> None:
    with pytest.raises(ConditionError, match=r"cannot be read at column \d+: \w"):
        parse_condition(bad["condition"])


@pytest.mark.parametrize("case", CASE["truth"], ids=lambda case: case["condition"])
def test_and_and_or_are_of_equal_rank(case: dict[str, Any]) -> None:
    assert holds(parse_condition(case["condition"]), case["states"]) is case["expected"]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        pytest.param("", 1, id="nothing"),
        pytest.param("  ", 3, id="blanks"),
        pytest.param("s(A) & & s(B)", 8, id="two operators"),
        pytest.param("& s(A)", 1, id="an operator first"),
        pytest.param("(s(A)", 1, id="the parenthesis that is not closed"),
        pytest.param("s(A))", 5, id="one that closes nothing"),
        pytest.param("()", 2, id="empty parentheses"),
        pytest.param("s(A,12.60)", 5, id="minute 60"),
        pytest.param("s(A,1.5)", 5, id="half an hour is 00.30"),
        pytest.param("s(A,99999)", 5, id="too many hours"),
        pytest.param("s(A,)", 5, id="no look-back behind the comma"),
        pytest.param("v(A,12.00) = x", 4, id="a global has no look-back"),
        pytest.param("v(A)", 5, id="a global compared with nothing"),
        pytest.param("e(A) = two", 8, id="an exit code in words"),
        pytest.param("e(A)", 5, id="an exit code compared with nothing"),
        pytest.param("s(A) = 0", 6, id="a state is not compared"),
        pytest.param("s(A B)", 5, id="a blank in a name"),
        pytest.param('s("A")', 3, id="a name in quotes"),
        pytest.param("success A", 1, id="no parentheses"),
        pytest.param("s(A) android s(B)", 6, id="a word that begins as an operator"),
    ],
)
def test_the_column_is_where_reading_stopped(text: str, column: int) -> None:
    with pytest.raises(ConditionError) as refused:
        parse_condition(text)

    assert refused.value.column == column


def test_an_error_quotes_nothing_of_the_condition() -> None:
    with pytest.raises(ConditionError) as refused:
        parse_condition('v(DB_PASSWORD) = "Example-Pw" "Example-Pw"')

    assert "Example-Pw" not in str(refused.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("s(A)&s(B)", "success( A ) AND\tsuccess(B)", id="short and long words"),
        pytest.param("((s(A))|(s(B)))", "s(A) or s(B)", id="parentheses that say nothing"),
        pytest.param("(s(A) & s(B)) | s(C)", "s(A) & s(B) | s(C)", id="the left side needs none"),
        pytest.param("s(A,12)", "s(A,12\\:00)", id="ways to write twelve hours"),
        pytest.param("s(A,0)", "s(A,00.00)", id="ways to write since the own last end"),
        pytest.param("v(X) = Y", "value(X)='Y'", id="quotes round one word"),
    ],
)
def test_one_meaning_is_written_in_one_way(one: str, other: str) -> None:
    assert str(parse_condition(one)) == str(parse_condition(other))


def test_another_order_is_another_text() -> None:
    assert str(parse_condition("s(A) | (s(B) & s(C))")) != str(parse_condition("s(A) | s(B) & s(C)"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("(" * 50_000 + "s(A)" + ")" * 50_000, id="parentheses that say nothing"),
        pytest.param("s(A)|(" * 50_000 + "s(A)" + ")" * 50_000, id="right sides in right sides"),
        pytest.param("s(A)&" * 50_000 + "s(A)", id="a long chain"),
    ],
)
def test_a_deep_condition_is_read_written_and_compared(text: str) -> None:
    condition = parse_condition(text)

    assert condition.jobs == ("A",)
    assert parse_condition(str(condition)) == condition
    assert hash(condition) == hash(parse_condition(text))


NAMES = st.text("ABCand_or.#-:$19", min_size=1, max_size=8).map(lambda name: name.replace(":", "\\:"))
BLANKS = st.sampled_from(["", " ", "  ", "\t"])


@st.composite
def atoms(draw: st.DrawFn) -> str:
    state = draw(st.sampled_from(["s", "SUCCESS", "f", "done", "t", "n", "e", "v"]))
    instance = draw(st.sampled_from(["", "^PRD"])) if state != "v" else ""
    look_back = draw(st.sampled_from(["", ",0", ", 9999", ",12.00", ",00\\:30"])) if state != "v" else ""
    compared = {"e": " >= 4", "v": draw(st.sampled_from(['="a b"', " != X", "='\"'"]))}.get(state, "")
    return f"{state}({draw(BLANKS)}{draw(NAMES)}{instance}{look_back}{draw(BLANKS)}){compared}"


def joined(left: str, operator: str, right: str, *, grouped: bool) -> str:
    text = f"{left} {operator} {right}"
    return f"({text})" if grouped else text


CONDITIONS = st.recursive(
    atoms(),
    lambda part: st.builds(joined, part, st.sampled_from(["&", "|", "and", "OR"]), part, grouped=st.booleans()),
)


@given(CONDITIONS)
def test_what_is_written_again_means_the_same(text: str) -> None:
    condition = parse_condition(text)

    again = parse_condition(str(condition))

    assert str(again) == str(condition)
    assert [(a.state, a.job, a.look_back_minutes, a.look_back_word, a.value) for a in again.atoms] == [
        (a.state, a.job, a.look_back_minutes, a.look_back_word, a.value) for a in condition.atoms
    ]
    assert [s for s in again.postfix if isinstance(s, Operator)] == [
        s for s in condition.postfix if isinstance(s, Operator)
    ]


@given(st.one_of(st.text(max_size=60), st.text("sfdtnev(),&|^\"' AB.09=!\\:", max_size=60)))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    condition, column = None, 1
    try:
        condition = parse_condition(text)
    except ConditionError as refused:
        column = refused.column

    assert 1 <= column <= len(text) + 1
    assert condition is None or str(parse_condition(str(condition))) == str(condition)
