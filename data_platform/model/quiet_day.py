"""Days of which a dataset has no data: ``2025-12-24``, ``12-24`` of each year, ``Sunday``, or ``holidays``."""

from __future__ import annotations

import re
from calendar import day_name
from datetime import date
from difflib import get_close_matches

from data_platform.model.holiday import is_holiday

HOLIDAYS = "holidays"
WEEKDAYS = tuple(day_name)
_EACH_YEAR = re.compile(r"\d{2}-\d{2}", re.ASCII)
_ONCE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_LEAP_YEAR = 2000


def as_quiet_day(entry: object) -> object:
    """YAML reads ``2025-12-24`` as a date."""
    return entry.isoformat() if type(entry) is date else entry


def check_quiet_day(text: str) -> str:
    """``text``, if it has one of the forms. Raises: ValueError."""
    if text in (*WEEKDAYS, HOLIDAYS) or _is_date(text):
        return text
    near = get_close_matches(text.capitalize(), WEEKDAYS, n=1) or get_close_matches(text.lower(), [HOLIDAYS])
    hint = f"; write {near[0]}" if near else ""
    raise ValueError(
        f"{text!r} is no quiet day; expected a date such as 2025-12-24, a day of each year such as 12-24, a day of the "
        f"week such as Sunday, or holidays{hint}"
    )


def is_quiet(day: date, quiet: tuple[str, ...], calendar: str | None) -> bool:
    if not quiet:
        return False
    text = day.isoformat()
    if text in quiet or text[5:] in quiet or WEEKDAYS[day.weekday()] in quiet:
        return True
    return HOLIDAYS in quiet and calendar is not None and is_holiday(day, calendar)


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(f"{_LEAP_YEAR}-{text}" if _EACH_YEAR.fullmatch(text) else text)
    except ValueError:
        return False
    return bool(_EACH_YEAR.fullmatch(text) or _ONCE.fullmatch(text))
