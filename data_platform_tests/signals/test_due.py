"""Examined are the ten newest days, and all that were due at the newest deadline."""

from datetime import UTC, datetime
from typing import Any

import pytest

from data_platform.model.freshness import Freshness
from data_platform.model.partition import Partition
from data_platform.model.policy import DatasetPolicy, Slo
from data_platform.signals.due import late_partitions

NOW = datetime(2025, 6, 11, 15, 0, tzinfo=UTC)


def policy(**changes: Any) -> DatasetPolicy:
    freshness = Freshness(**{"expected_update_by": "02:00 ET daily", **changes})
    return DatasetPolicy(
        urn="ds://ops/flights",
        owner_team="ops",
        tier="TIER_1",
        slo=Slo(freshness=freshness),
        partition=Partition(key="day", start="2020-01-01", time_zone="America/New_York"),
    )


@pytest.mark.parametrize(
    ("changes", "newest", "oldest", "count"),
    [
        pytest.param({}, "2025-06-10", "2025-06-01", 10, id="daily"),
        pytest.param({"grace_period": "72h"}, "2025-06-07", "2025-06-01", 7, id="in a long grace"),
        pytest.param({"expected_update_by": "06:00 ET on day 5 monthly"}, "2025-05-31", "2025-05-01", 31, id="monthly"),
        pytest.param(
            {"expected_update_by": "06:00 ET on day 12 monthly"}, "2025-04-30", "2025-04-01", 30, id="before the next"
        ),
        pytest.param({"data_days": "on last day monthly"}, "2025-05-31", "2025-05-31", 1, id="month ends only"),
        pytest.param({"data_days": "business days"}, "2025-06-10", "2025-06-02", 7, id="no data at week ends"),
        pytest.param({"quiet_days": ["2025-06-10", "Sunday"]}, "2025-06-09", "2025-06-02", 7, id="quiet days"),
    ],
)
def test_the_days_that_are_examined(changes: dict[str, Any], newest: str, oldest: str, count: int) -> None:
    found = late_partitions(policy(**changes), NOW)

    assert (found[0].partition, found[-1].partition, len(found)) == (newest, oldest, count)
    assert all(one.late_since <= NOW for one in found)


def test_a_dataset_that_is_quiet_for_ever_has_no_late_day() -> None:
    quiet = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    assert late_partitions(policy(quiet_days=quiet), NOW) == ()
