"""Findings of days that are late. A day that is older than the days examined stays late until it is there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from data_platform.model.deadline import late_after
from data_platform.model.signal import Finding, SignalKind, SignalSeverity
from data_platform.signals.lateness import find_late
from data_platform.signals.progress import find_present

if TYPE_CHECKING:
    from collections.abc import Collection

    from data_platform.model.lateness import LatePartition
    from data_platform.signals.situation import Situation


def find_late_signals(situation: Situation) -> list[Finding]:
    late = find_late(situation.policies, situation.catalog, situation.now)
    found = [_finding(one) for one in late]
    return [*found, *_still_missing(situation, {finding.key for finding in found})]


def _finding(late: LatePartition) -> Finding:
    return Finding(
        kind=SignalKind.FRESHNESS,
        dataset=late.dataset,
        partition=late.partition,
        signature=late.cause.value,
        severity=SignalSeverity(late.severity),
        occurred_at=late.late_since,
        reason=late.reason,
        upstream=late.upstream,
        details={"due": late.due.isoformat(), "watermark": late.watermark, **_missing(late)},
    )


def _missing(late: LatePartition) -> dict[str, object]:
    """What is known to be missing: declared parts, or the completion marker."""
    found: dict[str, object] = {"without": list(late.without), "marker": late.marker}
    return {name: value for name, value in found.items() if value}


def _still_missing(situation: Situation, found: Collection[tuple[str, str, str, str]]) -> list[Finding]:
    """Late days that were found before and are too old to be examined: those that are still not there."""
    old = [
        signal.finding
        for signal in situation.active_of((SignalKind.FRESHNESS,))
        if signal.finding.key not in found and _may_be_late(situation, signal.finding)
    ]
    if not old:
        return []
    urns = {finding.dataset for finding in old}
    datasets = tuple(dataset for dataset in situation.policies.datasets if dataset.urn in urns)
    since = min(finding.partition for finding in old if finding.partition is not None)
    policies = replace(situation.policies, datasets=datasets)
    present = find_present(policies, situation.catalog, since, older=(), oldest=since)
    return [one for one in old if one.partition is not None and not present.has(one.dataset, one.partition)]


def _may_be_late(situation: Situation, finding: Finding) -> bool:
    """Whether the policies of today still expect the day, by now."""
    dataset = situation.watched(finding.dataset)
    if dataset is None or dataset.policy.partition is None or finding.partition is None:
        return False
    if dataset.policy.partition.outside(finding.partition):
        return False
    late = late_after(dataset.policy, finding.partition)
    return late is not None and late <= situation.now
