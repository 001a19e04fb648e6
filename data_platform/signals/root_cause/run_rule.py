"""Causes of a late partition: its job failed, was slow, stopped half-way, wrote another day, or never started."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.model.personal import redacted
from data_platform.model.root_cause import CauseKind, Strength
from data_platform.signals.root_cause.case import candidate, minute
from data_platform.signals.root_cause.symptom import Symptom

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from data_platform.model.root_cause import Candidate, RuledOut
    from data_platform.model.signal import Finding
    from data_platform.signals.root_cause.attempt import Attempt
    from data_platform.signals.root_cause.case import Case
    from data_platform.signals.root_cause.place import Place

CRASHED = frozenset({Symptom.CRASHED})
SLOW = frozenset({Symptom.SLOW})
PARTIAL = frozenset({Symptom.PARTIAL})
NOT_STARTED = frozenset({Symptom.NOT_STARTED})
NOT_THERE = frozenset({Symptom.NOT_STARTED, Symptom.ABSENT})
_LONGEST_ERROR = 300
_A_DAY = timedelta(hours=26)
"""A day with an hour more for a change of the clock, and one for a late start."""


def find_failed_job(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:  # noqa: ARG001 - rules are called alike
    bad = place.bad
    if bad is not None and Symptom.CRASHED in place.symptoms:
        first_line = (redacted(bad.error).splitlines() or [""])[0][:_LONGEST_ERROR]
        error = f": {first_line}" if first_line else ""
        reason = f"{bad.name} of {minute(bad.started_at)} failed{error}"
        yield candidate(CauseKind.JOB_FAILED, Strength.SEEN, place, reason, at=bad.ended_at or bad.started_at)


def find_slow_job(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:
    bad = place.bad
    if bad is not None and Symptom.SLOW in place.symptoms:
        seconds = bad.seconds if bad.seconds is not None else (case.at - bad.started_at).total_seconds()
        usual = case.records.usual_seconds(bad)
        longest = f"; its runs before took at most {usual / 60:.0f}" if usual is not None else ""
        reason = f"{bad.name} began at {minute(bad.started_at)} and took {seconds / 60:.0f} minutes{longest}"
        yield candidate(CauseKind.JOB_RUNNING_SLOW, Strength.SEEN, place, reason)


def find_partial_write(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:  # noqa: ARG001 - rules are called alike
    bad = place.bad
    if bad is not None and Symptom.PARTIAL in place.symptoms:
        if bad.is_good:
            without = sorted(effect.signature for effect in place.relevant if effect.symptom is Symptom.PARTIAL)
            reason = f"{bad.name} of {minute(bad.started_at)} was certified {', '.join(without)}"
        else:
            stage = bad.policies[-1][0] if bad.policies else "its last stage"
            reason = f"{bad.name} of {minute(bad.started_at)} ended after {stage}, and nothing was certified"
        yield candidate(CauseKind.PARTIAL_WRITE, Strength.SEEN, place, reason)


def find_wrong_day(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:
    """A run in place of the one that is missing wrote the day before or after again: a wrong clock or time zone."""
    other = _run_of_other_day(case, place)
    if other is not None:
        reason = f"{other.name} of {minute(other.started_at)} wrote {other.partition} again, not {place.partition}"
        yield candidate(
            CauseKind.WRONG_DAY, Strength.SEEN, place, reason, at=other.started_at, run_id=other.run_id,
            dag_run_id=other.parent_run or None,
        )  # fmt: skip


def _run_of_other_day(case: Case, place: Place) -> Attempt | None:
    if Symptom.NOT_STARTED not in place.symptoms or place.partition is None or place.bad is not None:
        return None
    beside = (place.partition.previous, place.partition.next)
    for one in reversed(case.records.attempts.get(place.dataset, ())):
        there = case.records.first_good(place.dataset, one.partition)
        is_again = there is not None and there < one.started_at
        if one.partition in beside and is_again and case.at - _A_DAY < one.started_at < case.at:
            return one
    return None


def find_missing_delivery(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:
    waits_for = _waits_for(case, place)
    if waits_for:
        yield candidate(CauseKind.NOT_DELIVERED, Strength.SEEN, place, waits_for, at=case.at)


def _waits_for(case: Case, place: Place) -> str:
    absent = sorted(effect.signature for effect in place.relevant if effect.symptom is Symptom.ABSENT)
    if absent:
        return f"nothing was delivered: {', '.join(absent)}"
    if Symptom.NOT_STARTED not in place.symptoms or place.partition is None:
        return ""
    marker = case.records.markers.get((place.dataset, place.partition))
    if marker is not None and marker.waits_for and (marker.whole_at is None or marker.whole_at > case.at):
        return f"the completion marker never came: {marker.waits_for}"
    facts = case.records.facts
    if missing := _missing_markers(facts.findings, place):
        return f"the completion marker never came: {missing[0]}"
    if place.dataset in facts.external and not facts.makers.get(place.dataset):
        return f"nobody has reported {place.partition}"
    return ""


def _missing_markers(findings: Iterable[Finding], place: Place) -> list[str]:
    """The markers that signals of the slice, or those that wait for it, found missing."""
    return sorted(
        marker
        for finding in findings
        if (marker := finding.details.get("marker"))
        and (finding.upstream or (finding.dataset,))[-1] == place.dataset
        and finding.partition == place.partition
    )


def find_untriggered(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:
    if Symptom.NOT_STARTED not in place.symptoms or _waits_for(case, place) or _run_of_other_day(case, place):
        return
    of_day = f" for {place.partition}" if place.partition else ""
    reason = f"nothing had started{of_day} by {minute(case.at)}"
    if place.bad is not None:
        reason = f"{place.bad.name} began at {minute(place.bad.started_at)}, too late for {minute(case.at)}"
    makers = sorted(case.records.facts.makers.get(place.dataset, ()))
    if makers and place.bad is None:
        reason += f"; it is made by {', '.join(makers[:3])}"
    yield candidate(CauseKind.JOB_NOT_TRIGGERED, Strength.SEEN, place, reason, at=case.at)
