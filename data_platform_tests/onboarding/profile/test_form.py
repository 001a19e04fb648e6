"""A pattern fits the values that it was made from, leaves room where lengths vary, and is no sentence."""

import re

import pytest

from data_platform.onboarding.profile.form import Pattern, form_of, pattern_of, shown_forms


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param(("AB-1204", "XY-0001"), "[A-Z]{2}\\-[0-9]{4}", id="one length"),
        pytest.param(("7%", "100%"), "[0-9]{1,6}%", id="several lengths get room"),
        pytest.param(("N12", "N12AB"), "(?:[A-Z][0-9]{2})|(?:[A-Z][0-9]{2}[A-Z]{2})", id="two forms"),
        pytest.param(("the quick brown fox jumps over",), None, id="a sentence"),
        pytest.param(("Müller",), None, id="other alphabets"),
    ],
)
def test_the_pattern_of_values(values: tuple[str, ...], expected: str | None) -> None:
    pattern = pattern_of(dict.fromkeys(values, 10), 0.99)

    assert (pattern.regex if pattern else None) == expected
    assert pattern is None or all(re.fullmatch(pattern.regex, value) for value in values)


def test_a_rare_form_is_left_out_and_counted() -> None:
    pattern = pattern_of({"12345": 999, "x": 1}, 0.998)

    assert pattern is not None
    assert (pattern.regex, pattern.misfits) == ("[0-9]{5}", 1)


def test_letters_that_all_values_have_in_common_are_part_of_the_form() -> None:
    patients = {f"{number} patients": 2 for number in range(10, 30)}

    assert pattern_of(patients, 0.99) == Pattern("[0-9]{2}\\ patients", 0)
    assert pattern_of(patients, 0.99, may_quote=False) == Pattern("[0-9]{2}\\ [a-z]{8}", 0)


def test_numbers_that_are_given_in_turn_may_get_more_digits() -> None:
    pattern = pattern_of({"ORD-10023": 10}, 0.99, may_grow=True)

    assert pattern is not None
    assert re.fullmatch(pattern.regex, "ORD-100231")


def test_forms_show_no_value_and_none_that_a_single_row_has() -> None:
    assert form_of("Ab1-ö\t") == "Aa#-a?"
    assert shown_forms({"123": 3, "x1": 1}) == {"###": 0.75}
