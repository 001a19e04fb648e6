"""Holidays are named by the code of a country, of a part of one, or of a market."""

from datetime import date

import pytest

from data_platform.model.holiday import holidays_of


@pytest.mark.parametrize(
    ("calendar", "day", "name"),
    [
        pytest.param("US", date(2013, 11, 28), "Thanksgiving Day", id="a country"),
        pytest.param("DE-BY", date(2024, 1, 6), "Epiphany", id="a part of a country"),
        pytest.param("DE", date(2024, 1, 6), None, id="the country has no such holiday"),
        pytest.param("XNYS", date(2024, 3, 29), "Good Friday", id="a market"),
    ],
)
def test_a_code_names_its_holidays(calendar: str, day: date, name: str | None) -> None:
    assert holidays_of(calendar).get(day) == name


@pytest.mark.parametrize("calendar", ["XX", "DE-ZZ", "", "us"])
def test_an_unknown_code_is_an_error(calendar: str) -> None:
    with pytest.raises(ValueError, match="is no calendar of holidays"):
        holidays_of(calendar)


def test_without_a_calendar_there_are_no_holidays() -> None:
    assert holidays_of(None) == {}
