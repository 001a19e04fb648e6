"""A deadline falls on days of a rhythm: daily, on weekdays, on business days, or once a month."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.model.rhythm import FORMS, parse_rhythm


def days_of(text: str, year: int, month: int, calendar: str | None = None) -> list[int]:
    rhythm, first = parse_rhythm(text), date(year, month, 1)
    days = (first + timedelta(days=number) for number in range(31))
    return [day.day for day in days if day.month == month and rhythm.falls_on(day, calendar)]


@pytest.mark.parametrize(
    ("text", "month", "calendar", "days"),
    [
        pytest.param("on day 5 monthly", (2025, 2), None, [5], id="a day"),
        pytest.param("on day 31 monthly", (2025, 2), None, [28], id="a month that is too short"),
        pytest.param("on day 29 monthly", (2024, 2), None, [29], id="a leap day"),
        pytest.param("on day 30 monthly", (2024, 2), None, [29], id="the last day of a leap year's February"),
        pytest.param("on last day monthly", (2025, 4), None, [30], id="the last day"),
        pytest.param("on last business day", (2025, 5), None, [30], id="the 31st is a Saturday"),
        pytest.param("on last business day", (2024, 3), "DE", [28], id="Good Friday is the 29th"),
        pytest.param("on business day 3", (2025, 1), None, [3], id="New Year counts without a calendar"),
        pytest.param("on business day 3", (2025, 1), "DE", [6], id="New Year is a holiday"),
        pytest.param("on business day 3 monthly", (2025, 1), "DE-BY", [7], id="and Epiphany in Bavaria"),
        pytest.param("on business day 1", (2025, 6), None, [2], id="the 1st is a Sunday"),
        pytest.param("on business day 23", (2025, 2), None, [28], id="fewer business days than that"),
        pytest.param("on business day 1", (2025, 8), "IL", [3], id="a weekend of Friday and Saturday"),
        pytest.param(
            "business days", (2025, 7), "NYSE",
            [1, 2, 3, 7, 8, 9, 10, 11, 14, 15, 16, 17, 18, 21, 22, 23, 24, 25, 28, 29, 30, 31], id="without the 4th",
        ),
    ],
)  # fmt: skip
def test_the_days_of_a_month(text: str, month: tuple[int, int], calendar: str | None, days: list[int]) -> None:
    assert days_of(text, *month, calendar) == days


@pytest.mark.parametrize(
    ("text", "near"),
    [
        pytest.param("monthly", "on day 1 monthly", id="no day"),
        pytest.param("on the 5th monthly", "on day 5 monthly", id="an ordinal"),
        pytest.param("on 3rd business day", "on business day 3", id="an ordinal of business days"),
        pytest.param("WD3", "on business day 3", id="as in a close calendar"),
        pytest.param("last workday", "on last business day", id="another word"),
        pytest.param("end of month", "on last day monthly", id="month end"),
        pytest.param("business day", "business days", id="singular"),
        pytest.param("Daily", "daily", id="a capital letter"),
        pytest.param("weekday", "weekdays", id="one weekday"),
    ],
)
def test_an_error_names_the_nearest_form(text: str, near: str) -> None:
    with pytest.raises(ValueError, match=f"is not a cadence; allowed: daily, .*; write '{near}'$"):
        parse_rhythm(text)

    assert parse_rhythm(near)


@pytest.mark.parametrize("text", ["on day 0 monthly", "on day 32 monthly", "on business day 24", "on business day 0"])
def test_a_number_that_no_month_has_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"never comes; the number of a day is 1 to (31|23)$"):
        parse_rhythm(text)


@given(
    text=st.one_of(
        st.integers(1, 31).map(lambda day: f"on day {day} monthly"),
        st.integers(1, 23).map(lambda day: f"on business day {day}"),
        st.sampled_from([form for form in FORMS if form.startswith("on")]),
    ),
    month=st.dates(date(1990, 1, 1), date(2060, 12, 1)),
    calendar=st.sampled_from([None, "US", "DE-BY", "XNYS", "IL", "CN"]),
)
def test_a_month_has_exactly_one_day(text: str, month: date, calendar: str | None) -> None:
    assert len(days_of(text, month.year, month.month, calendar)) == 1
