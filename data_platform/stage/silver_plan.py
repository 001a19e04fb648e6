"""Silver's checks of its rows, as columns over frames that the caller provides: nothing is read or written here.

A run provides a slice of bronze or the output of a process. ``validate`` provides frames without rows, so that Spark
judges the same expressions that the run will build.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING

from data_platform.gates import pii, schema
from data_platform.gates.batch import SilverBatch
from data_platform.gates.contract import SilverContract
from data_platform.gates.expression import calendar, finite, token
from data_platform.gates.expression.column import never_null, quoted
from data_platform.gates.expression.split import split
from data_platform.gates.expression.value import typed
from data_platform.gates.registry import plans_of
from data_platform.lake.partition import Slice, column_value
from data_platform.lake.table import schema_of
from data_platform.model.dataset import Stage
from data_platform.model.process import InputRows
from data_platform.model.quarantine import VIOLATIONS
from data_platform.model.schema import Column, Schema, is_widening
from data_platform.model.verdict import Gate, Outcome
from data_platform.stage.candidate import RowRules
from data_platform.stage.day import wrong_partition
from data_platform.stage.decided_row import DECISION, NO_ROW_DECISIONS, RowDecisions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal

    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from data_platform.gates.expression.contract_plan import ContractPlan
    from data_platform.gates.expression.split import Split
    from data_platform.gates.pii_plan import PiiPlan
    from data_platform.gates.plan import GatePlans
    from data_platform.model.delivery_history import DeliveryHistory
    from data_platform.model.key_ring import KeyVersion
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.process import Input
    from data_platform.model.verdict import Verdict
    from data_platform.policies import Dataset

PROVENANCE = ("_file", "_line", "_raw", "_malformed")
MALFORMED = "MALFORMED_RECORD"
_TEXT = "_text_"
_FLAG = "_flag_"


@dataclass(frozen=True)
class TypedRows:
    """Rows of the types of ``target``.

    ``flags`` map signatures to rows that have no value of their type, ``reasons`` some of them to what was expected.
    ``columns_verdict`` judges the columns that a process makes.
    """

    rows: DataFrame
    target: Schema
    flags: dict[str, SparkColumn] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    columns_verdict: Verdict | None = None

    @cached_property
    def shape(self) -> StructType:
        """The types of the target columns in Spark, which analyzes the rows for them once."""
        return self.rows.select(*(quoted(name) for name in self.target.names)).schema


@dataclass(frozen=True)
class SilverPlan:
    """``gates`` judge the rows, ``split`` writes them; ``key`` is the partition's column.

    ``rejects`` map signatures to rows that a gate rejects, whatever people decided about them.
    """

    gates: GatePlans
    split: Split
    key: str | None
    rejects: Mapping[str, SparkColumn]

    def rules(self, rows: DataFrame) -> RowRules:
        """The rules that may raise on one of ``rows``: those of the contract and of the types."""
        contract = self.gates.of(Gate.G4_CONTRACT)
        flags = {**{signature: self.rejects[signature] for signature in contract.rejects}, **contract.flags}
        return RowRules(rows=rows, flags=flags, severities=contract.severities)

    @property
    def contract(self) -> ContractPlan:
        """The plan of the lite contract's own rules."""
        plan_ = self.gates.of(Gate.G4_CONTRACT)
        assert isinstance(plan_, SilverContract)  # noqa: S101
        return plan_.own


def typed_rows(raw: DataFrame, dataset: Dataset) -> TypedRows:
    """Bronze's rows in the declared types, with the text of each typed column as ``_text_<name>``."""
    from pyspark.sql import functions as F

    source = dataset.policy.source
    assert source is not None  # noqa: S101
    have = schema_of(raw)
    read = partial(typed, exponents=source.exponents, rounding=source.rounding, zone=dataset.policy.zone)
    values: list[SparkColumn] = []
    flags: dict[str, SparkColumn] = {}
    target, reasons = list[Column](), dict[str, str]()
    for declared in dataset.bundle.schema_.declared.columns:
        delivered = have.get(declared.name)
        if delivered is None:
            values.append(F.lit(None).cast(declared.type).alias(declared.name))
            target.append(declared)
        elif delivered.type == "string" and declared.type != "string":
            value = read(delivered.name, declared.type)
            values += [value.value.alias(declared.name), quoted(delivered.name).alias(_TEXT + declared.name)]
            reasons |= value.reasons
            for signature, flag in value.broken.items():
                name = f"{_FLAG}{len(flags)}"
                values.append(flag.alias(name))
                flags[signature] = F.col(name)
            target.append(declared)
        else:
            kind = delivered.type if is_widening(declared.type, delivered.type) else declared.type
            values.append(quoted(delivered.name).cast(kind).alias(declared.name))
            if source.traits.is_typed and kind == "string":  # text formats decode what they read
                is_text = F.is_valid_utf8(quoted(declared.name))
                flags[f"INVALID_TEXT:{declared.name}"] = never_null(~is_text)
            target.append(Column(name=declared.name, type=kind, nullable=declared.nullable))
    rows = raw.select(*values, *PROVENANCE, *(name for name in raw.columns if name == DECISION))
    return TypedRows(rows, Schema.of(target), {MALFORMED: quoted("_malformed").isNotNull(), **flags}, reasons)


def input_rows(rows: DataFrame, upstream: Dataset, item: Input, partition: PartitionKey | None) -> DataFrame:
    """The certified rows of an input that a process reads: those of its partition, or all."""
    declared = upstream.policy.partition
    if declared is None or partition is None or item.rows is not InputRows.SAME_PARTITION:
        return rows
    return Slice(declared.key, partition).of(rows)


def declared_output(output: DataFrame, dataset: Dataset) -> tuple[DataFrame, Verdict]:
    """The rows of a process in the declared types with a verdict; unchanged if their types are not allowed."""
    process, declared = dataset.process, dataset.bundle.schema_.declared
    assert process is not None  # noqa: S101
    fitting = Schema.of(
        Column(name=c.name, type=w.type if (w := declared.get(c.name)) and is_widening(c.type, w.type) else c.type)
        for c in schema_of(output).columns
    )
    nullable = Schema.of(Column(name=c.name, type=c.type) for c in declared.columns)
    verdict = schema.judge_delivery(
        nullable, {f"process {process.name}": fitting}, dataset.bundle.schema_, unreadable={}
    )
    if verdict.outcome is Outcome.PASSED:
        output = output.select(*(quoted(c.name).cast(c.type).alias(c.name) for c in declared.columns))
    return output, verdict


def plan(
    dataset: Dataset,
    partition: PartitionKey | None,
    typed_input: TypedRows,
    now: datetime,
    token_key: KeyVersion,
    promised: Mapping[str, Decimal] | None = None,
    decisions: RowDecisions = NO_ROW_DECISIONS,
    history: DeliveryHistory | None = None,
) -> SilverPlan:
    """``promised`` maps columns to the sums that the sender promised.

    ``decisions`` of people let rows of the input through that break a rule, or keep rows out. ``history`` are the
    deliveries of earlier partitions.

    Raises:
        PolicyError: A rule is invalid for any rows, or a column has a name that the platform needs.
    """
    from pyspark.sql import functions as F

    rows, target = typed_input.rows, typed_input.target
    personal = pii.plan(typed_input.shape, dataset.bundle.pii, token_key.secret, version=token_key.number)
    wrong_day, key = wrong_partition(dataset, partition, target)
    batch = _batch(dataset, typed_input, now, personal, token_key.secret, wrong_day, promised or {})
    batch = replace(batch, history=history)
    gates = plans_of(dataset.gates(Stage.SILVER), batch)
    judged_broken = _only_well_formed(gates.rejects, rows)
    broken = decisions.applied_to(judged_broken, dataset.bundle)
    kept = ~reduce(lambda a, b: a | b, broken.values(), F.lit(False))
    details = dict(gates.details)
    if "_malformed" in rows.columns:
        details[MALFORMED] = quoted("_malformed")
    measures = gates.measures(kept) | decisions.measures(judged_broken, broken, kept)
    judged = split(personal.computed_in(rows), broken, measures=measures, details=details)
    accepted = judged.accepted.select(
        *(quoted(pii.SAFE + n if n in personal.remediated else n).alias(n) for n in target.names),
        *([column_value(partition).alias(key)] if key and partition and target.get(key) is None else []),
    )
    written = replace(judged, accepted=accepted, reject=lambda: as_delivered(judged.rejected, target))
    return SilverPlan(gates, written, key, judged_broken)


def _batch(
    dataset: Dataset,
    typed_input: TypedRows,
    now: datetime,
    personal: PiiPlan,
    secret: bytes,
    wrong_day: Mapping[str, SparkColumn],
    promised: Mapping[str, Decimal],
) -> SilverBatch:
    """What silver's gates judge; ``wrong_day`` flags rows of another partition."""
    rows, shape = typed_input.rows, typed_input.shape
    return SilverBatch(
        policy=dataset.policy,
        bundle=dataset.bundle,
        baseline=dataset.baseline,
        rows=rows,
        target=typed_input.target,
        now=now,
        personal=personal,
        stand_in=token.stand_in(secret, dataset.urn),
        flags={**finite.plan(shape), **typed_input.flags, **calendar.plan(shape), **wrong_day},
        reasons=typed_input.reasons,
        text={n.removeprefix(_TEXT): n for n in rows.columns if n.startswith(_TEXT)},
        promised=promised,
        columns_verdict=typed_input.columns_verdict,
    )


def _only_well_formed(rejects: Mapping[str, SparkColumn], rows: DataFrame) -> dict[str, SparkColumn]:
    """A malformed record has no values, so it breaks no other rule."""
    if "_malformed" not in rows.columns:
        return dict(rejects)
    well_formed = quoted("_malformed").isNull()
    return {s: flag if s == MALFORMED else well_formed & flag for s, flag in rejects.items()}


def as_delivered(rejected: DataFrame, target: Schema) -> DataFrame:
    """Rejected rows with the delivered text in place of the typed value, where there is one."""
    text = {n.removeprefix(_TEXT) for n in rejected.columns if n.startswith(_TEXT)}
    return rejected.select(
        *(quoted(_TEXT + n).alias(n) if n in text else quoted(n).cast("string").alias(n) for n in target.names),
        *(n for n in rejected.columns if n in PROVENANCE),
        VIOLATIONS,
    )
