"""The next tick of a schedule is the one at which Dagster starts the run."""

from datetime import UTC, datetime

import pytest
from dagster._utils.schedules import cron_string_iterator

from data_platform.model.schedule import parse_schedule
from data_platform.model.schedule_tick import next_tick

NOON = datetime(2026, 2, 15, 12, 0, tzinfo=UTC)
"""A Sunday."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("02:00 ET daily", "2026-02-16T07:00:00+00:00", id="words"),
        pytest.param("23:30 Europe/Berlin weekdays", "2026-02-16T22:30:00+00:00", id="not on a Sunday"),
        pytest.param("0 12 * * *", "2026-02-16T12:00:00+00:00", id="now is not next"),
        pytest.param("0 6 29 2 *", "2028-02-29T06:00:00+00:00", id="leap days"),
        pytest.param("30 2 8 3 *", "2026-03-08T02:30:00+00:00", id="a day of a month"),
    ],
)
def test_the_next_tick(text: str, expected: str) -> None:
    found = next_tick(parse_schedule(text), NOON)

    assert found is not None
    assert found.isoformat() == expected


@pytest.mark.parametrize("cron", ["*/15 0,12 1 1-6/2 *", "5 4 1-7 * 1", "0 0 * * 7", "59 23 31 12 *", "0 3 15 * 0-3"])
def test_dagster_agrees(cron: str) -> None:
    ticks = cron_string_iterator(NOON.timestamp() + 1, cron, "UTC")

    moment = NOON
    for _ in range(20):
        moment, theirs = next_tick(parse_schedule(cron), moment), next(ticks)
        assert moment == theirs


def test_a_time_that_clocks_skip_is_the_end_of_the_jump() -> None:
    before = datetime(2026, 3, 7, 20, tzinfo=UTC)

    assert next_tick(parse_schedule("02:30 ET daily"), before) == datetime(2026, 3, 8, 7, tzinfo=UTC)


def test_a_cron_is_in_the_zone_of_the_days() -> None:
    found = next_tick(parse_schedule("0 2 * * *"), NOON, zone="Asia/Tokyo")

    assert found == datetime(2026, 2, 15, 17, tzinfo=UTC)
