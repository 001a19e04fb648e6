"""Which partitions of a dataset should be there by now, and since when they are late."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from data_platform.model.deadline import due_of
from data_platform.model.partition_key import PartitionKey

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from data_platform.model.freshness import Freshness
    from data_platform.model.policy import DatasetPolicy

WINDOW = 10
"""So many newest days are examined, and all that were due at the newest deadline: an older day that is missing is a
backfill, and no news."""
AHEAD = timedelta(days=1)
"""So far ahead deadlines are compared with run times."""
_MOST = 400
"""A dataset may have no data for months, and not for more than a year."""


class DuePartition(NamedTuple):
    """``due`` is the deadline, ``late_since`` the end of its grace, both in UTC."""

    partition: PartitionKey
    due: datetime
    late_since: datetime


def pending_partitions(policy: DatasetPolicy, now: datetime) -> tuple[DuePartition, ...]:
    """Partitions that have begun, and are late within ``AHEAD``, but not yet; newest first."""
    return _declared(policy, lambda freshness, time_zone: _pending(freshness, time_zone, now))


@lru_cache(maxsize=1_000)
def _pending(freshness: Freshness, time_zone: str, now: datetime) -> tuple[DuePartition, ...]:
    partition = PartitionKey.containing(now, time_zone)
    found: list[DuePartition] = []
    for _ in range(_MOST):
        due = due_of(freshness, partition, time_zone)
        late_since = due + freshness.grace if due else None
        if due and late_since and late_since <= now:
            break
        if due and late_since and late_since <= now + AHEAD:
            found.append(DuePartition(partition, due, late_since))
        partition = partition.previous
    return tuple(found)


def due_within(policy: DatasetPolicy, since: datetime, until: datetime) -> tuple[DuePartition, ...]:
    """Partitions whose grace was over from ``since`` to ``until``, newest first."""
    return _declared(policy, lambda freshness, time_zone: _within(freshness, time_zone, since, until))


@lru_cache(maxsize=1_000)
def _within(freshness: Freshness, time_zone: str, since: datetime, until: datetime) -> tuple[DuePartition, ...]:
    partition = PartitionKey.containing(until, time_zone)
    found: list[DuePartition] = []
    for _ in range((until - since).days + _MOST):
        due = due_of(freshness, partition, time_zone)
        if due is not None and due + freshness.grace < since:
            break
        if due is not None and due + freshness.grace <= until:
            found.append(DuePartition(partition, due, due + freshness.grace))
        partition = partition.previous
    return tuple(found)


def late_partitions(policy: DatasetPolicy, now: datetime) -> tuple[DuePartition, ...]:
    """Partitions whose deadline and grace are over at ``now``, newest first.

    Empty for a dataset without a deadline or without partitions.
    """
    return _declared(policy, lambda freshness, time_zone: _newest(freshness, time_zone, now))


def _declared(
    policy: DatasetPolicy, find: Callable[[Freshness, str], tuple[DuePartition, ...]]
) -> tuple[DuePartition, ...]:
    """What ``find`` gives for the deadline and the zone of the policy, without days outside the declared ones."""
    freshness, declared = policy.slo.freshness, policy.partition
    if freshness is None or declared is None:
        return ()
    return tuple(one for one in find(freshness, declared.time_zone) if not declared.outside(one.partition))


@lru_cache(maxsize=1_000)
def _newest(freshness: Freshness, time_zone: str, now: datetime) -> tuple[DuePartition, ...]:
    """Datasets share few deadlines, and an instant of a zone takes long to compute."""
    partition = PartitionKey.containing(now, time_zone)
    found: list[DuePartition] = []
    for age in range(1, _MOST):
        partition = partition.previous
        due = due_of(freshness, partition, time_zone)
        if due is None or due + freshness.grace > now:
            continue
        if age > WINDOW and found and due < found[0].due:
            break
        found.append(DuePartition(partition, due, due + freshness.grace))
    return tuple(found)
