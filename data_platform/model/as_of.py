"""The instant of a question about the past: a time with its zone, or the end of a date."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from data_platform.model.wall_clock import instants

if TYPE_CHECKING:
    from collections.abc import Callable

EXPECTED = "expected a date such as 2013-01-31, or a time with its zone such as 2013-01-31T18:00:00+01:00"
_LAST_INSTANT = timedelta(microseconds=1)


def read_as_of(text: str) -> datetime | date:
    """Reads a time or a date in ISO form.

    Raises:
        ValueError: The text is neither.
    """
    with suppress(ValueError):
        if (day := date.fromisoformat(text)).isoformat() == text:
            return day
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a time: {EXPECTED}") from None


def instant_of(as_of: datetime | date, *, now: datetime, zone: Callable[[], str]) -> datetime:
    """The instant, in UTC. ``zone`` returns the time zone of the dataset; only a date needs it.

    Raises:
        ValueError: A time has no zone, or the instant is in the future.
    """
    if isinstance(as_of, datetime):
        if as_of.utcoffset() is None:
            raise ValueError(f"{as_of.isoformat()} has no zone: add one, such as +01:00, or Z for UTC")
        if as_of > now:
            raise ValueError(f"{as_of.isoformat()} is in the future: leave the time out to see what is certified now")
        return as_of.astimezone(UTC) if as_of.year > date.min.year else datetime.min.replace(tzinfo=UTC)
    named = zone()
    if as_of >= now.astimezone(ZoneInfo(named)).date():
        raise ValueError(f"{as_of} is not over in {named}: give a time, or leave it out to see what is certified now")
    if as_of == date.min:
        return datetime.min.replace(tzinfo=UTC)
    return instants(datetime.combine(as_of + timedelta(days=1), time()), ZoneInfo(named))[0] - _LAST_INSTANT
