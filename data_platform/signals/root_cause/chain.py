"""The chain of evidence: incident, signal, failure signature, run, its parent run, the datasets upstream, the cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.root_cause import EvidenceKind, EvidenceStep
from data_platform.signals.root_cause.case import minute

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.model.incident import Incident
    from data_platform.model.root_cause import Candidate
    from data_platform.model.signal import Finding
    from data_platform.signals.root_cause.place import Place


def evidence_chain(
    incident: Incident, findings: Sequence[Finding], places: Sequence[Place], cause: Candidate | None
) -> tuple[EvidenceStep, ...]:
    return tuple(_steps(incident, findings, places, cause))


def _steps(
    incident: Incident, findings: Sequence[Finding], places: Sequence[Place], cause: Candidate | None
) -> Iterator[EvidenceStep]:
    yield EvidenceStep(
        kind=EvidenceKind.INCIDENT, name=str(incident.number), text=incident.title, at=incident.opened_at
    )
    by_path = {place.path: place for place in places}
    if findings:
        first = findings[0]
        subject = f"{first.dataset} {first.partition}" if first.partition else first.dataset
        text = f"{first.kind} of {subject}: {first.reason}"
        yield EvidenceStep(kind=EvidenceKind.SIGNAL, name=first.signature, text=text, at=first.occurred_at)
        if first.gate is not None:
            text = f"found by {first.gate}"
            yield EvidenceStep(kind=EvidenceKind.SIGNATURE, name=first.signature, text=text)
    path = cause.path if cause is not None else (places[0].path if places else (incident.dataset,))
    for length in range(1, len(path) + 1):
        place = by_path.get(path[:length])
        if length > 1:
            text = f"upstream of {path[length - 2]}"
            yield EvidenceStep(kind=EvidenceKind.DATASET, name=path[length - 1], text=text)
        if place is not None:
            yield from _runs(place)
    if cause is not None:
        yield EvidenceStep(kind=EvidenceKind.CAUSE, name=cause.kind.value, text=cause.reason, at=cause.at)


def _runs(place: Place) -> Iterator[EvidenceStep]:
    bad = place.bad
    if bad is None:
        return
    shown = sorted({effect.signature or effect.symptom.value for effect in place.relevant})
    since = f"; the last good run before it began at {minute(place.good.started_at)}" if place.good else ""
    text = f"{place.name}: {bad.state}{': ' + ', '.join(shown) if shown else ''}{since}"
    yield EvidenceStep(kind=EvidenceKind.RUN, name=bad.run_id, text=text, at=bad.started_at)
    if bad.parent_run:
        text = f"the run that {bad.run_id} is a part of"
        yield EvidenceStep(kind=EvidenceKind.DAG_RUN, name=bad.parent_run, text=text)
