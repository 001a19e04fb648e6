"""G3_SCHEMA: are these the agreed columns?

At bronze the files of a delivery are compared with the declared columns; at gold the candidate is compared with the
table that consumers read now. ``schema_mode`` decides which changes pass; ``schema_retyping`` finds text columns whose
values are no longer of their type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates.batch import BronzeBatch, GoldBatch, SilverBatch
from data_platform.gates.expression.visible_name import visible
from data_platform.gates.plan import GatePlan, JudgedEarly
from data_platform.gates.schema_mode import reason_of, result_of, why_unreadable
from data_platform.gates.schema_retyping import Retyping, judge_retyping, plan
from data_platform.model.schema_change import ChangeKind, Effect, SchemaChange
from data_platform.model.schema_drift import drift
from data_platform.model.schema_fingerprint import full_fingerprint
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from pyspark.sql import Column

    from data_platform.gates.batch import Batch
    from data_platform.gates.plan import Measured
    from data_platform.model.policy_bundle import SchemaPolicy
    from data_platform.model.schema import Schema

FILES_NAMED = 3
"""The number of files that a reason names; the others are counted."""

CHANGES_KEPT = 200
"""The number of changes that the metadata of a verdict has in full; the results have all of them."""


def planned(batch: Batch) -> GatePlan:
    match batch:
        case BronzeBatch():
            return DeliverySchema(batch)
        case SilverBatch():
            assert batch.columns_verdict is not None, "only a process makes columns at silver"  # noqa: S101
            return JudgedEarly(batch.columns_verdict)  # checked before the process runs
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
            stored=batch.stored,
            domains=batch.domains,
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


class GoldSchema(GatePlan):
    """The columns of the candidate, compared with those that consumers see now."""

    gate = Gate.G3_SCHEMA

    def __init__(self, batch: GoldBatch) -> None:
        self._batch = batch

    def judge(self, measured: Measured) -> Verdict:
        del measured
        batch = self._batch
        return judge_output(batch.before, batch.after, batch.bundle.schema_, batch.domains)


def judge_delivery(
    declared: Schema,
    columns_by_file: Mapping[str, Schema],
    policy: SchemaPolicy,
    *,
    unreadable: Mapping[str, str],
    renamed: Mapping[str, str] | None = None,
    stored: Callable[[], Schema | None] = lambda: None,
    domains: Mapping[str, Sequence[str]] | None = None,
) -> Verdict:
    """``columns_by_file`` maps files to their columns; ``unreadable`` maps files to the reason why they have none.

    ``stored`` reads the columns of the table into which the rows go; it is asked only if a type has changed.
    """
    results = [RuleResult.failed(f"UNREADABLE:{file}", why, rule=file) for file, why in unreadable.items()]
    changes: dict[str, tuple[SchemaChange, Schema]] = {}
    files: dict[str, list[str]] = {}
    for file, schema in columns_by_file.items():
        for change in drift(declared, schema):
            changes.setdefault(change.signature, (change, schema))
            files.setdefault(change.signature, []).append(file)
    is_retyped = any(change.kind in (ChangeKind.RETYPED, ChangeKind.WIDENED) for change, _ in changes.values())
    table = stored() if is_retyped else None
    for signature, (change, schema) in changes.items():
        where = _in_files(files[signature], len(columns_by_file))
        results.append(result_of(change, policy, where=where, why_not=why_unreadable(change, schema, table)))
    metadata = {
        "schema_fingerprint": sorted({schema.fingerprint for schema in columns_by_file.values()}),
        "full_fingerprint": sorted({full_fingerprint(schema, domains) for schema in columns_by_file.values()}),
        "renamed": dict(renamed or {}),
    }
    return _verdict(results, [change for change, _ in changes.values()], metadata)


def judge_output(
    before: Schema | None, after: Schema, policy: SchemaPolicy, domains: Mapping[str, Sequence[str]] | None = None
) -> Verdict:
    """Gold: ``after`` is the candidate's, ``before`` that of the version that consumers read, None if there is none."""
    changes = list(drift(before, after)) if before else []
    # The catalog stores equal columns once, so that the order of those that consumers see is not known.
    changes = [change for change in changes if change.kind is not ChangeKind.REORDERED or change.path]
    metadata = {"schema_fingerprint": after.fingerprint, "full_fingerprint": full_fingerprint(after, domains)}
    return _verdict([result_of(change, policy) for change in changes], changes, metadata)


def _in_files(files: Sequence[str], of: int) -> str:
    """Which of the delivery's files differ: the one that is unlike the others is the one to check."""
    named = ", ".join(visible(file) for file in files[:FILES_NAMED])
    more = f" and {len(files) - FILES_NAMED} more" if len(files) > FILES_NAMED else ""
    return f"{named}{more} of {of} files: " if of > 1 else f"{named}: "


def _verdict(results: list[RuleResult], changes: list[SchemaChange], metadata: Mapping[str, object]) -> Verdict:
    effects = {change.effect for change in changes}
    effect = next((effect for effect in (Effect.BREAKING, Effect.COMPATIBLE) if effect in effects), Effect.NONE)
    return Verdict(
        gate=Gate.G3_SCHEMA,
        outcome=Outcome.FAILED if any(result.holds for result in results) else Outcome.PASSED,
        results=tuple(results) or (RuleResult(rule="schema", signature="SCHEMA", outcome=Outcome.PASSED),),
        reason=reason_of(results),
        metadata={
            **metadata,
            "drift": effect.value,
            "changes": [str(change) for change in changes],
            "schema_changes": [change.as_json() for change in changes[:CHANGES_KEPT]],
        },
    )
