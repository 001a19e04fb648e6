"""Reads row counts by day from a CSV file, for datasets whose runs the catalog does not have."""

from __future__ import annotations

import csv
from datetime import date, datetime
from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.model.partition_key import PartitionKey
from data_platform.model.volume import DeliveredRows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_MOST_ROWS = 10**15


def read_row_counts(file: Path) -> tuple[DeliveredRows, ...]:
    """The counts in the order of days. A line has a day or a time, and a number; the numbers of a day are added.

    The first line may be a header.

    Raises:
        UsageError: The file cannot be read, or a line has no day in the form 2013-01-31 or no number.
    """
    try:
        with file.open(newline="", encoding="utf-8-sig") as lines:
            counts = _counts(file, csv.reader(lines))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{file} is no CSV file in UTF-8: {error}") from None
    return tuple(DeliveredRows(PartitionKey.of_value(day), round(counts[day])) for day in sorted(counts))


def _counts(file: Path, records: Iterable[list[str]]) -> dict[date, float]:
    counts: dict[date, float] = {}
    for number, record in enumerate(records, start=1):
        if not record:
            continue
        try:
            day, rows = _day(record[0]), float(record[1])
            if not 0 <= rows <= _MOST_ROWS:
                raise ValueError(f"{record[1]} is no number of rows")
        except (ValueError, IndexError) as error:
            if number == 1:
                continue
            why = error if isinstance(error, ValueError) else "it has one column"
            raise UsageError(
                f"{file}, line {number}: {why}; expected a day such as 2013-01-31 and a number of rows"
            ) from None
        counts[day] = counts.get(day, 0) + rows
    return counts


def _day(text: str) -> date:
    return datetime.fromisoformat(text.strip()).date()
