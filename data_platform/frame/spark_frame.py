"""Judges a Spark frame with the gates' own expressions, so that it refuses the rows that a run would refuse.

Each rule on a single row is one column, and all of them are counted in one job; uniqueness and references cost a job
each. Dates and clock times are computed in the dataset's zone, as in a run.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.frame.column import refused_changes
from data_platform.frame.report import FrameReport
from data_platform.gates.contract import reference_signature, unique_signature
from data_platform.gates.expression import calendar, contract_plan, finite, relation
from data_platform.gates.expression.column import quoted
from data_platform.lake.table import schema_of
from data_platform.model.schema import is_widening
from data_platform.model.verdict import Severity
from data_platform.sql.refusal import condition_of, spark_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame, SparkSession

    from data_platform.gates.expression.contract_plan import ContractPlan
    from data_platform.model.contract import Reference
    from data_platform.policies import Dataset

ZONE = "spark.sql.session.timeZone"


class SparkFrame:
    """A frame and the rules of its contract. ``referenced`` maps URNs to the rows that the frame may refer to."""

    def __init__(self, dataset: Dataset, frame: DataFrame, referenced: Mapping[str, DataFrame]) -> None:
        self._dataset, self._frame = dataset, frame
        wanted = {reference.dataset for reference in dataset.bundle.contract.references}
        if unknown := set(referenced) - wanted:
            raise UsageError(f"{dataset.urn} does not refer to {', '.join(sorted(unknown))}")
        self._referenced = referenced

    def check(self) -> FrameReport:
        dataset = self._dataset
        with in_zone(self._frame.sparkSession, dataset.policy.zone):
            if changes := self.changes():
                rows = self._frame.count()
                return FrameReport(dataset=dataset.urn, rows=rows, broken=dict.fromkeys(changes, rows))
            rows, found, errors = self._counts()
            found |= self._related()
        warns = self._warns
        return FrameReport(
            dataset=dataset.urn,
            rows=rows,
            broken={signature: count for signature, count in found.items() if count and signature not in warns},
            warned={signature: count for signature, count in found.items() if count and signature in warns},
            errors={**self._errors, **errors},
            not_checked=self._not_checked(),
        )

    def _counts(self) -> tuple[int, dict[str, int], dict[str, str]]:
        """The rows, those that break each rule, and rules that raise on a row; then each is counted alone."""
        try:
            return *self._counted(self._flags), {}
        except spark_errors():
            rows, _ = self._counted({})
        found: dict[str, int] = {}
        errors: dict[str, str] = {}
        for signature, flag in self._flags.items():
            try:
                found |= self._counted({signature: flag})[1]
            except spark_errors() as error:
                errors[signature] = f"the rule raised {condition_of(error)} on a row"
        return rows, found, errors

    def _counted(self, flags: Mapping[str, SparkColumn]) -> tuple[int, dict[str, int]]:
        from pyspark.sql import functions as F

        counts = [F.count_if(flag).alias(f"n{position}") for position, flag in enumerate(flags.values())]
        [row] = self.rows.agg(F.count(F.lit(1)).alias("rows"), *counts).collect()
        return int(row["rows"]), {signature: int(row[f"n{position}"]) for position, signature in enumerate(flags)}

    def violations(self) -> DataFrame:
        """The rows with ``_violations``. Raises: ContractError, if the columns are others or a rule is not usable."""
        dataset, full = self._dataset, self._dataset.bundle.contract
        with in_zone(self._frame.sparkSession, dataset.policy.zone):
            changes = dict.fromkeys(self.changes(), 0)
            FrameReport(
                dataset=dataset.urn, rows=0, broken=changes, errors={} if changes else self._errors
            ).require_passed()
            flags = {signature: flag for signature, flag in self._flags.items() if signature not in self._warns}
            references = {reference_signature(r): (r, self._referenced[r.dataset]) for r in self._given()}
            uniques = {unique_signature(unique): unique for unique in full.unique}
            return relation.marked(self.rows, flags, uniques, references)

    def changes(self) -> list[str]:
        return refused_changes(self._dataset, schema_of(self._frame))

    @cached_property
    def rows(self) -> DataFrame:
        return self.typed()

    def typed(self, *others: SparkColumn) -> DataFrame:
        """The declared columns, in their types or in a wider one that the policy allows, NULL where one is missing;
        and ``others`` of the frame.
        """
        from pyspark.sql import functions as F

        have = schema_of(self._frame)
        columns: list[SparkColumn] = []
        for column in self._dataset.bundle.schema_.declared.columns:
            delivered = have.get(column.name)
            kind = delivered.type if delivered and is_widening(column.type, delivered.type) else column.type
            value = quoted(column.name) if delivered else F.lit(None)
            columns.append(value.cast(kind).alias(column.name))
        if (added := self._dataset.added_column) and have.get(added):
            columns.append(quoted(added))
        return self._frame.select(*columns, *others)

    @cached_property
    def _plans(self) -> tuple[ContractPlan, ContractPlan]:
        bundle, now = self._dataset.bundle, datetime.now(UTC)
        lite = contract_plan.plan(self.rows, bundle.contract_lite, bundle.schema_, now)
        return lite, contract_plan.plan(self.rows, bundle.contract, bundle.schema_, now)

    @cached_property
    def _flags(self) -> dict[str, SparkColumn]:
        lite, full = self._plans
        shape = self.rows.schema
        return {**finite.plan(shape), **calendar.plan(shape), **full.all, **lite.all}

    @cached_property
    def _warns(self) -> set[str]:
        lite, full = self._plans
        severities = {**full.severities, **lite.severities}
        return {signature for signature, severity in severities.items() if severity is Severity.WARN}

    @property
    def _errors(self) -> dict[str, str]:
        lite, full = self._plans
        return {**full.errors, **lite.errors}

    def _related(self) -> dict[str, int]:
        full = self._dataset.bundle.contract
        found = {unique_signature(unique): relation.duplicates(self.rows, unique).rows for unique in full.unique}
        for reference in self._given():
            target = self._referenced[reference.dataset]
            found[reference_signature(reference)] = relation.unreferenced(self.rows, reference, target).rows
        return found

    def _given(self) -> list[Reference]:
        return [one for one in self._dataset.bundle.contract.references if one.dataset in self._referenced]

    def _not_checked(self) -> dict[str, str]:
        left = [one for one in self._dataset.bundle.contract.references if one.dataset not in self._referenced]
        return {reference_signature(one): f"give the rows of {one.dataset} as references" for one in left}


@contextmanager
def in_zone(session: SparkSession, zone: str) -> Iterator[None]:
    """Sets the session's zone while expressions are made and counted; an expression keeps it once it is analyzed."""
    before = session.conf.get(ZONE) or "UTC"
    session.conf.set(ZONE, zone)
    try:
        yield
    finally:
        session.conf.set(ZONE, before)
