"""Datasets without partitions that are late: the last version is older than the last deadline but one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from data_platform.model.deadline import missed_deadline
from data_platform.model.lateness import LateCause, LatePartition, Progress, SliceFacts
from data_platform.model.policy import DatasetStatus
from data_platform.signals.cause import Explained, explain_by_runs
from data_platform.signals.missing_marker import delivered_slices, watched_arrivals
from data_platform.signals.progress import jobs_of, producers_of, with_job
from data_platform.signals.trigger import marker_that_never_came, wait_for_marker, why_not_triggered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.catalog import Catalog
    from data_platform.policies import Dataset, Policies

_AGE = timedelta(days=14)
_NEVER = datetime.min.replace(tzinfo=UTC)


def find_late_whole(policies: Policies, catalog: Catalog, now: datetime) -> list[LatePartition]:
    """``partition`` and ``watermark`` of each are None."""
    active = (one for one in policies.datasets if one.policy.status is DatasetStatus.ACTIVE)
    watched = [one for one in active if one.policy.slo.freshness and one.policy.partition is None]
    updated = catalog.timeliness.updated([one.urn for one in watched]) if watched else {}
    late = {one.urn: due for one in watched if (due := _missed(one, updated.get(one.urn), now)) is not None}
    if not late:
        return []
    facts, progress = _facts(policies, catalog, late, updated, now), _progress(policies, catalog, late)
    found = []
    for dataset in (one for one in watched if one.urn in late):
        assert dataset.policy.slo.freshness is not None, "it is watched"  # noqa: S101
        due, late_since = late[dataset.urn], late[dataset.urn] + dataset.policy.slo.freshness.grace
        explained = _explained(policies, progress, facts, dataset, late_since=late_since, now=now)
        found.append(
            LatePartition(
                dataset=dataset.urn,
                partition=None,
                owner_team=dataset.policy.owner_team,
                tier=dataset.policy.tier,
                due=due,
                late_since=late_since,
                watermark=None,
                cause=explained.cause,
                reason=explained.reason,
                upstream=explained.upstream,
                marker=explained.marker,
            )
        )
    return found


def _missed(dataset: Dataset, updated: datetime | None, now: datetime) -> datetime | None:
    freshness = dataset.policy.slo.freshness
    return missed_deadline(freshness, updated, now) if freshness else None


def _facts(
    policies: Policies,
    catalog: Catalog,
    late: Mapping[str, datetime],
    updated: Mapping[str, datetime],
    now: datetime,
) -> dict[str, SliceFacts]:
    """What happened to each late dataset since its last version."""
    ends = catalog.timeliness.whole_ends(late)
    facts = {
        urn: SliceFacts(last=ends[urn])
        if urn in ends and ends[urn].finished_at > updated.get(urn, _NEVER)
        else SliceFacts()
        for urn in late
    }
    for urn, begin in catalog.timeliness.whole_begins(now=now).items():
        if urn in facts:
            facts[urn] = replace(facts[urn], running=begin)
    for dataset, job in jobs_of(policies, catalog, producers_of(policies, catalog), now - _AGE):
        if dataset.urn in facts and job.seen_at > updated.get(dataset.urn, _NEVER):
            facts[dataset.urn] = with_job(facts[dataset.urn], dataset, job)
    _add_waiting(catalog, facts, now)
    return facts


def _add_waiting(catalog: Catalog, facts: dict[str, SliceFacts], now: datetime) -> None:
    """Adds the marker or the publish group for which each dataset waits."""
    for marker in catalog.arrivals.markers():
        if marker.urn in facts and marker.partition is None and marker.waits_for:
            facts[marker.urn] = replace(facts[marker.urn], waits_for=f"waits for {marker.waits_for}")
    for urn in catalog.publications.waiting_urns():
        for one in catalog.publications.waiting(urn, now=now) if urn in facts else ():
            facts[urn] = replace(facts[urn], in_group=one)


def _progress(policies: Policies, catalog: Catalog, late: Mapping[str, datetime]) -> Progress:
    producers = {urn: process for urn, process in producers_of(policies, catalog).items() if urn in late}
    jobs = catalog.timeliness.legacy_jobs(producers.values())
    legacy = {urn: jobs[process] for urn, process in producers.items() if process in jobs}
    return Progress(
        scheduler=catalog.scheduler.state(),
        legacy=legacy,
        arrivals=watched_arrivals(policies, late),
        delivered=delivered_slices(catalog.arrivals.markers()),
    )


def _explained(
    policies: Policies,
    progress: Progress,
    facts: Mapping[str, SliceFacts],
    dataset: Dataset,
    *,
    late_since: datetime,
    now: datetime,
) -> Explained:
    own = facts[dataset.urn]
    by_runs = explain_by_runs(own, late_since, now)
    if by_runs is not None and by_runs.cause is not LateCause.PARTIAL_WRITE:
        return by_runs
    chain: list[str] = []
    waiting: Dataset | None = dataset
    while waiting is not None:
        nearer = [urn for urn in _waits_for(waiting, facts) if urn not in (dataset.urn, *chain)]
        chain += nearer[:1]
        waiting = policies.find(nearer[0]) if nearer else None
    if chain:
        return Explained(LateCause.UPSTREAM_LATE, f"waits for {chain[-1]}", tuple(chain))
    if by_runs is not None:
        return by_runs
    waits_for = wait_for_marker(own, progress, dataset.urn, None)
    reason = why_not_triggered(
        dataset, progress, waits_for, late_since=late_since, now=now, nothing="nothing has started since"
    )
    marker = "" if own.waits_for else marker_that_never_came(dataset, progress, None, late_since=late_since, now=now)
    return Explained(LateCause.JOB_NOT_TRIGGERED, reason, marker=marker)


def _waits_for(dataset: Dataset, facts: Mapping[str, SliceFacts]) -> list[str]:
    """Late members of its group if it has passed, or late inputs if nothing has run."""
    own = facts.get(dataset.urn, SliceFacts())
    if own.in_group is not None:
        return [one.dataset_urn for one in own.in_group.missing if one.dataset_urn in facts]
    if own.running or own.last or own.failed_at or dataset.process is None:
        return []
    return sorted(item.dataset for item in dataset.process.inputs if item.dataset in facts)
