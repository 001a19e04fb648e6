"""Causes that are in the data as they came: cut off, delivered twice, new values, personal values, broken rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.root_cause import CauseKind, Strength
from data_platform.signals.root_cause.attempt import AttemptState
from data_platform.signals.root_cause.case import candidate, minute
from data_platform.signals.root_cause.effect import FEWER, MORE, repeats, rows_share
from data_platform.signals.root_cause.symptom import Symptom

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.root_cause import Candidate, RuledOut
    from data_platform.signals.root_cause.case import Case
    from data_platform.signals.root_cause.place import Place

BY_FEWER = frozenset({Symptom.INCOMPLETE, Symptom.COUNT, Symptom.ROWS})
BY_MORE = frozenset({Symptom.DUPLICATE, Symptom.COUNT, Symptom.ROWS, Symptom.INCOMPLETE})
BY_VALUE = frozenset({Symptom.VALUE, Symptom.ROWS, Symptom.COUNT, Symptom.CRASHED})
BY_PERSON = frozenset({Symptom.PERSONAL})
BY_ROWS = frozenset({Symptom.ROWS, Symptom.IDENTITY, Symptom.INCOMPLETE, Symptom.VALUE, Symptom.DUPLICATE})
BY_GATE = frozenset({Symptom.ERROR})


def find_truncated(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:
    if place.bad is None or not case.is_made_outside(place):
        return
    named = _signatures(place, Symptom.INCOMPLETE)
    if named:
        reason = f"the delivery differs from what its sender declared: {named}"
        yield candidate(CauseKind.TRUNCATED_DELIVERY, Strength.SEEN, place, reason)
        return
    share = rows_share(case.records, place.bad)
    if share is not None and share < FEWER:
        reason = f"{place.bad.rows} rows came, {share:.0%} of the usual number"
        yield candidate(CauseKind.TRUNCATED_DELIVERY, Strength.SEEN, place, reason)


def find_duplicate(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:
    if place.bad is None or not case.is_made_outside(place):
        return
    before = repeats(case.records, place.bad)
    if before is not None:
        reason = f"the delivery has the same content as that of {before.partition}, {minute(before.started_at)}"
        yield candidate(CauseKind.DUPLICATE_DELIVERY, Strength.SEEN, place, reason)
        return
    share = rows_share(case.records, place.bad)
    is_repeated = bool(_signatures(place, Symptom.DUPLICATE))
    if is_repeated or (share is not None and share > MORE):
        rows = f", {share:.0%} of the usual number of rows" if share is not None else ""
        reason = f"rows came twice{rows}: {_signatures(place, Symptom.DUPLICATE) or 'COUNT'}"
        yield candidate(CauseKind.DUPLICATE_DELIVERY, Strength.SEEN, place, reason)


def find_new_value(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:
    named = _signatures(place, Symptom.VALUE)
    if place.bad is not None and named:
        strength = Strength.SEEN if case.is_made_outside(place) else Strength.LINKED
        reason = f"a value that is not in the column's domain, first in {place.name}: {named}"
        yield candidate(CauseKind.NEW_VALUE, strength, place, reason)


def find_personal(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:
    named = _signatures(place, Symptom.PERSONAL)
    if place.bad is not None and named:
        strength = Strength.SEEN if case.is_made_outside(place) else Strength.LINKED
        reason = f"personal values where none were before, first in {place.name}: {named}"
        yield candidate(CauseKind.PERSONAL_DATA, strength, place, reason)


def find_gate_error(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:  # noqa: ARG001 - rules are called alike
    named = _signatures(place, Symptom.ERROR)
    if place.bad is not None and named:
        reason = f"a gate could not judge the batch: {named}"
        yield candidate(CauseKind.GATE_ERROR, Strength.SEEN, place, reason)


def find_broken_rows(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:
    """Only of a batch that was held: a warning alone is no cause."""
    named = ", ".join(_signatures(place, symptom) for symptom in sorted(BY_ROWS) if _signatures(place, symptom))
    is_held = place.bad is not None and place.bad.state is AttemptState.HELD
    if is_held and named and case.is_made_outside(place):
        reason = f"the rows came so, and neither code, policy nor columns have changed: {named}"
        yield candidate(CauseKind.BROKEN_ROWS, Strength.LINKED, place, reason)


def _signatures(place: Place, symptom: Symptom) -> str:
    named = sorted({effect.signature for effect in place.relevant if effect.symptom is symptom and effect.signature})
    return ", ".join(named)
