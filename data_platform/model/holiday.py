"""Holidays by the code of a country, of a part of one, or of a market: ``US``, ``DE-BY``, ``XNYS`` or ``NYSE``."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from holidays import HolidayBase

_FRIDAY = 4


def holidays_of(calendar: str | None) -> Mapping[date, str]:
    """The names of holidays by date, computed as they are asked for; empty without a calendar.

    Raises:
        ValueError: No country or market has this code.
    """
    return {} if calendar is None else _calendar(calendar)


def check_calendar(calendar: str) -> str:
    """``calendar``, if it is the code of one. Raises: ValueError."""
    holidays_of(calendar)
    return calendar


def is_holiday(day: date, calendar: str) -> bool:
    return day in _shared(calendar)


def is_business_day(day: date, calendar: str | None) -> bool:
    """A working day of the calendar, which knows the weekend of its country; without one, Monday to Friday."""
    if calendar is None:
        return day.weekday() <= _FRIDAY
    return _shared(calendar).is_working_day(day)


@lru_cache(maxsize=64)
def _shared(calendar: str) -> HolidayBase:
    """Deadlines ask for single days of many years, and each year is computed once."""
    return _calendar(calendar)


def _calendar(calendar: str) -> HolidayBase:
    import holidays

    country, _, part = calendar.partition("-")  # names in one language, whatever the locale is
    try:
        if country in holidays.list_supported_financial():
            return holidays.financial_holidays(country, language="en_US")
        return holidays.country_holidays(country, subdiv=part or None, language="en_US")
    except NotImplementedError:
        raise ValueError(
            f"{calendar!r} is no calendar of holidays; expected the code of a country such as US, of a part of one "
            "such as DE-BY, or of a market such as XNYS"
        ) from None
