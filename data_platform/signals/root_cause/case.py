"""One incident under examination, and the form in which rules return what they find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.model.root_cause import Candidate, RuledOut, Strength
from data_platform.signals.root_cause.symptom import Symptom

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.root_cause import CauseKind
    from data_platform.signals.root_cause.place import Place, Records


@dataclass(frozen=True, kw_only=True)
class Case:
    """``origin`` is where the fault is first; ``at`` is when it became true, for a late slice the end of its grace."""

    records: Records
    origin: Place
    at: datetime

    def is_made_outside(self, place: Place) -> bool:
        """Whether its rows come from others: the platform reads deliveries of it, or only hears of it."""
        facts = self.records.facts
        return place.dataset in facts.landed or place.dataset in facts.external

    def strength(self, place: Place, explains: frozenset[Symptom]) -> Strength | None:
        """How well a change at ``place`` is linked to the fault; None if column lineage excludes it."""
        if self._shown(place) & explains:
            return Strength.SEEN
        if not place.is_mapped:
            return Strength.POSSIBLE
        return None if place.columns == frozenset() else Strength.LINKED

    def _shown(self, place: Place) -> frozenset[Symptom]:
        """Another number of rows upstream shows nothing of a fault that is not about their number."""
        is_about_rows = place is self.origin or self.origin.symptoms & OF_NUMBER
        return place.symptoms if is_about_rows else place.symptoms - OF_NUMBER


OF_NUMBER = frozenset({Symptom.COUNT, Symptom.INCOMPLETE, Symptom.DUPLICATE})


def candidate(
    kind: CauseKind, strength: Strength, place: Place, reason: str, *, at: datetime | None = None, **more: Any
) -> Candidate:
    bad = place.bad
    values = {"run_id": bad.run_id if bad else None, "dag_run_id": (bad.parent_run or None) if bad else None, **more}
    if at is None and bad is not None:
        at = bad.started_at
    return Candidate(
        kind=kind,
        strength=strength,
        dataset=place.dataset,
        partition=place.partition,
        at=at,
        reason=reason,
        depth=place.depth,
        path=place.path,
        **values,
    )


def excluded(kind: CauseKind, place: Place, reason: str, *, what: str = "") -> RuledOut:
    return RuledOut(what=what or kind.value, dataset=place.dataset, reason=reason)


def minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
