"""Findings of gates: a finding for each rule that holds a day, and for each that warned in a run that passed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage
from data_platform.model.signal import Finding, SignalKind, SignalSeverity
from data_platform.model.verdict import Gate, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.model.run import RunRow
    from data_platform.model.run_warning import RunWarning
    from data_platform.model.verdict import RuleResult, Verdict
    from data_platform.signals.situation import Situation

NEWEST_DAYS = timedelta(days=10)
"""Runs that ended before are examined only if a signal of their day is active."""
MOST_RULES = 20
"""The most findings of one gate of one run: a delivery with other columns may break hundreds of rules."""

_BY_GATE = {
    Gate.G1_RESOLUTION: SignalKind.IDENTITY,
    Gate.G2_IDENTITY: SignalKind.IDENTITY,
    Gate.G3_SCHEMA: SignalKind.SCHEMA_DRIFT,
    Gate.G4_CONTRACT: SignalKind.CONTRACT,
    Gate.G5_PII: SignalKind.PERSONAL_DATA,
    Gate.DQ: SignalKind.QUALITY,
    Gate.CERTIFICATION: SignalKind.QUALITY,
}
_BY_FAILURE = {
    "VOLUME_ANOMALY": SignalKind.VOLUME,
    "ROW_COUNT": SignalKind.VOLUME,
    "EMPTY_BATCH": SignalKind.VOLUME,
}
_ANOMALIES = ("_DRIFT", "UNKNOWN_ENUM")
GATE_KINDS = frozenset({SignalKind.ANOMALY, *_BY_GATE.values(), *_BY_FAILURE.values()})


def find_warned(situation: Situation) -> list[Finding]:
    """The rules that warned in runs that passed, one finding for each column, however many new values it has.

    It is over once a rerun or a later day is without it.
    """
    active = [one for one in situation.active_of(GATE_KINDS) if one.finding.severity is SignalSeverity.WARNING]
    runs = {one.finding.run_id for one in active if one.finding.run_id is not None}
    warnings = situation.catalog.runs.warnings(since=situation.now - NEWEST_DAYS, runs=runs)
    return [
        finding_of(
            one,
            one.gate,
            one.signature,
            f"{one.signature}: {one.reason}" if one.reason else one.signature,
            severity=SignalSeverity.WARNING,
            details={"rows": one.rows},
        )
        for one in warnings
        if situation.watched(one.dataset_urn) is not None
    ]


def find_held(situation: Situation) -> list[Finding]:
    """The rules that hold a day which was not certified since, of the last days and of days with an active signal."""
    runs = situation.catalog.runs
    recent = runs.held(since=situation.now - NEWEST_DAYS)
    seen = {(run.dataset_urn, run.partition) for run in recent}
    old = {
        (signal.finding.dataset, signal.finding.partition)
        for signal in situation.active_of(GATE_KINDS)
        if signal.finding.severity is SignalSeverity.CRITICAL
    } - seen
    older = runs.held(urns={urn for urn, _ in old}) if old else ()
    held = [*recent, *(run for run in older if (run.dataset_urn, run.partition) in old)]
    watched = [run for run in held if situation.watched(run.dataset_urn) is not None]
    return [finding for run in _without_passed(situation, watched) for finding in _holding(situation, run)]


def _without_passed(situation: Situation, held: Sequence[RunRow]) -> list[RunRow]:
    """Those whose day did not pass gold since: a version that waits for its publish group is held no more."""
    partitions = [run.partition for run in held if run.partition is not None]
    if not partitions:
        return list(held)
    urns = {run.dataset_urn for run in held}
    ends = situation.catalog.timeliness.stage_ends(urns, since=min(partitions))
    passed = {key: end.finished_at for key, end in ends.items() if end.stage is Stage.GOLD and end.outcome.qualifies}
    never = datetime.min.replace(tzinfo=UTC)
    return [
        run
        for run in held
        if run.partition is None or passed.get((run.dataset_urn, run.partition), never) <= run.finished_at
    ]


def _holding(situation: Situation, run: RunRow) -> Iterator[Finding]:
    verdicts = situation.catalog.runs.verdicts(run.run_id, run.dataset_urn, run.stage)
    for verdict in verdicts:
        if verdict.judged and not verdict.outcome.qualifies:
            yield from _of_verdict(run, verdict)


def _of_verdict(run: RunRow, verdict: Verdict) -> Iterator[Finding]:
    broken = [result for result in verdict.results if result.holds]
    if not broken:
        yield finding_of(run, verdict.gate, f"{verdict.gate}:{verdict.outcome}", verdict.reason or str(verdict.outcome))
    broken.sort(key=lambda result: (-(result.rows or 0), result.signature))
    for result in broken[:MOST_RULES]:
        yield finding_of(run, verdict.gate, result.signature, result.line, details=_details(result))


def _details(result: RuleResult) -> dict[str, object]:
    return {"rows": result.rows, "errored": result.outcome is Outcome.ERRORED}


def finding_of(
    run: RunRow | RunWarning,
    gate: Gate,
    signature: str,
    reason: str,
    *,
    severity: SignalSeverity = SignalSeverity.CRITICAL,
    details: dict[str, object] | None = None,
) -> Finding:
    """A count within the signature of a row count is left out: it differs at each delivery of the same fault."""
    failure = signature.partition(":")[0]
    is_anomaly = severity is SignalSeverity.WARNING and failure.endswith(_ANOMALIES)
    kind = SignalKind.ANOMALY if is_anomaly else _BY_FAILURE.get(failure, _BY_GATE[gate])
    return Finding(
        kind=kind,
        dataset=run.dataset_urn,
        partition=run.partition,
        signature=failure if kind is SignalKind.VOLUME else signature,
        severity=severity,
        occurred_at=run.finished_at,
        reason=reason,
        run_id=run.run_id,
        gate=gate.value,
        details={"stage": run.stage.value, **(details or {})},
    )
