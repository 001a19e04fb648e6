"""The next tick of a schedule. Dagster starts the runs; this is for people who want to know when."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from data_platform.model.schedule import cron_values
from data_platform.model.wall_clock import instants

if TYPE_CHECKING:
    from datetime import date

    from data_platform.model.schedule import Schedule

_DAYS_AHEAD = 5 * 366
"""A schedule of the 29th of February ticks within these."""


def next_tick(schedule: Schedule, after: datetime, *, zone: str = "UTC") -> datetime | None:
    """In UTC; ``zone`` is that of a schedule without its own. None if none comes within five years."""
    minutes, hours, days, months, weekdays = cron_values(schedule.cron)
    _, _, any_day, _, any_weekday = (field == "*" for field in schedule.cron.split())
    local = ZoneInfo(schedule.time_zone or zone)

    def ticks_on(day: date) -> bool:
        in_month, in_week = day.day in days, day.isoweekday() % 7 in {number % 7 for number in weekdays}
        either = (in_month or in_week) if not any_day and not any_weekday else (in_month and in_week)
        return day.month in months and either

    clocks = [time(hour, minute) for hour in sorted(hours) for minute in sorted(minutes)]
    today = after.astimezone(local).date()
    for day in (today + timedelta(days=ahead) for ahead in range(-1, _DAYS_AHEAD)):
        if ticks_on(day):
            ticks = (instants(datetime.combine(day, clock), local)[0] for clock in clocks)
            found = min((tick for tick in ticks if tick > after), default=None)
            if found is not None:
                return found
    return None
