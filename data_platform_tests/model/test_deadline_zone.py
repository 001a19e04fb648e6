"""A deadline is the same instant in every zone of the database as when each minute of its days is looked at."""

from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

import pytest

from data_platform.model.deadline import due_on
from data_platform.model.freshness import Deadline

YEAR = 2025
QUARTER = timedelta(minutes=15)


@cache
def changes() -> list[tuple[str, date]]:
    """One zone for each set of clock changes of the year, with the local dates on which clocks change."""
    found: dict[tuple[object, ...], list[tuple[str, date]]] = {}
    for name in sorted(available_timezones()):
        zone, moment = ZoneInfo(name), datetime(YEAR, 1, 1, tzinfo=UTC)
        steps = []
        while moment.year == YEAR:
            after = moment + timedelta(hours=12)
            if moment.astimezone(zone).utcoffset() != after.astimezone(zone).utcoffset():
                steps.append((after, moment.astimezone(zone).utcoffset(), after.astimezone(zone).utcoffset()))
            moment = after
        if steps:
            days = {
                day
                for at, *_ in steps
                for day in (at.astimezone(zone).date(), (at - QUARTER * 48).astimezone(zone).date())
            }
            found.setdefault(tuple(steps), [(name, day) for day in sorted(days)])
    return [one for listed in found.values() for one in listed]


def by_the_clock(zone: ZoneInfo, wall: datetime) -> datetime:
    """The last instant at which the clock shows ``wall``; if it never does, the first at which it shows more."""
    moments = [wall.replace(tzinfo=UTC) - timedelta(hours=16) + QUARTER * step for step in range(32 * 4)]
    shown = [(moment.astimezone(zone).replace(tzinfo=None), moment) for moment in moments]
    same = [moment for clock, moment in shown if clock == wall]
    return same[-1] if same else min(moment for clock, moment in shown if clock > wall)


@pytest.mark.parametrize("hour", [0, 1, 2, 3])
def test_a_deadline_in_a_night_of_a_clock_change_is_what_the_clock_shows(hour: int) -> None:
    nights = changes()

    wrong = [
        (name, day, minute)
        for name, day in nights
        for minute in (0, 30)
        if due_on(Deadline(hour, minute, name, "daily"), day)
        != by_the_clock(ZoneInfo(name), datetime(day.year, day.month, day.day, hour, minute))
    ]

    assert len(nights) > 20
    assert wrong == []
