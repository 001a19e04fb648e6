"""When a process is started: in the form of a deadline, ``"02:00 ET daily"``, or as a cron, ``"0 2 * * 2-6"``.

Both are wall-clock times, so they follow daylight saving time. The first form names its time zone. A cron is in the
zone of the output's days, and expresses what the first form cannot, such as the mornings after business days.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from data_platform.model.freshness import parse_deadline

_RANGES = {"minute": (0, 59), "hour": (0, 23), "day of month": (1, 31), "month": (1, 12), "day of week": (0, 7)}
_CRON = re.compile(r"[\d*,/-]+(\s+[\d*,/-]+){4}")
_PART = re.compile(r"(?:\*|(?P<first>\d{1,2})(?:-(?P<last>\d{1,2}))?)(?:/(?P<step>\d{1,2}))?")
_LONGEST_MONTH = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}


@dataclass(frozen=True)
class Schedule:
    """A five-field ``cron`` in ``time_zone`` (IANA); None means the zone of the output's days."""

    cron: str
    time_zone: str | None = None


def parse_schedule(text: str) -> Schedule:
    """Raises: ValueError, if ``text`` is neither ``HH:MM ZONE CADENCE`` nor a cron of numbers that ever occurs."""
    stripped = text.strip()
    if not _CRON.fullmatch(stripped):
        try:
            deadline = parse_deadline(stripped)
        except ValueError as error:
            raise ValueError(f"{error}, or a cron of five fields of numbers, such as '0 2 * * 2-6'") from None
        if deadline.cron is None:
            raise ValueError(f"{stripped!r} is no schedule; write daily or weekdays, or a cron such as '0 6 5 * *'")
        return Schedule(deadline.cron, deadline.time_zone)
    fields, values = stripped.split(), cron_values(stripped)
    if fields[4] == "*" and min(values[2]) > max(_LONGEST_MONTH.get(month, 31) for month in values[3]):
        raise ValueError(f"{stripped!r} never comes: no month that it names has such a day")
    if values[3] == {2} and values[2] in ({30}, {31}):  # Dagster refuses it, though the days of the week do come
        fields[2] = "*"
    return Schedule(" ".join(fields))


def cron_values(cron: str) -> list[set[int]]:
    """The minutes, hours, days of the month, months and days of the week of a cron. Raises: ValueError."""
    return [_values(field, name) for field, name in zip(cron.split(), _RANGES, strict=True)]


def _values(field: str, name: str) -> set[int]:
    low, high = _RANGES[name]
    values: set[int] = set()
    for part in field.split(","):
        match = _PART.fullmatch(part)
        if match is None or (match["step"] and match["first"] and not match["last"]):
            raise ValueError(f"{part!r} is no {name} of a cron; expected such as *, 5, 1-5 or */15")
        first = int(match["first"]) if match["first"] else low
        last = int(match["last"]) if match["last"] else (first if match["first"] else high)
        step = int(match["step"] or 1)
        if not low <= first <= last <= high or not 1 <= step <= high:
            raise ValueError(f"{part!r} is no {name} of a cron; allowed: {low} to {high}")
        values |= set(range(first, last + 1, step))
    return values
