"""Calls that may make NaN are guarded in the text of a rule, and nothing else of it changes."""

import pytest

from data_platform.sql.finite_call import only_finite

FINITE = "if(abs({0}) < double('Infinity'), {0}, NULL)".format


@pytest.mark.parametrize(
    ("text", "guarded"),
    [
        pytest.param("Sqrt( x ) >= 0", f"{FINITE('Sqrt( x )')} >= 0", id="a function"),
        pytest.param("CAST(t AS DOUBLE) > 0", f"{FINITE('CAST(t AS DOUBLE)')} > 0", id="a cast"),
        pytest.param("`sqrt`(x) > 0", f"{FINITE('`sqrt`(x)')} > 0", id="a quoted name"),
        pytest.param("1 < exp(sqrt(x))", "1 < " + FINITE("exp(" + FINITE("sqrt(x)") + ")"), id="one within another"),
        pytest.param("cast(a AS INT) < sqrt(b)", f"cast(a AS INT) < {FINITE('sqrt(b)')}", id="beside another cast"),
    ],
)
def test_a_call_that_may_make_nan_is_guarded(text: str, guarded: str) -> None:
    assert only_finite(text) == guarded


@pytest.mark.parametrize(
    "text",
    [
        "amount > 0",
        "sqrt > 1 AND cast(a AS DECIMAL(10,2)) > 0",
        "note = 'sqrt(x)'",
        "NOT isnan(sqrt(x))",
        "sqrt('not closed",
        "a::int > 1",
    ],
)
def test_every_other_text_stays_as_it_is(text: str) -> None:
    assert only_finite(text) == text
