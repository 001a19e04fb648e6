"""G3_SCHEMA: are these the agreed columns?

At bronze the files of a delivery are compared with the declared columns; at gold the candidate is compared with the
table that consumers read now. A text file has no types, so a column there counts as retyped if nine in ten of its
values are not of the declared type: one bad value is a bad row, which silver quarantines; a bad column is another
schema.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from data_platform.gates.batch import BronzeBatch, GoldBatch, SilverBatch
from data_platform.gates.expression.value import expected_form, form_of, typed
from data_platform.gates.expression.visible_name import visible
from data_platform.gates.plan import GatePlan
from data_platform.model.policy_bundle import SchemaMode, SchemaPolicy
from data_platform.model.schema import Effect, Schema, SchemaChange, compare
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from pyspark.sql import Column

    from data_platform.gates.batch import Batch
    from data_platform.gates.plan import Measured

FILES_NAMED = 3
"""The number of files that a reason names; the others are counted."""

RETYPED_SHARE = 0.9
"""The share of a text column's values that must not be of the declared type for the column to count as retyped."""


@dataclass(frozen=True)
class Retyping:
    """Two counts of one text column in bronze's write: values, and those that are not of the declared type.

    ``form`` is the form of one of the latter, without any of its digits and letters.
    """

    column: str
    declared: str
    values: Column
    misfits: Column
    form: Column


def planned(batch: Batch) -> GatePlan:
    match batch:
        case BronzeBatch():
            return DeliverySchema(batch)
        case SilverBatch():
            assert batch.columns_verdict is not None, "only a process makes columns at silver"  # noqa: S101
            return ProcessSchema(batch.columns_verdict)
        case GoldBatch():
            return GoldSchema(batch)


class DeliverySchema(GatePlan):
    """The columns of each file, and the text columns whose values are no longer of their type."""

    gate = Gate.G3_SCHEMA

    def __init__(self, batch: BronzeBatch) -> None:
        self._batch = batch
        self._retypings: tuple[Retyping, ...] = ()
        self.early: Verdict = judge_delivery(
            batch.registered,
            batch.file_columns,
            batch.bundle.schema_,
            unreadable=batch.unreadable,
            renamed=batch.renamed,
        )

    def measures(self, kept: Column) -> Mapping[Hashable, Column]:
        del kept
        self._retypings = plan(self._batch.counted, self._batch.columns.names)
        measures: dict[Hashable, Column] = {}
        for item in self._retypings:
            measures["values", item.column], measures["misfits", item.column] = item.values, item.misfits
            measures["form", item.column] = item.form
        return measures

    def judge(self, measured: Measured) -> Verdict:
        measures = measured.measures
        counts = {i.column: (measures["values", i.column], measures["misfits", i.column]) for i in self._retypings}
        return judge_retyping(
            self.early, self._retypings, counts, {i.column: measures["form", i.column] for i in self._retypings}
        )


class ProcessSchema(GatePlan):
    """The columns that a process makes, checked before it runs."""

    gate = Gate.G3_SCHEMA

    def __init__(self, verdict: Verdict) -> None:
        self.early = verdict


class GoldSchema(GatePlan):
    """The columns of the candidate, compared with those that consumers see now."""

    gate = Gate.G3_SCHEMA

    def __init__(self, batch: GoldBatch) -> None:
        self._batch = batch

    def judge(self, measured: Measured) -> Verdict:
        del measured
        return judge_output(self._batch.before, self._batch.after, self._batch.bundle.schema_)


def plan(declared: Schema, present: Sequence[str]) -> tuple[Retyping, ...]:
    """The counts for a text delivery, for each declared column in ``present`` that is not itself text."""
    from pyspark.sql import functions as F

    from data_platform.gates.expression.column import quoted

    names = {name.lower(): name for name in present}
    plans = []
    for column in declared.columns:
        name = names.get(column.name.lower())
        if name is None or column.type == "string":
            continue
        mismatch = next(iter(typed(name, column.type).broken.values()), None)
        if mismatch is not None:
            has_value = F.nullif(F.trim(quoted(name)), F.lit("")).isNotNull()
            form = F.min(F.when(mismatch, form_of(quoted(name))))
            plans.append(Retyping(column.name, column.type, F.count_if(has_value), F.count_if(mismatch), form))
    return tuple(plans)


def judge_delivery(
    declared: Schema,
    columns_by_file: Mapping[str, Schema],
    policy: SchemaPolicy,
    *,
    unreadable: Mapping[str, str],
    renamed: Mapping[str, str] | None = None,
) -> Verdict:
    """``columns_by_file`` maps files to their columns; ``unreadable`` maps files to the reason why they have none."""
    results = [RuleResult.failed(f"UNREADABLE:{file}", why, rule=file) for file, why in unreadable.items()]
    changes: dict[str, SchemaChange] = {}
    files: dict[str, list[str]] = {}
    for file, schema in columns_by_file.items():
        for change in compare(declared, schema):
            changes.setdefault(change.signature, change)
            files.setdefault(change.signature, []).append(file)
    results += [_result(change, policy, _in_files(files[s], len(columns_by_file))) for s, change in changes.items()]
    fingerprints = sorted({schema.fingerprint for schema in columns_by_file.values()})
    return _verdict(
        results, list(changes.values()), {"schema_fingerprint": fingerprints, "renamed": dict(renamed or {})}
    )


def judge_retyping(
    before: Verdict,
    plans: Sequence[Retyping],
    counts: Mapping[str, tuple[int, int]],
    forms: Mapping[str, str | None] | None = None,
) -> Verdict:
    """``before`` with the text columns that were retyped.

    ``counts`` maps columns to (values, misfits), ``forms`` to the form of a value that does not fit.
    """
    results = list(before.results)
    for item in plans:
        values, misfits = counts[item.column]
        if values and misfits / values >= RETYPED_SHARE:
            declared_type = item.declared.split("(")[0].upper()
            reason = _retyped(item, values, misfits, (forms or {}).get(item.column))
            signature = f"SCHEMA_BREAK:{item.column}:{declared_type}→STRING"
            results.append(RuleResult.failed(signature, reason, rule=item.column, rows=misfits))
    failed = any(result.outcome is not Outcome.PASSED for result in results)
    return Verdict(
        gate=before.gate,
        outcome=Outcome.FAILED if failed else before.outcome,
        results=tuple(results),
        reason=before.reason or _reason(results),
        metadata=before.metadata,
    )


def _retyped(item: Retyping, values: int, misfits: int, form: str | None) -> str:
    example = f", found a form such as {form} (# for a digit, a for letters)" if form else ""
    return (
        f"column {visible(item.column)}: {misfits} of {values} values are not of type {item.declared.upper()}: "
        f"expected {expected_form(item.declared)}{example}"
    )


def judge_output(before: Schema | None, after: Schema, policy: SchemaPolicy) -> Verdict:
    """Gold: ``after`` is the candidate's, ``before`` that of the version that consumers read, None if there is none."""
    changes = list(compare(before, after)) if before else []
    return _verdict([_result(change, policy) for change in changes], changes, {"schema_fingerprint": after.fingerprint})


def allowed(change: SchemaChange, policy: SchemaPolicy) -> bool:
    """Whether the policy allows this change; a widening needs its own permission, whatever the mode."""
    if change.effect is Effect.NONE or policy.mode is SchemaMode.BREAKING:
        return True
    if change.widening:
        return policy.widening
    return change.effect is Effect.COMPATIBLE and policy.mode is SchemaMode.COMPATIBLE


def _in_files(files: Sequence[str], of: int) -> str:
    """Which of the delivery's files differ: the one that is unlike the others is the one to check."""
    named = ", ".join(visible(file) for file in files[:FILES_NAMED])
    more = f" and {len(files) - FILES_NAMED} more" if len(files) > FILES_NAMED else ""
    return f"{named}{more} of {of} files: " if of > 1 else f"{named}: "


def _result(change: SchemaChange, policy: SchemaPolicy, where: str = "") -> RuleResult:
    found = RuleResult.failed(change.signature, f"{where}{visible(str(change))}", rule=change.field)
    return replace(found, outcome=Outcome.PASSED) if allowed(change, policy) else found


def _verdict(results: list[RuleResult], changes: list[SchemaChange], metadata: Mapping[str, object]) -> Verdict:
    failed = any(result.outcome is not Outcome.PASSED for result in results)
    drift = "none"
    if changes:
        breaking = any(change.effect is Effect.BREAKING for change in changes)
        drift = "breaking" if breaking else "compatible"
    return Verdict(
        gate=Gate.G3_SCHEMA,
        outcome=Outcome.FAILED if failed else Outcome.PASSED,
        results=tuple(results) or (RuleResult(rule="schema", signature="SCHEMA", outcome=Outcome.PASSED),),
        reason=_reason(results),
        metadata={**metadata, "drift": drift, "changes": [str(change) for change in changes]},
    )


def _reason(results: Sequence[RuleResult]) -> str:
    return "; ".join(result.reason for result in results if result.outcome is not Outcome.PASSED and result.reason)
