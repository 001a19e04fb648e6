"""Could a run ever compute what the policies require? Spark checks it on frames with the declared columns and no rows.

The expressions and plans are those that silver and gold build. Spark analyzes and optimizes each, which folds constants
as in the run; ``sql.impossible`` checks what Spark evaluates only for a row. No job is run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from data_platform.errors import PolicyError
from data_platform.gates import pii
from data_platform.gates.expression import contract_plan, relation
from data_platform.gates.expression.rule import evaluated, pattern_error
from data_platform.model.key_ring import KeyVersion
from data_platform.model.partition_key import COLUMN_TYPE
from data_platform.model.schema import Column, Schema
from data_platform.policies.problem import Finding
from data_platform.sql.impossible import impossible_parts
from data_platform.sql.refusal import plain_reason, spark_errors
from data_platform.sql.rule_text import MOST_SHOWN, Rule
from data_platform.stage import silver_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from pyspark.sql import DataFrame, SparkSession

    from data_platform.gates.expression.contract_plan import ContractPlan
    from data_platform.model.contract import Contract
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies import Dataset, Policies
    from data_platform.policies.document import Location
    from data_platform.stage.silver_plan import SilverPlan

_ANY_KEY = KeyVersion(bytes(32))
"""Tokens are only planned here, and any key results in the same plan."""


def dataset_findings(session: SparkSession, policies: Policies, dataset: Dataset, now: datetime) -> list[Finding]:
    """The problems that Spark has with the rules of ``dataset``; ``session`` is in its zone."""
    if not dataset.stages or not dataset.bundle.schema_.constraints:
        return []
    check = _DatasetCheck(session, policies, dataset, now)
    return list(dict.fromkeys((*check.silver(), *check.gold())))


def gold_columns(dataset: Dataset) -> Schema:
    """The declared columns, and the partition's key, which the platform adds if it is not delivered."""
    declared, added = dataset.bundle.schema_.declared, dataset.added_column
    return Schema.of((*declared.columns, Column(name=added, type=COLUMN_TYPE))) if added else declared


def no_rows(session: SparkSession, schema: Schema) -> DataFrame:
    """A frame of these columns. It is not a local relation, for which the optimizer would remove every expression."""
    from pyspark.sql.types import StructField, StructType, _parse_datatype_string

    fields = [StructField(column.name, _parse_datatype_string(column.type)) for column in schema.columns]
    return session.createDataFrame(session.sparkContext.emptyRDD(), StructType(fields))


def refusal(ask: Callable[[], DataFrame]) -> str:
    """The reason, from Spark or from us, why the result of ``ask`` is impossible; empty if it is possible."""
    try:
        ask()._jdf.queryExecution().optimizedPlan()
    except _refusals() as error:
        return reason_of(error)
    return ""


def _refusals() -> tuple[type[Exception], ...]:
    return (PolicyError, *spark_errors())


def reason_of(error: Exception) -> str:
    return "; ".join(error.problems) if isinstance(error, PolicyError) else plain_reason(error)


class _DatasetCheck:
    def __init__(self, session: SparkSession, policies: Policies, dataset: Dataset, now: datetime) -> None:
        self.session, self.policies, self.dataset, self.now = session, policies, dataset, now
        self.bundle = dataset.bundle

    def silver(self) -> Iterator[Finding]:
        rows, lite = no_rows(self.session, self.bundle.schema_.declared), self.bundle.contract_lite
        try:
            written = self._plan()
        except _refusals() as error:
            planned, reason = contract_plan.plan(rows, lite, self.bundle.schema_, self.now), reason_of(error)
        else:
            planned, reason = written.contract, refusal(lambda: written.split.accepted)
        findings = [*self._invariants("contract_lite", lite, rows, planned), *self._patterns(rows, planned)]
        if reason and not findings:
            findings = [self._finding(("schema", "constraints"), reason)]
        yield from findings

    def gold(self) -> Iterator[Finding]:
        rows, full = no_rows(self.session, gold_columns(self.dataset)), self.bundle.contract
        planned = contract_plan.plan(rows, full, self.bundle.schema_, self.now)
        yield from self._invariants("contract", full, rows, planned)
        yield from self._relations(rows)
        if reason := refusal(lambda: rows.select("*", *pii.leftover(rows.schema, self.bundle.pii).values())):
            yield self._finding(("pii",), reason)

    def _plan(self) -> SilverPlan:
        """The plan by which silver would judge and write."""
        declared, policy = self.bundle.schema_.declared, self.dataset.policy
        if policy.source is None:
            rows, verdict = silver_plan.declared_output(no_rows(self.session, declared), self.dataset)
            typed = silver_plan.TypedRows(rows, declared, columns_verdict=verdict)
        else:
            is_typed = policy.source.traits.is_typed
            columns = [Column(name=c.name, type=c.type if is_typed else "string") for c in declared.columns]
            own = [Column(name=n, type="bigint" if n == "_line" else "string") for n in silver_plan.PROVENANCE]
            typed = silver_plan.typed_rows(no_rows(self.session, Schema.of((*columns, *own))), self.dataset)
        return silver_plan.plan(self.dataset, self._partition, typed, self.now, _ANY_KEY)

    @property
    def _partition(self) -> PartitionKey | None:
        return self.dataset.policy.partition.first if self.dataset.policy.partition else None

    def _invariants(self, part: str, promised: Contract, rows: DataFrame, planned: ContractPlan) -> Iterator[Finding]:
        for position, invariant in enumerate(promised.invariants):
            rule = Rule(id=invariant.name, expression=invariant.rule)
            answer = partial(self._answer, rows, rule)
            reason = refusal(answer) or planned.errors.get(contract_plan.invariant_signature(invariant), "")
            name = rule.id if len(rule.id) <= MOST_SHOWN else rule.id[:MOST_SHOWN] + "…"
            for text in [reason] if reason else impossible_parts(answer()):
                yield self._finding((part, "invariants", position), f"rule {name}: {text}")

    def _answer(self, rows: DataFrame, rule: Rule) -> DataFrame:
        return rows.select(evaluated(rows, rule, self.now))

    def _patterns(self, rows: DataFrame, planned: ContractPlan) -> Iterator[Finding]:
        for position, constraint in enumerate(self.bundle.schema_.constraints):
            if f"FORMAT:{constraint.field}" in planned.errors and (error := pattern_error(rows, constraint.pattern)):
                yield self._finding(("schema", "constraints", position, "pattern"), plain_reason(error))

    def _relations(self, rows: DataFrame) -> Iterator[Finding]:
        for position, unique in enumerate(self.bundle.contract.unique):
            if reason := refusal(partial(relation.marked, rows, {}, {"unique": unique}, {})):
                yield self._finding(("contract", "unique", position), reason)
        for position, reference in enumerate(self.bundle.contract.references):
            target = self.policies.dataset(reference.dataset)
            if not target.bundle.schema_.constraints:
                continue
            there = {"reference": (reference, no_rows(self.session, gold_columns(target)))}
            if reason := refusal(partial(relation.marked, rows, {}, {}, there)):
                yield self._finding(("contract", "references", position), reason)

    def _finding(self, location: Location, text: str) -> Finding:
        return Finding(owner=self.dataset.urn, location=location, text=text)
