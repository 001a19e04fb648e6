"""The places of a day in its month, quarter and year: days of which a dataset may have more or fewer rows each time.

Payments are made on the 15th, or on the business day before it; derivatives expire on the third Friday; books are
closed on the last business days of a quarter.
"""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_ENDS = 3
_PAYMENT_DAYS = (5, 10, 15, 20, 25)
_WEEK = 7
_ONE = timedelta(days=1)
_QUARTER, _YEAR = 3, 12
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def calendar_places(day: date, holidays: Container[date] = ()) -> Iterator[str]:
    """The name of each place. A business day is a weekday that is not in ``holidays``."""
    length = calendar.monthrange(day.year, day.month)[1]
    number, to_end = day.day, length - day.day + 1
    yield f"day {number} of the month"
    yield from _in_periods(day, "day", number, to_end)
    yield f"{_WEEKDAYS[day.weekday()]} {(number - 1) // _WEEK + 1} of the month"
    if to_end <= _WEEK:
        yield f"last {_WEEKDAYS[day.weekday()]} of the month"
    if not _is_business_day(day, holidays):
        return
    after = _business_days(day + _ONE, day.replace(day=length), holidays) + 1
    before = _business_days(day.replace(day=1), day - _ONE, holidays) + 1
    if before <= _ENDS:
        yield f"business day {before} of the month"
    yield from _in_periods(day, "business day", before, after)
    yield from _payment_days(day, holidays)


def _in_periods(day: date, unit: str, number: int, to_end: int) -> Iterator[str]:
    if to_end <= _ENDS:
        yield f"{unit} {to_end} from the end of the month"
        if day.month % _QUARTER == 0:
            yield f"{unit} {to_end} from the end of the quarter"
        if day.month == _YEAR:
            yield f"{unit} {to_end} from the end of the year"
    if number <= _ENDS:
        if day.month % _QUARTER == 1:
            yield f"{unit} {number} of the quarter"
        if day.month == 1:
            yield f"{unit} {number} of the year"


def _payment_days(day: date, holidays: Container[date]) -> Iterator[str]:
    """The days of the month on which payments are due, moved to a business day."""
    for target in _PAYMENT_DAYS:
        due = day.replace(day=target)
        if due == day or (due > day and not _has_business_day(day + _ONE, due, holidays)):
            yield f"business day on or before day {target}"
        if due == day or (due < day and not _has_business_day(due, day - _ONE, holidays)):
            yield f"business day on or after day {target}"


def _is_business_day(day: date, holidays: Container[date]) -> bool:
    return day.weekday() < calendar.SATURDAY and day not in holidays


def _has_business_day(first: date, last: date, holidays: Container[date]) -> bool:
    return any(_is_business_day(first + number * _ONE, holidays) for number in range((last - first).days + 1))


def _business_days(first: date, last: date, holidays: Container[date]) -> int:
    """In the days from ``first`` to ``last``; none if ``last`` is earlier."""
    days = (last - first).days + 1
    return sum(_is_business_day(first + number * _ONE, holidays) for number in range(days))
