"""Where the fault of an incident is first: the slice of its signal, or for a late one the first that is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from data_platform.model.signal import SignalKind, SignalSeverity
from data_platform.signals.root_cause.attempt import AttemptState
from data_platform.signals.root_cause.effect import effects_of
from data_platform.signals.root_cause.place import Place
from data_platform.signals.root_cause.symptom import LATE, Effect, Symptom, effect_of_finding
from data_platform.signals.root_cause.upstream import DEEPEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.signal import Finding
    from data_platform.signals.root_cause.attempt import Attempt
    from data_platform.signals.root_cause.place import Records


class Subject(Protocol):
    """What is examined: an incident, or the root of findings before they have one."""

    @property
    def dataset(self) -> str: ...
    @property
    def partition(self) -> PartitionKey | None: ...
    @property
    def occurred_at(self) -> datetime: ...


def root_findings(records: Records, findings: Iterable[Finding], incident: Subject) -> tuple[Finding, ...]:
    """The critical signals of the slice that is first upstream, the earliest first; warnings if there are no others.

    It is the incident's own slice, unless a signal upstream of it has ended and the incident has moved on. A warning
    upstream may be a part of the story, and is met on the way.
    """
    listed = list(findings)
    critical = [finding for finding in listed if finding.severity is SignalSeverity.CRITICAL]
    unique = {(finding.key, finding.occurred_at, finding.signature): finding for finding in critical or listed}
    ordered = sorted(
        unique.values(),
        key=lambda f: (str(f.partition or ""), f.severity.value, f.occurred_at, f.key, f.signature, f.run_id or ""),
    )
    if not ordered:
        return ()
    named = {finding.dataset for finding in ordered}
    first = [f for f in ordered if not named & (records.upstream_of(f.dataset) | set(f.upstream))] or ordered
    own = [f for f in first if f.dataset == incident.dataset and f.partition == incident.partition]
    root = (own or first)[0]
    return tuple(f for f in ordered if f.dataset == root.dataset and f.partition == root.partition)


def time_of(findings: Iterable[Finding], incident: Subject) -> datetime:
    """When the fault became true: the end of the grace if the slice is late, whatever was noticed of it before."""
    listed = list(findings)
    late = [f.occurred_at for f in listed if f.kind is SignalKind.FRESHNESS]
    return min(late or [f.occurred_at for f in listed], default=incident.occurred_at)


def find_origin(records: Records, incident: Subject, findings: Sequence[Finding]) -> Place:
    """The place where the fault of ``findings``, which are of one slice, is first.

    Follows what is missing upstream of a late slice to its first; any other fault starts where it was found."""
    effects = frozenset(effect_of_finding(finding) for finding in findings)
    late = [f for f in findings if effect_of_finding(f).symptom in LATE | {Symptom.HELD}]
    has_data_fault = any(effect.symptom not in LATE | {Symptom.HELD} for effect in effects)
    at = time_of(findings, incident)
    dataset, partition = (findings[0].dataset, findings[0].partition) if findings else _subject(incident)
    path: tuple[str, ...] = (dataset,)
    if late and not has_data_fault:
        chain = max((f.upstream for f in late), key=len, default=())
        path = _missing_path(records, (dataset, *chain), partition, at)
    if len(path) > 1:
        return _late_place(records, path, partition, at, frozenset())
    if late and not has_data_fault:
        return _late_place(records, path, partition, at, effects)
    return _found_place(records, (dataset, partition), findings, effects)


def _subject(incident: Subject) -> tuple[str, PartitionKey | None]:
    return incident.dataset, incident.partition


def _missing_path(
    records: Records, path: tuple[str, ...], partition: PartitionKey | None, at: datetime
) -> tuple[str, ...]:
    """Extends the path to the first dataset upstream that was not there at ``at`` and has not begun either."""
    while len(path) < DEEPEST and not _began(records, path[-1], partition, at):
        inputs = sorted(records.facts.inputs.get(path[-1], frozenset()) - set(path))
        missing = [name for name in inputs if _is_missing(records, name, partition, at)]
        if not missing:
            break
        path = (*path, missing[0])
    return path


def _began(records: Records, dataset: str, partition: PartitionKey | None, at: datetime) -> bool:
    return any(one.started_at <= at for one in records.of_slice(dataset, partition))


def _is_missing(records: Records, dataset: str, partition: PartitionKey | None, at: datetime) -> bool:
    """Not there at ``at``, although earlier partitions were there before their successors began."""
    there = records.first_good(dataset, partition)
    if there is not None and there <= at:
        return False
    history = {one.partition for one in records.attempts.get(dataset, ()) if one.is_good}
    return partition is not None and len([one for one in history if one is not None and one < partition]) > 1


def _late_place(
    records: Records, path: tuple[str, ...], partition: PartitionKey | None, at: datetime, found: frozenset[Effect]
) -> Place:
    everything = records.of_slice(path[-1], partition)
    attempts = [one for one in everything if one.started_at <= at]
    bad = _failed(attempts, at) or (attempts[-1] if attempts else _failed(everything, at))
    good = records.good_before(bad) if bad else None
    effects = set(effects_of(records, bad, good))
    if bad is None:
        effects.add(Effect(Symptom.NOT_STARTED))
    elif bad.state is AttemptState.PARTIAL:
        effects.add(Effect(Symptom.PARTIAL))
    elif bad.state is AttemptState.RUNNING or (bad.is_good and bad.ended_at and bad.ended_at > at):
        effects |= _of_running(records, bad, at)
    if not effects:
        effects = {effect for effect in found if effect.symptom is not Symptom.HELD}
    return Place(
        dataset=path[-1],
        partition=partition,
        path=path,
        bad=bad,
        good=good,
        effects=frozenset(effects),
        columns=_columns_of(effects),
    )


def _failed(attempts: Sequence[Attempt], at: datetime) -> Attempt | None:
    """The first failed attempt since the slice was last there."""
    since_good: list[Attempt] = []
    for one in attempts:
        if one.is_good and one.ended_at is not None and one.ended_at <= at:
            since_good = []
        elif one.state in (AttemptState.HELD, AttemptState.CRASHED):
            since_good.append(one)
    return since_good[0] if since_good else None


def _of_running(records: Records, bad: Attempt, at: datetime) -> set[Effect]:
    """An attempt that takes longer than any before is slow; one that takes its usual time began too late."""
    usual = records.usual_seconds(bad)
    took = bad.seconds if bad.seconds is not None else (at - bad.started_at).total_seconds()
    return {Effect(Symptom.NOT_STARTED if usual is not None and took <= usual else Symptom.SLOW)}


def _found_place(
    records: Records, subject: tuple[str, PartitionKey | None], findings: Sequence[Finding], effects: frozenset[Effect]
) -> Place:
    bad = _shown_by(records, subject, findings)
    good = records.good_before(bad) if bad else None
    shown = {effect for effect in effects if effect.symptom is not Symptom.HELD}
    if bad is not None and (bad.state is AttemptState.HELD or not shown):
        shown |= effects_of(records, bad, good)
    return Place(
        dataset=subject[0],
        partition=subject[1],
        path=(subject[0],),
        bad=bad,
        good=good,
        effects=frozenset(shown),
        columns=_columns_of(shown),
    )


def _shown_by(
    records: Records, subject: tuple[str, PartitionKey | None], findings: Sequence[Finding]
) -> Attempt | None:
    """The first attempt at the slice that has one of the signatures; else the run that a signal names."""
    attempts = records.of_slice(*subject)
    signatures, runs = {f.signature for f in findings}, {f.run_id for f in findings}
    for one in attempts:
        if signatures & set(one.signatures):
            return one
    named = [one for one in attempts if one.run_id in runs]
    failed = [one for one in attempts if one.state in (AttemptState.HELD, AttemptState.CRASHED)]
    return next(iter(named or failed or attempts[-1:]), None)


def _columns_of(effects: Iterable[Effect]) -> frozenset[str] | None:
    """The failing columns; None if no fault names one."""
    return frozenset(column for effect in effects for column in effect.columns) or None
