"""Which partitions a dataset has: from the first on, to the last, and only those that are over in their time zone."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import dagster as dg
import pytest
from dagster._core.definitions.partitions.context import partition_loading_context
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from data_platform.model.partition import PartitionRange
from data_platform.model.partition_key import PartitionKey

NEW_YORK = ZoneInfo("America/New_York")
DAILY = PartitionRange(start=date(2025, 1, 1), time_zone="America/New_York")


@pytest.mark.parametrize("text", ["2025-13-01", "2024-12-31", "2025-1-1", "20250601", "", "2025-06-01 "])
def test_a_text_that_is_no_day_or_before_the_first_one_is_no_partition(text: str) -> None:
    with pytest.raises(ValueError, match="is not a partition"):
        DAILY.parse(text)


def test_a_day_after_the_last_one_is_no_partition() -> None:
    past = DAILY.model_copy(update={"end": date(2025, 6, 1)})

    assert past.parse("2025-06-01") == past.last == PartitionKey("2025-06-01")
    with pytest.raises(ValueError, match="it is after the last partition, 2025-06-01"):
        past.parse("2025-06-02")


def test_the_endless_date_of_tables_is_no_end() -> None:
    endless = PartitionRange(start=date(2025, 1, 1), end=date(9999, 12, 31))

    assert endless == PartitionRange(start=date(2025, 1, 1))
    assert endless.last is None


def test_a_range_does_not_end_before_it_begins() -> None:
    with pytest.raises(ValidationError, match="the last day, 2024-12-31, is before the first, 2025-01-01"):
        PartitionRange(start=date(2025, 1, 1), end=date(2024, 12, 31))


def test_a_partition_is_over_at_midnight_of_its_zone() -> None:
    """The clocks of New York went forward on that day, so it had 23 hours."""
    spring = DAILY.parse("2025-03-09")
    before, midnight = datetime(2025, 3, 10, 3, 59, tzinfo=UTC), datetime(2025, 3, 10, 4, tzinfo=UTC)

    assert not DAILY.is_over(spring, before)
    assert DAILY.is_over(spring, midnight)
    assert (DAILY.has_begun(spring.next, before), DAILY.has_begun(spring.next, midnight)) == (False, True)


@pytest.mark.parametrize(
    ("at", "key"),
    [
        pytest.param(datetime(2025, 1, 8, 2, tzinfo=NEW_YORK), "2025-01-07", id="in the night after it"),
        pytest.param(datetime(2025, 1, 8, tzinfo=NEW_YORK), "2025-01-07", id="at midnight itself"),
        pytest.param(datetime(2025, 1, 8, 2, tzinfo=ZoneInfo("Europe/Berlin")), "2025-01-06", id="of another zone"),
        pytest.param(datetime(2025, 1, 8, 4, 59, tzinfo=UTC), "2025-01-06", id="a minute before its end"),
        pytest.param(datetime(2025, 1, 1, 12, tzinfo=NEW_YORK), None, id="on the first day"),
        pytest.param(datetime(2025, 3, 9, 3, tzinfo=NEW_YORK), "2025-03-08", id="clocks go forward"),
        pytest.param(datetime(2025, 11, 2, 1, 30, tzinfo=NEW_YORK), "2025-11-01", id="clocks go back"),
        pytest.param(datetime(2025, 11, 2, 1, 30, fold=1, tzinfo=NEW_YORK), "2025-11-01", id="the hour again"),
    ],
)
def test_the_last_partition_is_the_last_day_that_is_over_in_its_zone(at: datetime, key: str | None) -> None:
    assert DAILY.last_over(at) == key


@pytest.mark.parametrize("zone", ["America/New_York", "America/Havana", "Pacific/Kiritimati", "UTC"])
@settings(deadline=None)
@given(at=st.datetimes(datetime(2025, 1, 3), datetime(2026, 1, 3), timezones=st.just(UTC)))
def test_dagster_has_the_same_last_partition(zone: str, at: datetime) -> None:
    days = dg.DailyPartitionsDefinition("2025-01-01", timezone=zone)

    with partition_loading_context(at):
        theirs = days.get_last_partition_key()

    assert theirs == PartitionRange(start=date(2025, 1, 1), time_zone=zone).last_over(at)
