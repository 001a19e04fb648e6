"""What an attempt shows that is new: signatures, errors, changed columns, another row count, a repeated delivery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model import schema_change
from data_platform.model.schema_change import ChangeKind
from data_platform.model.schema_drift import drift
from data_platform.signals.root_cause.attempt import AttemptState
from data_platform.signals.root_cause.place import ADDED
from data_platform.signals.root_cause.symptom import Effect, Symptom, effect_of_signature

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.signals.root_cause.attempt import Attempt
    from data_platform.signals.root_cause.place import Records

FEWER, MORE = 0.6, 1.7
"""Shares of the usual number of rows beyond which a batch is cut off, or was delivered twice. Source of the first: the
default threshold of volume, 40 %; a batch that came twice has two times the rows, and a busy day seldom 1.7."""


def effects_of(records: Records, bad: Attempt | None, good: Attempt | None) -> frozenset[Effect]:
    """What ``bad`` shows that ``good``, the last good attempt before it, did not."""
    if bad is None:
        return frozenset()
    before = set(good.signatures) if good else set()
    effects = {effect_of_signature(name) for name in bad.signatures if name not in before}
    if bad.errored:
        effects.add(Effect(Symptom.ERROR, (), f"GATE_RAISED:{bad.errored[0]}"))
    if bad.state is AttemptState.CRASHED:
        effects.add(Effect(Symptom.CRASHED))
    if good is not None:
        effects |= set(_of_columns(records, bad, good))
    share = rows_share(records, bad)
    if share is not None and not FEWER <= share <= MORE:
        effects.add(Effect(Symptom.COUNT))
    if repeats(records, bad) is not None:
        effects.add(Effect(Symptom.DUPLICATE))
    return frozenset(effects)


def rows_share(records: Records, attempt: Attempt) -> float | None:
    """Its rows as a share of the usual number; None if that is not known."""
    usual = records.usual_rows(attempt)
    return attempt.rows / usual if usual and attempt.rows is not None else None


def repeats(records: Records, attempt: Attempt) -> Attempt | None:
    """The earlier attempt at another partition whose delivery had the same content."""
    if not attempt.delivery:
        return None
    for one in records.attempts.get(attempt.dataset, ()):
        is_earlier = one.started_at < attempt.started_at
        if is_earlier and one.delivery == attempt.delivery and one.partition != attempt.partition:
            return one
    return None


def _of_columns(records: Records, bad: Attempt, good: Attempt) -> Iterator[Effect]:
    schemas = records.facts.schemas
    if bad.schema == good.schema or bad.schema not in schemas or good.schema not in schemas:
        return
    for change in drift(schemas[good.schema], schemas[bad.schema]):
        if change.kind is ChangeKind.ADDED or change.effect is not schema_change.Effect.NONE:
            signature = ADDED if change.kind is ChangeKind.ADDED else change.signature
            yield Effect(Symptom.SCHEMA, (change.column.lower(),), signature)
