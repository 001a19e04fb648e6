"""How far each recent partition is: what the catalog knows, by dataset and partition."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.model.internal import JOBS
from data_platform.model.lateness import Progress, SliceFacts, StageBegin
from data_platform.model.lineage import RunState
from data_platform.model.partition_key import PartitionKey
from data_platform.policies.external import ExternalAssets
from data_platform.signals.missing_marker import delivered_slices, watched_arrivals
from data_platform.stage.run_event import job_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Set
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.model.arrival import MarkerState
    from data_platform.model.group_waiting import Waiting
    from data_platform.model.lateness import JobRun
    from data_platform.policies import Dataset, Policies

_AGE = timedelta(days=14)


def find_present(
    policies: Policies, catalog: Catalog, since: PartitionKey, *, older: Iterable[Dataset], oldest: PartitionKey
) -> Progress:
    """The partitions from ``since`` on that are certified, or have arrived of an external dataset.

    Of the ``older`` datasets and of those upstream of them, the partitions from ``oldest`` on.
    """
    long = with_upstream(policies, older)
    present: dict[str, frozenset[PartitionKey]] = {}
    for first, own, external in _by_first(policies, long, since, oldest):
        present |= catalog.timeliness.certified(own, since=first)
        present |= catalog.timeliness.arrived(external, since=first)
    for urn, partition in find_incomplete(policies, catalog, min(since, oldest)):
        present[urn] = present.get(urn, frozenset()) - {partition}
    return Progress(present=present)


def find_incomplete(
    policies: Policies, catalog: Catalog, since: PartitionKey
) -> dict[tuple[str, PartitionKey], tuple[str, ...]]:
    """The partitions from ``since`` on that are there without rows of a declared part, each with such parts.

    A part that was not declared when the rows were counted is not missing; one that no producer reported is.
    """
    declared = {}
    for dataset in policies.datasets:
        freshness = dataset.policy.slo.freshness
        if freshness and freshness.parts:
            declared[dataset.urn] = (freshness.parts.values, bool(dataset.stages))
    own, external = ([urn for urn, (_, is_own) in declared.items() if is_own is wanted] for wanted in (True, False))
    rows = catalog.timeliness.parts(own, since=since) if own else {}
    rows |= catalog.timeliness.reported_parts(external, since=since) if external else {}
    found = {}
    for (urn, partition), counted in rows.items():
        values, is_own = declared[urn]
        without = tuple(value for value in values if not counted.get(value, 1 if is_own else 0))
        if without:
            found[urn, partition] = without
    return found


def find_there(
    policies: Policies, catalog: Catalog, since: PartitionKey, *, older: Iterable[Dataset], oldest: PartitionKey
) -> dict[str, dict[PartitionKey, datetime]]:
    """The same partitions, each with the time at which it was there first."""
    long = with_upstream(policies, older)
    there: dict[str, dict[PartitionKey, datetime]] = {}
    for first, own, external in _by_first(policies, long, since, oldest):
        there |= catalog.timeliness.first_certified(own, since=first)
        there |= catalog.timeliness.first_arrived(external, since=first)
    for urn, partition in find_incomplete(policies, catalog, min(since, oldest)):
        there.get(urn, {}).pop(partition, None)
    return there


def _by_first(
    policies: Policies, long: Set[str], since: PartitionKey, oldest: PartitionKey
) -> Iterator[tuple[PartitionKey, list[str], list[str]]]:
    """The first partition that is wanted, with the datasets that the platform makes, and the external ones."""
    for first, is_long in ((since, False), (oldest, True)):
        datasets = [dataset for dataset in policies.datasets if (dataset.urn in long) is is_long]
        yield (
            first,
            [dataset.urn for dataset in datasets if dataset.stages],
            [dataset.urn for dataset in datasets if not dataset.stages],
        )


def find_progress(
    policies: Policies,
    catalog: Catalog,
    present: Progress,
    missing: Iterable[Dataset],
    *,
    since: PartitionKey,
    now: datetime,
) -> Progress:
    """``present`` with what runs, what ended and what failed of ``missing`` and of the datasets upstream."""
    involved = with_upstream(policies, missing)
    producers, markers = producers_of(policies, catalog), catalog.arrivals.markers()
    waiting = {urn: producers[urn] for urn in involved if urn in producers}
    found = catalog.timeliness.legacy_jobs(waiting.values())
    return replace(
        present,
        slices=_slices(policies, catalog, involved, producers, markers, since=since, now=now),
        legacy={urn: found[process] for urn, process in waiting.items() if process in found},
        scheduler=catalog.scheduler.state(),
        arrivals=watched_arrivals(policies, involved),
        delivered=delivered_slices(markers),
    )


def _slices(
    policies: Policies,
    catalog: Catalog,
    involved: Set[str],
    producers: Mapping[str, str],
    markers: Iterable[MarkerState],
    *,
    since: PartitionKey,
    now: datetime,
) -> dict[tuple[str, PartitionKey], SliceFacts]:
    facts = catalog.timeliness
    ends = facts.stage_ends(involved, since=since)
    incomplete = find_incomplete(policies, catalog, since)
    slices = {key: SliceFacts(without=without) for key, without in incomplete.items()}
    slices |= {key: SliceFacts(last=end, without=incomplete.get(key, ())) for key, end in ends.items()}
    for one in _in_groups(catalog, involved, now):
        if one.partition is not None:
            key = (one.dataset_urn, one.partition)
            slices[key] = replace(slices.get(key, SliceFacts()), in_group=one)
    for key, begin in facts.stage_begins(now=now).items():
        slices[key] = replace(slices.get(key, SliceFacts()), running=begin)
    for dataset, job in jobs_of(policies, catalog, producers, min(now - _AGE, since.starts_at("UTC"))):
        if (partition := _partition(dataset, job)) is not None:
            key = (dataset.urn, partition)
            slices[key] = with_job(slices.get(key, SliceFacts()), dataset, job)
    for marker in markers:
        if marker.partition is not None and marker.waits_for:
            key = (marker.urn, marker.partition)
            slices[key] = replace(slices.get(key, SliceFacts()), waits_for=f"waits for {marker.waits_for}")
    return slices


def with_upstream(policies: Policies, missing: Iterable[Dataset]) -> set[str]:
    """The datasets, their inputs, the members of their publish groups, and the inputs of all these."""
    members = {urn: group.members for group in policies.groups for urn in group.members}
    found: set[str] = set()
    waiting = [dataset.urn for dataset in missing]
    while waiting:
        urn = waiting.pop()
        dataset = policies.find(urn)
        if urn not in found and dataset is not None:
            found.add(urn)
            waiting += [item.dataset for item in dataset.process.inputs] if dataset.process else []
            waiting += members.get(urn, ())
    return found


def _in_groups(catalog: Catalog, urns: Set[str], now: datetime) -> Iterator[Waiting]:
    """Versions of the datasets that passed, and wait for their publish group."""
    for urn in catalog.publications.waiting_urns():
        if urn in urns:
            yield from catalog.publications.waiting(urn, now=now)


def producers_of(policies: Policies, catalog: Catalog) -> dict[str, str]:
    """The process that made the last version of each external dataset, or that a mapping file declares for it."""
    declared = {urn: one.process for urn, one in ExternalAssets(policies).by_urn.items() if one.process}
    external = [dataset.urn for dataset in policies.datasets if not dataset.stages]
    known = catalog.timeliness.producers(external)
    return {urn: process for urn in external if (process := known.get(urn) or declared.get(urn))}


def find_failed_jobs(
    policies: Policies, catalog: Catalog, since: datetime
) -> Iterator[tuple[Dataset, PartitionKey, JobRun]]:
    """Runs of jobs from ``since`` on that failed, oldest first, each with the partition that it would have made."""
    for dataset, job in jobs_of(policies, catalog, producers_of(policies, catalog), since):
        if job.state is RunState.FAILED and (partition := _partition(dataset, job)) is not None:
            yield dataset, partition, job


def jobs_of(
    policies: Policies, catalog: Catalog, producers: Mapping[str, str], since: datetime
) -> Iterator[tuple[Dataset, JobRun]]:
    """Runs of jobs from ``since`` on that failed or have not ended, each with the dataset that it makes."""
    jobs = catalog.timeliness.unfinished_jobs(since=since)
    if not jobs:
        return
    makers: dict[str, list[Dataset]] = {}
    for dataset in policies.datasets:
        for stage in dataset.stages:
            makers.setdefault(f"{JOBS}/{job_name(dataset, stage)}", []).append(dataset)
    external = {dataset.urn: dataset for dataset in policies.datasets if not dataset.stages}
    for urn, process in producers.items():
        makers.setdefault(process, []).append(external[urn])
    for job in jobs:
        for dataset in makers.get(job.process, ()):
            yield dataset, job


def _partition(dataset: Dataset, job: JobRun) -> PartitionKey | None:
    """The partition of a job's run: that of its nominal start, or the last one that was over when it started."""
    declared = dataset.policy.partition
    if declared is None:
        return None
    if job.nominal_start is not None:
        return PartitionKey.of_nominal_start(job.nominal_start, declared.time_zone)
    return declared.last_over(job.started_at)


def with_job(facts: SliceFacts, dataset: Dataset, job: JobRun) -> SliceFacts:
    """A run of the platform's own stages is known by its intent while it runs, so that only its failure is news."""
    if job.state is RunState.FAILED:
        return replace(facts, failed_at=job.seen_at, failure=job.error or f"{job.process} ended with an error")
    if dataset.stages:
        return facts
    running = StageBegin(stage=None, run_id=job.process, started_at=job.started_at, usual_seconds=None, is_alive=True)
    return replace(facts, running=running)
