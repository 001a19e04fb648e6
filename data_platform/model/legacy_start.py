"""When a legacy scheduler last started a job by the clock, and starts it next, as far as its schedule alone says so."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from data_platform.model.time_zone import is_zone
from data_platform.model.wall_clock import instants

if TYPE_CHECKING:
    from data_platform.model.legacy import LegacySchedule

_DAYS = ("mo", "tu", "we", "th", "fr", "sa", "su")
_WEEK = 8
"""Days back and ahead in which a weekly start is found, whatever the zone."""


def last_start(schedule: LegacySchedule, before: datetime) -> datetime | None:
    """In UTC. None if the start depends on a calendar, on minutes of each hour, or on the zone of the server."""
    return max((start for start in _starts(schedule, before, range(-_WEEK, 1)) if start < before), default=None)


def next_start(schedule: LegacySchedule, after: datetime) -> datetime | None:
    """In UTC. None in the same cases."""
    return min((start for start in _starts(schedule, after, range(-1, _WEEK + 1)) if start > after), default=None)


def _starts(schedule: LegacySchedule, moment: datetime, days: range) -> list[datetime]:
    """The starts on ``days``, counted from the day of ``moment`` in the zone of the schedule."""
    zone = schedule.time_zone
    if not schedule.active or not schedule.start_times or zone is None or not is_zone(zone):
        return []
    if schedule.run_calendar or schedule.exclude_calendar:
        return []
    names, clocks = {day.lower()[:2] for day in schedule.days}, _clocks(schedule)
    local = ZoneInfo(zone)
    today = moment.astimezone(local).date()
    return [
        instants(datetime.combine(day, clock), local)[0]
        for day in (today + timedelta(days=ahead) for ahead in days)
        if not names or "al" in names or _DAYS[day.weekday()] in names
        for clock in clocks
    ]


def _clocks(schedule: LegacySchedule) -> list[time]:
    """The catalog may have a schedule that another producer reported, in any text."""
    clocks = []
    for text in schedule.start_times:
        with suppress(ValueError):
            clocks.append(time.fromisoformat(text).replace(tzinfo=None))
    return clocks
