"""Quiet hours follow the clocks of their zone, across midnight and in nights on which clocks change."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from data_platform.model.quiet_hours import QuietHours


def hours(start: str = "22:00", to: str = "07:00", zone: str = "Europe/Berlin") -> QuietHours:
    return QuietHours.model_validate({"from": start, "to": to, "zone": zone})


def utc(day: int, hour: int, minute: int = 0, month: int = 1) -> datetime:
    return datetime(2013, month, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "end"),
    [
        pytest.param(utc(7, 20, 59), None, id="a minute before"),
        pytest.param(utc(7, 21), utc(8, 6), id="the first instant"),
        pytest.param(utc(8, 5, 59), utc(8, 6), id="after midnight"),
        pytest.param(utc(8, 6), None, id="the end is outside"),
        pytest.param(utc(30, 22, month=3), utc(31, 5, month=3), id="the night that is an hour shorter"),
        pytest.param(utc(26, 22, month=10), utc(27, 6, month=10), id="the night that is an hour longer"),
    ],
)
def test_quiet_hours_across_midnight(now: datetime, end: datetime | None) -> None:
    assert hours().end(now) == end


def test_quiet_hours_within_a_day() -> None:
    lunch = hours("12:00", "13:00", "UTC")

    assert lunch.end(utc(7, 12, 30)) == utc(7, 13)
    assert lunch.end(utc(7, 13, 30)) is None


def test_a_time_that_the_clocks_skip_begins_after_the_jump() -> None:
    assert hours("02:30", "04:00").end(utc(31, 1, 0, month=3)) == utc(31, 2, month=3)


@pytest.mark.parametrize(
    ("start", "to", "zone"),
    [
        pytest.param("22:00", "22:00", "UTC", id="empty"),
        pytest.param("24:00", "07:00", "UTC", id="no time"),
        pytest.param("22:00", "07:00", "Mars", id="no zone"),
    ],
)
def test_wrong_hours_are_refused(start: str, to: str, zone: str) -> None:
    with pytest.raises(ValidationError):
        hours(start, to, zone)
