"""Every deadline of the last and of the next day: which partition is due, and whether it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.due_partition import DueOfDataset
from data_platform.model.partition_key import PartitionKey
from data_platform.model.policy import DatasetStatus
from data_platform.signals.due import AHEAD, WINDOW, due_within, pending_partitions

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.policies import Dataset, Policies
    from data_platform.signals.due import DuePartition


def find_due_today(policies: Policies, catalog: Catalog, now: datetime) -> tuple[DueOfDataset, ...]:
    """In the order of deadlines. Drafts, deprecated datasets and those without partitions are left out."""
    watched = [one for one in policies.datasets if one.policy.status is DatasetStatus.ACTIVE]
    due = [(dataset, one) for dataset in watched for one in _due_of(dataset, now)]
    if not due:
        return ()
    since = min(one.partition for _, one in due)
    since = min(since, PartitionKey.containing(now, "UTC").shifted(-WINDOW))
    own = [dataset.urn for dataset, _ in due if dataset.stages]
    external = [dataset.urn for dataset, _ in due if not dataset.stages]
    there = catalog.timeliness.first_certified(own, since=since)
    there |= catalog.timeliness.first_arrived(external, since=since)
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


def _due_of(dataset: Dataset, now: datetime) -> tuple[DuePartition, ...]:
    return (*pending_partitions(dataset.policy, now), *due_within(dataset.policy, now - AHEAD, now))
