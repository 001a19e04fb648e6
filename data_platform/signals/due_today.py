"""Every deadline of the last and of the next day: which partition is due, and whether it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.due_partition import DueOfDataset
from data_platform.model.partition_key import PartitionKey
from data_platform.model.policy import DatasetStatus
from data_platform.signals.due import AHEAD, WINDOW, due_within, late_partitions, pending_partitions
from data_platform.signals.progress import find_there

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.policies import Dataset, Policies
    from data_platform.signals.due import DuePartition

    There = Mapping[str, Mapping[PartitionKey, datetime]]


def find_due_today(
    policies: Policies, catalog: Catalog, now: datetime, there: There | None = None
) -> tuple[DueOfDataset, ...]:
    """In the order of deadlines. Drafts, deprecated datasets and those without partitions are left out.

    ``there`` is what ``find_there_now`` finds, if it was read before.
    """
    watched = [one for one in policies.datasets if one.policy.status is DatasetStatus.ACTIVE]
    due = [(dataset, one) for dataset in watched for one in _due_of(dataset, now)]
    if not due:
        return ()
    there = find_there_now(policies, catalog, now) if there is None else there
    found = [
        DueOfDataset(
            dataset=dataset.urn,
            partition=one.partition,
            due=one.due,
            late_since=one.late_since,
            there_since=there.get(dataset.urn, {}).get(one.partition),
        )
        for dataset, one in due
    ]
    return tuple(sorted(found, key=lambda one: (one.due, one.dataset, one.partition)))


def find_there_now(policies: Policies, catalog: Catalog, now: datetime) -> There:
    """The partitions that are there, of all that may be late, at risk or due, each with the time at which it was."""
    watched = [one for one in policies.datasets if one.policy.status is DatasetStatus.ACTIVE]
    due = [
        (dataset, one) for dataset in watched for one in (*late_partitions(dataset.policy, now), *_due_of(dataset, now))
    ]
    since = PartitionKey.containing(now, "UTC").shifted(-WINDOW - 2)
    older = {dataset.urn: dataset for dataset, one in due if one.partition < since}
    oldest = min([since, *(one.partition for _, one in due)])
    return find_there(policies, catalog, since, older=older.values(), oldest=oldest)


def _due_of(dataset: Dataset, now: datetime) -> tuple[DuePartition, ...]:
    return (*pending_partitions(dataset.policy, now), *due_within(dataset.policy, now - AHEAD, now))
