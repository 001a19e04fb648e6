"""On which days something falls: ``daily``, ``weekdays``, ``business days``, ``on day 5 monthly``.

Deadlines fall on days of a rhythm, and data may be due of such days only. A business day is a working day of a holiday
calendar; without one, Monday to Friday. A month that is too short for its number has the last such day instead.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from functools import lru_cache

from data_platform.model.holiday import is_business_day

CRON_DAYS = {"daily": "*", "weekdays": "1-5"}
BUSINESS_DAYS = "business days"
FORMS = (
    *CRON_DAYS, BUSINESS_DAYS, "on day 5 monthly", "on last day monthly", "on business day 3", "on last business day",
)  # fmt: skip
"""One example of each form."""

_MONTHLY = re.compile(r"on (?:day (?P<day>\d{1,2})|last day) monthly", re.ASCII)
_BUSINESS = re.compile(r"on (?:business day (?P<day>\d{1,2})|last business day)(?: monthly)?", re.ASCII)
_MOST_DAYS, _MOST_BUSINESS_DAYS = 31, 23
_LAST = 0
_SATURDAY = 5


@dataclass(frozen=True)
class Rhythm:
    """Days of a kind, all of them, or the one with the place ``number`` in each month, counted from 1; 0 is the last.

    ``kind`` is ``daily``, ``weekdays`` or ``business days``.
    """

    kind: str
    number: int | None = None

    @property
    def is_monthly(self) -> bool:
        return self.number is not None

    @property
    def needs_calendar(self) -> bool:
        """Whether holidays matter to it."""
        return self.kind == BUSINESS_DAYS

    def falls_on(self, day: date, calendar: str | None) -> bool:
        if self.number is None:
            return _is_of_kind(day, self.kind, calendar)
        return day == _day_of_month(self, calendar, day.year, day.month)


@lru_cache(maxsize=256)
def parse_rhythm(text: str) -> Rhythm:
    """Raises: ValueError, if ``text`` has none of the forms."""
    if text in CRON_DAYS or text == BUSINESS_DAYS:
        return Rhythm(text)
    for form, kind, most in ((_MONTHLY, "daily", _MOST_DAYS), (_BUSINESS, BUSINESS_DAYS, _MOST_BUSINESS_DAYS)):
        match = form.fullmatch(text)
        if match is not None:
            if match["day"] is not None and not 1 <= int(match["day"]) <= most:
                raise ValueError(f"{text!r} never comes; the number of a day is 1 to {most}")
            return Rhythm(kind, int(match["day"] or _LAST))
    raise ValueError(f"{text!r} is not a cadence; allowed: {', '.join(FORMS)}{_hint(text.lower())}")


def _hint(text: str) -> str:
    """The nearest form, with the number that was written."""
    near = _near_business(text) if re.search("bus|work|[bw]d", text) else _near_month(text)
    near = near or next(iter(get_close_matches(text, FORMS, n=1)), "")
    return f"; write {near!r}" if near else ""


def _near_business(text: str) -> str:
    number = re.search(r"\d+", text)
    if number and 1 <= int(number[0]) <= _MOST_BUSINESS_DAYS:
        return f"on business day {int(number[0])}"
    return "on last business day" if "last" in text else BUSINESS_DAYS


def _near_month(text: str) -> str:
    number = re.search(r"\d+", text)
    if number:
        return f"on day {int(number[0])} monthly" if 1 <= int(number[0]) <= _MOST_DAYS else ""
    if "last" in text or "end" in text:
        return "on last day monthly" if "week" not in text else ""
    return "on day 1 monthly" if "month" in text else ""


def _is_of_kind(day: date, kind: str, calendar: str | None) -> bool:
    if kind == BUSINESS_DAYS:
        return is_business_day(day, calendar)
    return kind == "daily" or day.weekday() < _SATURDAY


@lru_cache(maxsize=4096)
def _day_of_month(rhythm: Rhythm, calendar: str | None, year: int, month: int) -> date:
    length = monthrange(year, month)[1]
    days = [date(year, month, number) for number in range(1, length + 1)]
    of_kind = [day for day in days if _is_of_kind(day, rhythm.kind, calendar)] or days
    return of_kind[-1] if not rhythm.number else of_kind[min(rhythm.number, len(of_kind)) - 1]
