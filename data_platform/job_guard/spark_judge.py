"""Judges a Spark frame with the plans of the gates: one job, and one more each for uniqueness and references."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from data_platform.errors import NotCertifiedError
from data_platform.frame.column import require_different_names
from data_platform.frame.spark_frame import SparkFrame, in_zone
from data_platform.gates import dq
from data_platform.gates.batch import GoldBatch, SilverBatch
from data_platform.gates.contract import GoldContract, SilverContract
from data_platform.gates.expression import calendar, finite
from data_platform.gates.expression.split import split
from data_platform.gates.pii import GoldPii
from data_platform.gates.pii_plan import PiiPlan
from data_platform.gates.plan import Measured
from data_platform.job_guard.judgement import Judgement, merged, of_columns, of_metrics, unjudged
from data_platform.lake.table import schema_of
from data_platform.model.quarantine import VIOLATIONS
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict
from data_platform.sql.refusal import spark_errors

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping
    from datetime import datetime

    from pyspark.sql import Column, DataFrame

    from data_platform.model.contract import Reference
    from data_platform.policies import Dataset

ROW = "_guarded_row"
"""The row as the job made it, beside the declared columns that the rules read."""


def judge(dataset: Dataset, frame: DataFrame, references: Mapping[str, DataFrame], *, now: datetime) -> Judgement:
    """Raises: UsageError, if two columns of the frame have one name, or it has a reference that is not declared."""
    require_different_names(dataset, frame.columns)
    typed = SparkFrame(dataset, frame, references)
    with in_zone(frame.sparkSession, dataset.policy.zone):
        columns = of_columns(typed.changes())
        if not columns.passed:
            return _whole(frame, frame.count(), unjudged(columns))
        judge = _SparkJudge(dataset, typed, references, now)
        try:
            return judge.judge(columns)
        except spark_errors():
            report = typed.check()
            if not report.errors:
                raise
            return _whole(frame, report.rows, (columns, *_raised(report.errors)))


class _SparkJudge:
    def __init__(self, dataset: Dataset, typed: SparkFrame, references: Mapping[str, DataFrame], now: datetime) -> None:
        from pyspark.sql import functions as F

        self._dataset, self._typed, self._references = dataset, typed, references
        rows = typed.typed(F.struct("*").alias(ROW))
        policy, bundle, shape = dataset.policy, dataset.bundle, typed.rows.schema
        self._lite = SilverContract(
            SilverBatch(
                policy=policy,
                bundle=bundle,
                baseline=None,
                rows=rows,
                target=bundle.schema_.declared,
                now=now,
                personal=PiiPlan({}, {}, {}),
                stand_in=lambda value: F.lit(""),  # noqa: ARG005 - a job has no key for a token of the value
                flags={**finite.plan(shape), **calendar.plan(shape)},
            )
        )
        whole = GoldBatch(
            policy=policy,
            bundle=bundle,
            rows=typed.rows,
            now=now,
            before=None,
            after=schema_of(typed.rows),
            promised={},
            referenced=self._referenced,
        )
        self._full, self._pii = GoldContract(whole), GoldPii(whole)
        self._split = split(rows, self._lite.rejects)

    def judge(self, columns: Verdict) -> Judgement:
        contract, pii, metrics, rows, rejected = self._verdicts()
        return Judgement(
            rows=rows,
            rejected_rows=rejected,
            verdicts=(columns, contract, pii, metrics),
            accepted=self._split.accepted.select(f"{ROW}.*"),
            rejected=self._split.rejected.select(f"{ROW}.*", VIOLATIONS),
        )

    def _verdicts(self) -> tuple[Verdict, Verdict, Verdict, int, int]:
        from pyspark.sql import functions as F

        lite, rejects = self._lite, self._lite.rejects
        kept = ~reduce(lambda a, b: a | b, rejects.values(), F.lit(False))
        measures: dict[tuple[str, Hashable], Column] = {
            **{("rejects", signature): F.count_if(flag) for signature, flag in rejects.items()},
            **{("lite", name): column for name, column in lite.measures(kept).items()},
            **{("full", name): column for name, column in self._full.measures(kept).items()},
            **{("pii", name): column for name, column in self._pii.measures(kept).items()},
            **{("dq", n): c for n, c in dq.plan(self._declared, self._dataset.bundle.dq, kept).items()},
        }
        counted = [F.count(F.lit(1)).alias("rows"), F.count_if(kept).alias("kept")]
        named = [column.alias(f"m{position}") for position, column in enumerate(measures.values())]
        [answer] = self._typed.rows.agg(*counted, *named).collect()
        rows, accepted = int(answer["rows"]), int(answer["kept"])
        found = {name: answer[f"m{position}"] for position, name in enumerate(measures)}
        written = self._split.accepted.drop(ROW)

        def measured(part: str, read: int) -> Measured:
            return Measured(
                read=read,
                accepted=accepted,
                rejected=rows - accepted,
                measures={name: value for (of, name), value in found.items() if of == part},
                broken={str(name): count for (of, name), count in found.items() if of == "rejects"},
                written=written,
            )

        contract = merged([lite.judge(measured("lite", rows)), self._full.judge(measured("full", accepted))])
        metrics = of_metrics(self._dataset, accepted, measured("dq", accepted).measures)
        return contract, self._pii.judge(measured("pii", accepted)), metrics, rows, rows - accepted

    @property
    def _declared(self) -> Any:
        return self._dataset.bundle.schema_.declared

    def _referenced(self, reference: Reference) -> tuple[DataFrame, int]:
        rows = self._references.get(reference.dataset)
        if rows is None:
            raise NotCertifiedError(f"give the rows of {reference.dataset} as references={{{reference.dataset!r}: …}}")
        return rows, 0


def _whole(frame: DataFrame, rows: int, verdicts: tuple[Verdict, ...]) -> Judgement:
    """A frame of which no row can be rejected, since its rules cannot be judged; to write it must not compute them."""
    from pyspark.sql import functions as F

    rejected = frame.limit(0).withColumn(VIOLATIONS, F.array().cast("array<string>"))
    return Judgement(rows=rows, rejected_rows=0, verdicts=verdicts, accepted=frame, rejected=rejected)


def _raised(errors: Mapping[str, str]) -> tuple[Verdict, ...]:
    """The verdicts if rules raise on a row; ``errors`` maps them to the reasons. Nothing that a job counts is known."""
    results = tuple(RuleResult.errored(signature, reason) for signature, reason in errors.items())
    reason = "not judged: a rule of the contract raised on a row"
    skipped = (Verdict(gate=gate, outcome=Outcome.SKIPPED, reason=reason) for gate in (Gate.G5_PII, Gate.DQ))
    return (Verdict(gate=Gate.G4_CONTRACT, outcome=Outcome.ERRORED, results=results), *skipped)
