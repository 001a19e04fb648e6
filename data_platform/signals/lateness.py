"""The partitions that are late now, each with its cause."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from data_platform.model.lateness import LatePartition
from data_platform.model.partition_key import PartitionKey
from data_platform.model.policy import DatasetStatus
from data_platform.signals.cause import explain
from data_platform.signals.due import WINDOW
from data_platform.signals.due_part import late_parts, missing_parts
from data_platform.signals.progress import find_incomplete, find_present, find_progress
from data_platform.signals.whole_dataset import find_late_whole

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.model.lateness import Progress
    from data_platform.policies import Dataset, Policies
    from data_platform.signals.due_part import PartDue


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
    due = [(one, late) for one in watched for late in late_parts(one.policy, now)]
    if not due:
        return []
    since = PartitionKey.containing(now, "UTC").shifted(-WINDOW - 2)
    older = {dataset.urn: dataset for dataset, late in due if late.partition < since}
    oldest = min(since, *(late.partition for _, late in due))
    present = present or find_present(policies, catalog, since, older=older.values(), oldest=oldest)
    missing = missing_parts(due, present, find_incomplete(policies, catalog, oldest))
    if not missing:
        return []
    progress = find_progress(policies, catalog, present, [one for one, _ in missing], since=oldest, now=now)
    return [_late(policies, _of_parts(progress, dataset, late), dataset, late, now) for dataset, late in missing]


def _of_parts(progress: Progress, dataset: Dataset, late: PartDue) -> Progress:
    """Without the missing parts that are due later."""
    key = (dataset.urn, late.partition)
    facts = progress.slices.get(key)
    if facts is None or not facts.without:
        return progress
    due = tuple(value for value in facts.without if value in late.values)
    return replace(progress, slices={**progress.slices, key: replace(facts, without=due)})


def _late(policies: Policies, progress: Progress, dataset: Dataset, late: PartDue, now: datetime) -> LatePartition:
    explained = explain(policies, progress, dataset, late.partition, late_since=late.late_since, now=now)
    return LatePartition(
        dataset=dataset.urn,
        partition=late.partition,
        owner_team=dataset.policy.owner_team,
        tier=dataset.policy.tier,
        due=late.due,
        late_since=late.late_since,
        watermark=progress.watermark(dataset.urn),
        cause=explained.cause,
        reason=explained.reason,
        upstream=explained.upstream,
        without=explained.without or (late.values if late.is_part else ()),
        marker=explained.marker,
    )
