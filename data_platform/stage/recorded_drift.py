"""The drift that the catalog has on record for a dataset: changes of its columns, and new values of its enums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.model.dataset import Stage
from data_platform.model.schema_change import ChangeKind, Effect, SchemaChange
from data_platform.model.verdict import Gate, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import RunRow
    from data_platform.model.verdict import Verdict
    from data_platform.policies import Dataset

RUNS_SEARCHED = 300
"""The number of newest stages of the dataset in which drift is searched."""

_ENUM = "UNKNOWN_ENUM:"


@dataclass(frozen=True, kw_only=True)
class RecordedDrift:
    """The drift of one run. ``others`` are broken rules of G3_SCHEMA that are no change of a schema.

    ``at_gold`` are the signatures of the changes that gold's verdict has.
    """

    run_id: str
    partition: PartitionKey | None
    changes: tuple[SchemaChange, ...]
    others: tuple[str, ...]
    at_gold: frozenset[str]


def find_drift(platform: Platform, dataset: Dataset, run_id: str | None = None) -> RecordedDrift:
    """The drift of the newest run that has some, or of ``run_id``.

    Raises:
        UsageError: No such run has recorded drift.
    """
    runs = [run for run in _recent(platform, dataset) if run_id in (None, run.run_id)]
    for run in runs:
        verdicts = {other.stage: _verdicts(platform, other) for other in runs if other.run_id == run.run_id}
        changes = {c.signature: c for of_stage in verdicts.values() for v in of_stage for c in _changes(v)}
        others = [s for v in _of_schema(verdicts) for s in v.signatures if s not in changes]
        if changes or others:
            gold = {change.signature for v in verdicts.get(Stage.GOLD, ()) for change in _changes(v)}
            return RecordedDrift(
                run_id=run.run_id,
                partition=run.partition,
                changes=tuple(changes.values()),
                others=tuple(others),
                at_gold=frozenset(gold),
            )
    which = f"run {run_id}" if run_id else f"the last {RUNS_SEARCHED} stages"
    raise UsageError(f"{dataset.urn}: no drift in {which}: see data-platform evidence list {dataset.table}")


def has_rows(platform: Platform, dataset: Dataset) -> bool:
    """Whether a stage of the dataset has passed, so that its tables have rows."""
    passed = (run for run in _recent(platform, dataset) if run.outcome is Outcome.PASSED)
    return any(run.version is not None for run in passed)


def _recent(platform: Platform, dataset: Dataset) -> tuple[RunRow, ...]:
    return platform.catalog.runs.recent(dataset.urn, limit=RUNS_SEARCHED)


def _verdicts(platform: Platform, run: RunRow) -> tuple[Verdict, ...]:
    return platform.catalog.runs.verdicts(run.run_id, run.dataset_urn, run.stage)


def _of_schema(verdicts: Mapping[Stage, Iterable[Verdict]]) -> Iterator[Verdict]:
    return (verdict for of_stage in verdicts.values() for verdict in of_stage if verdict.gate is Gate.G3_SCHEMA)


def _changes(verdict: Verdict) -> Iterator[SchemaChange]:
    if verdict.gate is Gate.G3_SCHEMA:
        for data in verdict.metadata.get("schema_changes", []):
            change = SchemaChange.from_json(data)
            if change.effect is not Effect.NONE or change.kind is ChangeKind.RENAMED:
                yield change
        return
    for signature in verdict.signatures:
        column, separator, value = signature.removeprefix(_ENUM).partition(":")
        if signature.startswith(_ENUM) and separator:
            yield SchemaChange(kind=ChangeKind.NEW_ENUM_VALUE, path=(column,), after=value, effect=Effect.COMPATIBLE)
