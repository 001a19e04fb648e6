"""What a stage is about to write, and the plans by which its gates judge the written rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_platform.model.enforcement import holds
from data_platform.model.stage_gate import complete
from data_platform.stage.decision import NO_DECISIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from pyspark.sql import Column, DataFrame

    from data_platform.gates.expression.split import Split
    from data_platform.gates.plan import GatePlans, Measured
    from data_platform.model.dataset import Stage
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.schema import Schema
    from data_platform.model.verdict import Severity, Verdict
    from data_platform.policies import Dataset
    from data_platform.stage.decision import Decisions


@dataclass(frozen=True)
class Attempt:
    """One run's attempt at a stage of one partition; ``partition`` is None for a dataset without partitions."""

    dataset: Dataset
    stage: Stage
    partition: PartitionKey | None
    run_id: str
    started_at: datetime

    @property
    def name(self) -> str:
        return f"{self.dataset.urn} {self.stage} {self.partition or ''}".rstrip()


@dataclass(frozen=True, kw_only=True)
class RowRules:
    """The rules that are tested on ``rows`` one by one if the write dies, to detect which of them raises.

    ``flags`` map signatures to never-NULL columns that are true where a row breaks the rule.
    """

    rows: DataFrame
    flags: Mapping[str, Column] = field(default_factory=dict)
    severities: Mapping[str, Severity] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class QuarantinePlan:
    """How rows of the batch are quarantined.

    ``batch`` returns the batch to quarantine if nothing of it is written, because of an early verdict or of a rule that
    raises; without it there are no rows. ``protect`` remediates personal values, and ``mark`` adds its violations to
    each row of a held batch. ``key`` identifies a row, so that a corrected record resolves the quarantined one.
    """

    protect: Callable[[DataFrame], DataFrame] = lambda rows: rows
    mark: Callable[[DataFrame], DataFrame] = lambda rows: rows
    batch: Callable[[], DataFrame] | None = None
    key: Sequence[str] = ()

    @property
    def whole(self) -> DataFrame | None:
        """The protected rows of ``batch``."""
        return None if self.batch is None else self.protect(self.batch())


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """``split`` is None if an early verdict holds the batch before anything is written.

    ``partition_by`` is the column of the table that holds the partition. ``not_null`` columns stay so for good.
    ``decisions`` are those of people about quarantined rows of this delivery. ``missing_inputs`` looks for what the
    stage reads and is no more there, ``damaged_inputs`` for files that cannot be read, each with the reason; they are
    asked after a job has failed. ``source_failure`` is the error of a source that made a job fail. ``is_read`` is False
    if the input, or a part of it, was not read. ``close`` lets go of what the candidate reads.
    """

    attempt: Attempt
    gates: GatePlans
    split: Split | None
    quarantine: QuarantinePlan
    rules: RowRules | None = None
    partition_by: str | None = None
    not_null: Sequence[str] = ()
    delivery_id: str = ""
    input_versions: dict[str, int] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    decisions: Decisions = NO_DECISIONS
    missing_inputs: Callable[[], tuple[str, ...]] = tuple
    damaged_inputs: Callable[[], dict[str, str]] = dict
    source_failure: Callable[[Exception], Exception | None] = lambda _: None
    is_read: bool = True
    close: Callable[[], None] = lambda: None

    @property
    def dataset(self) -> Dataset:
        return self.attempt.dataset

    @property
    def stage(self) -> Stage:
        return self.attempt.stage

    @property
    def partition(self) -> PartitionKey | None:
        return self.attempt.partition

    @property
    def declared(self) -> Schema:
        return self.dataset.bundle.schema_.declared

    @property
    def note(self) -> dict[str, Any]:
        """The note of the commit, which identifies the run that wrote it."""
        return {
            "run_id": self.attempt.run_id,
            "dataset": self.dataset.urn,
            "stage": self.stage.value,
            "partition": self.partition,
            "policy": self.dataset.fingerprint,
            "inputs": self.input_versions,
            "kind": "data",
        }

    def verdicts_on(self, measured: Measured) -> tuple[Verdict, ...]:
        """One verdict of each gate, without personal values."""
        judged = (verdict.redacted() for verdict in self.gates.judge(measured))
        return complete(judged, self.stage, derived=self.dataset.derived)

    def is_held_by(self, verdicts: Sequence[Verdict]) -> bool:
        """Whether ``verdicts``, one of each gate, hold the stage under the dataset's enforcement."""
        dataset = self.dataset
        return holds(verdicts, self.stage, derived=dataset.derived, enforcement=dataset.enforcement)

    def whole_batch(self, written: DataFrame, *, with_rejected: bool) -> DataFrame:
        """The rows that were written, and the rejected ones with their violations, in the form for quarantine."""
        assert self.split is not None, "something was written"  # noqa: S101
        rows = self.quarantine.protect(self.quarantine.mark(written))
        if not with_rejected:
            return rows
        rejected = self.quarantine.protect(self.split.rejected)
        # Without the partition column, which is the platform's own if the delivery does not have it.
        same = [name for name in rows.columns if name in rejected.columns]
        return rejected.unionByName(_as_text(rows.select(same)), allowMissingColumns=True)


def _as_text(rows: DataFrame) -> DataFrame:
    """Quarantine keeps values of a delivery as their original text; typed columns become text to match."""
    from pyspark.sql import functions as F

    return rows.select(*(F.col(f"`{f.name}`").cast("string").alias(f.name) for f in rows.schema.fields))
