"""Which partitions of a dataset should be there by now, and since when they are late."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from data_platform.model.deadline import first_due_after
from data_platform.model.partition_key import PartitionKey

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from data_platform.model.freshness import Deadline
    from data_platform.model.policy import DatasetPolicy

WINDOW = 10
"""So many newest days are examined: an older day that is missing is a backfill, and no news."""


class DuePartition(NamedTuple):
    """``due`` is the deadline, ``late_since`` the end of its grace, both in UTC."""

    partition: PartitionKey
    due: datetime
    late_since: datetime


def late_partitions(policy: DatasetPolicy, now: datetime) -> tuple[DuePartition, ...]:
    """Partitions whose deadline and grace are over at ``now``, newest first.

    Empty for a dataset without a deadline or without partitions.
    """
    freshness, declared = policy.slo.freshness, policy.partition
    if freshness is None or declared is None:
        return ()
    newest = _newest(freshness.deadline, freshness.grace, declared.time_zone, now)
    return tuple(one for one in newest if not declared.outside(one.partition))


@lru_cache(maxsize=1_000)
def _newest(deadline: Deadline, grace: timedelta, time_zone: str, now: datetime) -> tuple[DuePartition, ...]:
    """Datasets share few deadlines, and an instant of a zone takes long to compute."""
    partition = PartitionKey.containing(now, time_zone)
    found = []
    for _ in range(WINDOW):
        partition = partition.previous
        due = first_due_after(deadline, partition.ends_at(time_zone))
        if due + grace <= now:
            found.append(DuePartition(partition, due, due + grace))
    return tuple(found)
