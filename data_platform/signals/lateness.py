"""The partitions that are late now, each with its cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.lateness import LatePartition
from data_platform.model.partition_key import PartitionKey
from data_platform.model.policy import DatasetStatus
from data_platform.signals.cause import explain
from data_platform.signals.due import WINDOW, late_partitions
from data_platform.signals.progress import find_present, find_progress
from data_platform.signals.whole_dataset import find_late_whole

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.model.lateness import Progress
    from data_platform.policies import Policies


def find_late(
    policies: Policies, catalog: Catalog, now: datetime, present: Progress | None = None
) -> tuple[LatePartition, ...]:
    """Late partitions of the last days, of all datasets with a deadline, those that are late for longest first.

    A partition is there when it was certified, or of an external dataset when it has arrived: a backfill of an older
    day makes no newer one fresh. A dataset without partitions is late as a whole. Drafts and deprecated datasets are
    not watched. ``present`` is what ``find_present`` finds, if it was read before.
    """
    late = [*_late_partitions(policies, catalog, now, present), *find_late_whole(policies, catalog, now)]
    return tuple(sorted(late, key=lambda one: (one.late_since, one.dataset)))


def _late_partitions(
    policies: Policies, catalog: Catalog, now: datetime, present: Progress | None
) -> list[LatePartition]:
    watched = [one for one in policies.datasets if one.policy.status is DatasetStatus.ACTIVE]
    due = [(one, *late) for one in watched for late in late_partitions(one.policy, now)]
    if not due:
        return []
    since = PartitionKey.containing(now, "UTC").shifted(-WINDOW - 2)
    older = {dataset.urn: dataset for dataset, partition, *_ in due if partition < since}
    oldest = min(since, *(partition for _, partition, *_ in due))
    present = present or find_present(policies, catalog, since, older=older.values(), oldest=oldest)
    missing = [item for item in due if not present.has(item[0].urn, item[1])]
    if not missing:
        return []
    late = [dataset for dataset, *_ in missing]
    progress = find_progress(policies, catalog, present, late, since=oldest, now=now)
    found = []
    for dataset, partition, deadline, late_since in missing:
        explained = explain(policies, progress, dataset, partition, late_since=late_since, now=now)
        found.append(
            LatePartition(
                dataset=dataset.urn,
                partition=partition,
                owner_team=dataset.policy.owner_team,
                tier=dataset.policy.tier,
                due=deadline,
                late_since=late_since,
                watermark=progress.watermark(dataset.urn),
                cause=explained.cause,
                reason=explained.reason,
                upstream=explained.upstream,
                without=explained.without,
                marker=explained.marker,
            )
        )
    return found
