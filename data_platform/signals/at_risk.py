"""Partitions that will be late, before they are: what must still run takes longer than the time until grace is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.at_risk import AtRisk
from data_platform.model.partition_key import PartitionKey
from data_platform.model.policy import DatasetStatus
from data_platform.signals.critical_path import CriticalPath
from data_platform.signals.due import WINDOW
from data_platform.signals.due_part import missing_parts, pending_parts
from data_platform.signals.progress import find_incomplete, find_present, find_progress, producers_of, with_upstream

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime, timedelta

    from data_platform.catalog import Catalog
    from data_platform.model.lateness import Progress
    from data_platform.policies import Dataset, Policies
    from data_platform.signals.due_part import PartDue


def find_at_risk(
    policies: Policies,
    catalog: Catalog,
    now: datetime,
    *,
    within: timedelta | None = None,
    present: Progress | None = None,
    recent: bool = False,
) -> tuple[AtRisk, ...]:
    """Those of the next day's deadlines, the one with the least time first; with ``within`` only of nearer ones.

    A partition that is at risk stays so until it is there or late: time that passes brings nothing nearer. ``present``
    is what ``find_present`` finds, if it was read before. With ``recent`` run times are kept between two calls.
    """
    watched = [one for one in policies.datasets if one.policy.status is DatasetStatus.ACTIVE]
    pending = [
        (one, due)
        for one in watched
        for due in pending_parts(one.policy, now)
        if within is None or due.late_since - now <= within
    ]
    if not pending:
        return ()
    since = PartitionKey.containing(now, "UTC").shifted(-WINDOW - 2)
    older = {one.urn: one for one, due in pending if due.partition < since}
    oldest = min(since, *(due.partition for _, due in pending))
    present = present or find_present(policies, catalog, since, older=older.values(), oldest=oldest)
    missing = missing_parts(pending, present, find_incomplete(policies, catalog, oldest))
    if not missing:
        return ()
    datasets = [one for one, _ in missing]
    first = min(due.partition for _, due in missing)
    progress = find_progress(policies, catalog, present, datasets, since=first, now=now)
    path = _critical_path(policies, catalog, progress, datasets, now, recent=recent)
    found = [_judged(path, dataset, due) for dataset, due in missing]
    return tuple(sorted((one for one in found if one.slack.total_seconds() < 0), key=lambda one: one.late_since))


def _critical_path(
    policies: Policies,
    catalog: Catalog,
    progress: Progress,
    datasets: Iterable[Dataset],
    now: datetime,
    *,
    recent: bool,
) -> CriticalPath:
    involved = with_upstream(policies, datasets)
    producers = {urn: process for urn, process in producers_of(policies, catalog).items() if urn in involved}
    times = catalog.timeliness.job_times(set(producers.values()))
    jobs = {urn: times[process] for urn, process in producers.items() if process in times}
    stage_times = catalog.timeliness.recent_stage_times if recent else catalog.timeliness.stage_times
    return CriticalPath(policies, progress, stage_times(involved), jobs, now)


def _judged(path: CriticalPath, dataset: Dataset, due: PartDue) -> AtRisk:
    arrival = path.arrival(dataset.urn, due.partition)
    return AtRisk(
        dataset=dataset.urn,
        partition=due.partition,
        owner_team=dataset.policy.owner_team,
        tier=dataset.policy.tier,
        due=due.due,
        late_since=due.late_since,
        expected_at=arrival.at,
        usual_at=arrival.usual_at,
        path=arrival.path,
    )
