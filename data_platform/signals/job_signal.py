"""Findings of jobs that ended with an error, before the deadline of what they make: our own, and those outside."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage
from data_platform.model.personal import redacted
from data_platform.model.signal import Finding, SignalKind, SignalSeverity
from data_platform.signals.progress import find_failed_jobs, find_present

if TYPE_CHECKING:
    from data_platform.model.lateness import JobRun, StageEnd
    from data_platform.model.partition_key import PartitionKey
    from data_platform.signals.situation import Situation

NEWEST_DAYS = timedelta(days=10)
_LONGEST_REASON = 300


def find_failed(situation: Situation) -> list[Finding]:
    """The last failure of a job for each day that is not there, and that no later result of a stage replaced."""
    failed: dict[tuple[str, PartitionKey], JobRun] = {}
    for dataset, partition, job in find_failed_jobs(situation.policies, situation.catalog, situation.now - NEWEST_DAYS):
        if situation.watched(dataset.urn) is not None:
            failed[dataset.urn, partition] = job
    if not failed:
        return []
    oldest = min(partition for _, partition in failed)
    urns = {urn for urn, _ in failed}
    concerned = tuple(dataset for dataset in situation.policies.datasets if dataset.urn in urns)
    policies = replace(situation.policies, datasets=concerned)
    present = find_present(policies, situation.catalog, oldest, older=(), oldest=oldest)
    ends = situation.catalog.timeliness.stage_ends(urns, since=oldest)
    return [
        _finding(urn, partition, job)
        for (urn, partition), job in sorted(failed.items())
        if not present.has(urn, partition) and not _is_replaced(job, ends.get((urn, partition)))
    ]


def _is_replaced(job: JobRun, end: StageEnd | None) -> bool:
    """Whether a later run held the day, or brought it to gold; one that has passed silver may fail again."""
    if end is None or end.finished_at < job.seen_at:
        return False
    return not end.outcome.qualifies or end.stage in (Stage.GOLD, Stage.CERTIFIED)


def _finding(urn: str, partition: PartitionKey, job: JobRun) -> Finding:
    error = (redacted(job.error).splitlines() or [""])[0][:_LONGEST_REASON]
    return Finding(
        kind=SignalKind.JOB,
        dataset=urn,
        partition=partition,
        signature="JOB_FAILED",
        severity=SignalSeverity.CRITICAL,
        occurred_at=job.seen_at,
        reason=f"the job {job.process} ended with an error" + (f": {error}" if error else ""),
        details={"job": job.process},
    )
