"""What a stage is about to write, and how it will be judged once it is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date, datetime

    from pyspark.sql import Column, DataFrame

    from data_platform.gates.expression.split import Split
    from data_platform.model.dataset import Stage
    from data_platform.model.schema import Schema
    from data_platform.model.verdict import Severity, Verdict
    from data_platform.policies import Dataset


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What the one write found. ``written`` are exactly the rows of this partition at the judged version.

    ``broken`` counts the rows set aside by signature.
    """

    read: int
    accepted: int
    rejected: int
    measures: Mapping[str, Any]
    broken: Mapping[str, int]
    written: DataFrame


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """``split`` is None if ``early`` verdicts hold it before anything is written.

    ``held_rows`` are set aside then, and when the write dies of a rule that raises.

    ``partition_by`` is the DATE column of the table that holds the partition. ``not_null`` columns stay so for good.
    ``key`` names a row, so that a corrected record resolves the one set aside. ``protect`` takes
    personal values out of rows on their way to quarantine. ``mark`` adds to the rows of a held
    batch what each of them breaks. ``rules``, never NULL, are asked of ``rows`` one by one
    if the write dies, to find out which of them raises.
    """

    dataset: Dataset
    stage: Stage
    partition: date | None
    run_id: str
    started_at: datetime
    split: Split | None
    judge: Callable[[Measured], tuple[Verdict, ...]]
    early: tuple[Verdict, ...] = ()
    held_rows: DataFrame | None = None
    rows: DataFrame | None = None
    partition_by: str | None = None
    not_null: Sequence[str] = ()
    key: Sequence[str] = ()
    accepted_key: Sequence[str] = ()
    rules: Mapping[str, Column] = field(default_factory=dict)
    severities: Mapping[str, Severity] = field(default_factory=dict)
    protect: Callable[[DataFrame], DataFrame] = lambda rows: rows
    mark: Callable[[DataFrame], DataFrame] = lambda rows: rows
    delivery_id: str = ""
    input_versions: dict[str, int] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def declared(self) -> Schema:
        return self.dataset.bundle.schema_.declared

    @property
    def day(self) -> str | None:
        return self.partition.isoformat() if self.partition else None

    def whole_batch(self, written: DataFrame, *, with_rejected: bool) -> DataFrame:
        """The rows that were written, and those that were rejected with their violations, as quarantine keeps them."""
        assert self.split is not None, "something was written"  # noqa: S101
        rows = self.protect(self.mark(written))
        if not with_rejected:
            return rows
        rejected = self.protect(self.split.rejected)
        # Not the partition column, which is the platform's own where the delivery does not have it.
        same = [name for name in rows.columns if name in rejected.columns]
        return rejected.unionByName(_as_text(rows.select(same)), allowMissingColumns=True)


def _as_text(rows: DataFrame) -> DataFrame:
    """Quarantine keeps values of a delivery as the text they were; rows of typed columns join them there."""
    from pyspark.sql import functions as F

    return rows.select(*(F.col(f"`{f.name}`").cast("string").alias(f.name) for f in rows.schema.fields))
