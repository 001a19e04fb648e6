"""A column of text gets a type only if nearly all its values have it, and none of them loses a character."""

import pytest

from data_platform.onboarding.profile.text_type import type_of


def rows_of(*values: str, each: int = 10) -> dict[str, int]:
    return dict.fromkeys(values, each)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        pytest.param("amount", ("1", "-20", "300"), "int", id="whole numbers"),
        pytest.param("amount", ("1", "1234567890"), "bigint", id="large whole numbers"),
        pytest.param("amount", ("1", "1.50", "-22.125"), "decimal(8,3)", id="decimals are kept"),
        pytest.param("amount", ("1.5", "2e+10"), "double", id="exponents"),
        pytest.param("branch", ("1E5", "2E3"), "string", id="codes that look like numbers with exponents"),
        pytest.param("zip", ("01234", "99501"), "string", id="leading zeros stay text"),
        pytest.param("ZipCode", ("35233", "99501"), "string", id="a number that is named a code stays text"),
        pytest.param("amount", ("35233", "99501"), "int", id="the same numbers under another name"),
        pytest.param("id", ("1" * 18, "2" * 18), "string", id="more digits than any number type"),
        pytest.param("day", ("2025-01-31", "2024-02-29"), "date", id="dates"),
        pytest.param("day", ("2025-02-30", "2025-02-31"), "string", id="days that no calendar has"),
        pytest.param("at", ("2025-01-31 10:00:00", "2025-01-31T10:00Z"), "timestamp", id="times"),
        pytest.param("flag", ("true", "FALSE"), "boolean", id="true and false"),
        pytest.param("flag", ("Y", "N"), "string", id="letters are codes"),
        pytest.param("amount", ("nan", "NaN"), "string", id="NaN is no number"),
        pytest.param("day", ("31/01/2025", "01/02/2025"), "string", id="dates that are not read as such"),
    ],
)
def test_the_type_keeps_every_value(name: str, values: tuple[str, ...], expected: str) -> None:
    assert type_of(name, rows_of(*values)).type == expected


def test_a_few_other_values_are_misfits_and_many_make_text() -> None:
    few, many = {"1": 99, "n/a": 1}, {"1": 90, "n/a": 10}

    assert (type_of("amount", few).type, type_of("amount", few).misfits) == ("int", 1)
    assert type_of("amount", many).type == "string"
    assert "NULL, NaN or N/A is in place of a value in 10 rows" in type_of("amount", many).notes[0]


def test_mixed_forms_of_dates_are_named() -> None:
    judged = type_of("day", {"2025-01-31": 30, "31/01/2025": 20})

    assert judged.type == "string"
    assert judged.notes == ("dates are written in 2 forms: ####-##-## (30 rows), ##/##/#### (20 rows)",)


@pytest.mark.parametrize("values", [("1,50", "22,00"), ("1.234,50", "7,00"), ("1,234.50", "2,000", "7")])
def test_numbers_with_a_comma_are_named(values: tuple[str, ...]) -> None:
    judged = type_of("amount", rows_of(*values))

    assert judged.type == "string"
    assert judged.notes == ("numbers have a comma, which is not read as part of a number: ask for 1234.50",)


def test_too_few_values_have_no_type() -> None:
    assert type_of("amount", {"1": 9}).type == "string"
