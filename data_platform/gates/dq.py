"""DQ: metrics of the fields of a batch, and whether the batch has rows at all.

Every declared field has its metrics recorded; those with bounds are judged, and all are compared with earlier
deliveries. All are aggregates in the stage's one write, over the rows that are kept.

A metric without values (an average over NULLs, anything over no rows) is *not computable*, which is not 0 and does not
pass. Averages are over finite values: a single Infinity would make every average Infinity.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from data_platform.gates import dq_domain, part
from data_platform.gates.batch import SilverBatch
from data_platform.gates.dq_baseline import EarlierDeliveries, with_earlier
from data_platform.gates.drift.measure import fields_of, finite
from data_platform.gates.drift.measure import plan as plan_profile
from data_platform.gates.expression.column import quoted
from data_platform.gates.plan import GatePlan
from data_platform.gates.volume.judgement import judge_rows
from data_platform.model.policy import Volume
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from pyspark.sql import Column

    from data_platform.gates.batch import Batch
    from data_platform.gates.plan import Measured
    from data_platform.model.policy_bundle import Dq, FieldMetric
    from data_platform.model.schema import Schema


def planned(batch: Batch) -> GatePlan:
    assert isinstance(batch, SilverBatch), "DQ judges silver"  # noqa: S101
    return DqPlan(batch)


class DqPlan(GatePlan):
    """Metrics of the rows that are kept; differences from earlier deliveries and new codes are warnings."""

    gate = Gate.DQ

    def __init__(self, batch: SilverBatch) -> None:
        self._batch = batch
        self._domains = dq_domain.domains_of(batch)

    def measures(self, kept: Column) -> Mapping[Hashable, Column]:
        batch = self._batch
        codes = dq_domain.plan(batch.rows, self._domains, kept, batch.stand_in) if self._domains else {}
        profile = plan_profile(batch.target, batch.bundle.dq.profile, kept, codes=_codes(batch), hidden=_hidden(batch))
        freshness = batch.policy.slo.freshness
        parts = part.plan(freshness.parts if freshness else None, kept)
        return {**plan(batch.target, batch.bundle.dq, kept), **profile, **codes, **parts}

    def judge(self, measured: Measured) -> Verdict:
        policy, volume = self._batch.bundle.dq, self._batch.policy.slo.volume
        min_rows = max(policy.min_rows, volume.min_rows_per_partition if volume else 0)
        verdict = judge(policy, rows=measured.accepted, measured=measured.measures, min_rows=min_rows)
        verdict = with_earlier(verdict, self._batch.baseline, volume, self._earlier(measured.accepted))
        codes = tuple(dq_domain.results(self._domains, measured.measures))
        parts = part.rows_of(measured.measures)
        metadata = {**verdict.metadata, "parts": parts} if parts else verdict.metadata
        return replace(verdict, results=(*verdict.results, *codes), metadata=metadata)

    def _earlier(self, rows: int) -> EarlierDeliveries | None:
        history = self._batch.history
        if history is None:
            return None
        volume = self._batch.policy.slo.volume or Volume()
        return EarlierDeliveries(judge_rows(rows, history.partition, history.rows(), volume), history.fields())


def _codes(batch: SilverBatch) -> dict[str, Sequence[str]]:
    """The known values of columns: those that the baseline learned, or that the policy lists."""
    learned: Mapping[str, Sequence[str]] = (batch.baseline and batch.baseline.enum_domains) or {}
    listed = {one.field: one.enum for one in batch.bundle.schema_.constraints if one.enum}
    return {name.lower(): codes for name, codes in {**learned, **listed}.items()}


def _hidden(batch: SilverBatch) -> frozenset[str]:
    return frozenset(name.lower() for name in batch.personal.remediated)


def plan(declared: Schema, policy: Dq, keep: Column | None = None) -> dict[Hashable, Column]:
    """Maps kind of metric and field to the aggregate.

    There is the kind ``nulls`` for every field, and those that have bounds: ``mean``, ``distinct``, ``infinite``.
    ``keep`` is true for the rows that count; None means all.
    """
    from pyspark.sql import functions as F

    keep = F.lit(True) if keep is None else keep
    measures: dict[Hashable, Column] = {
        ("nulls", column.name): F.count_if(keep & quoted(column.name).isNull()) for column in declared.columns
    }
    for metric in policy.metrics:
        column = declared.get(metric.field)
        if column is None:
            continue
        value = quoted(metric.field)
        if metric.min_mean is not None or metric.max_mean is not None:
            counted = keep & finite(value, column.type)
            measures["mean", metric.field] = F.avg(F.when(counted, value.cast("double")))
            measures["infinite", metric.field] = F.count_if(keep & value.isNotNull() & ~finite(value, column.type))
        if metric.min_distinct is not None:
            measures["distinct", metric.field] = F.approx_count_distinct(F.when(keep, value))
    return measures


def judge(policy: Dq, *, rows: int, measured: Mapping[Hashable, Any], min_rows: int) -> Verdict:
    """``rows`` is the number of rows kept; ``min_rows`` is the larger value of the bundle's and the SLO's."""
    results = [_row_count(policy, rows, min_rows)]
    for metric in policy.metrics:
        results += _judge_metric(metric, rows, measured)
    failing = [result for result in results if result.holds]
    if rows == 0 and policy.allow_empty:
        failing = []
    outcomes = {r.outcome for r in failing}
    outcome = Outcome.ERRORED if Outcome.ERRORED in outcomes else Outcome.FAILED if failing else Outcome.PASSED
    return Verdict(
        gate=Gate.DQ,
        outcome=outcome,
        results=tuple(results),
        reason="; ".join(result.reason for result in failing if result.reason),
        metadata={"rows": rows, "empty": rows == 0, "fields": fields_of(rows, measured)},
    )


def _row_count(policy: Dq, rows: int, min_rows: int) -> RuleResult:
    if rows >= min_rows or (rows == 0 and policy.allow_empty):
        return RuleResult(rule="min_rows", signature="ROW_COUNT", outcome=Outcome.PASSED, rows=rows)
    signature = "EMPTY_BATCH" if rows == 0 else f"ROW_COUNT:{rows}<{min_rows}"
    return RuleResult.failed(signature, f"row count {rows} < min_rows {min_rows}", rule="min_rows")


def _judge_metric(metric: FieldMetric, rows: int, measured: Mapping[Hashable, Any]) -> list[RuleResult]:
    results = []
    nulls = measured.get(("nulls", metric.field))
    if metric.max_null_rate is not None:
        rate = None if nulls is None or not rows else nulls / rows
        results.append(_bounded(metric, "NULL_RATE", rate, None, metric.max_null_rate))
    if metric.min_mean is not None or metric.max_mean is not None:
        infinite = measured.get(("infinite", metric.field))
        if infinite:
            signature, reason = f"NOT_FINITE:{metric.field}", f"{infinite} values are not finite"
            results.append(RuleResult.failed(signature, reason, rule=metric.field, severity=metric.severity))
        results.append(_bounded(metric, "MEAN", measured.get(("mean", metric.field)), metric.min_mean, metric.max_mean))
    if metric.min_distinct is not None:
        distinct = measured.get(("distinct", metric.field)) if rows else None
        results.append(_bounded(metric, "DISTINCT", distinct, metric.min_distinct, None))
    return results


def _bounded(metric: FieldMetric, kind: str, value: float | None, low: float | None, high: float | None) -> RuleResult:
    signature = f"{kind}:{metric.field}"
    if value is None:
        reason = f"{signature} is not computable: there is no value to compute it from"
        return RuleResult.failed(signature, reason, severity=metric.severity)
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = f"{'-∞' if low is None else low}..{'∞' if high is None else high}"
        reason = f"{signature} is {value:.6g}, allowed is {bounds}"
        return RuleResult.failed(signature, reason, severity=metric.severity)
    return RuleResult(rule=signature, signature=signature, outcome=Outcome.PASSED, severity=metric.severity)
