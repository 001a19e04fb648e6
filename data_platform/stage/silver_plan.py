"""What silver asks of its rows, as columns over frames that anybody may hand in: nothing is read or written here.

A run hands in a slice of bronze or the output of a process. ``validate`` hands in frames without rows, so that Spark
judges the very expressions that the run will build.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from data_platform.gates import contract, dq, pii, schema
from data_platform.gates.expression import calendar, finite, token
from data_platform.gates.expression.column import quoted
from data_platform.gates.expression.split import split
from data_platform.gates.expression.value import typed
from data_platform.lake.table import schema_of
from data_platform.model.process import InputRows
from data_platform.model.quarantine import VIOLATIONS
from data_platform.model.schema import Column, Schema, is_widening
from data_platform.model.verdict import Outcome
from data_platform.stage import control_total
from data_platform.stage.day import wrong_partition

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import date, datetime

    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame

    from data_platform.gates.contract import ContractPlan
    from data_platform.gates.expression.split import Split
    from data_platform.gates.pii import PiiPlan
    from data_platform.model.process import Input
    from data_platform.model.verdict import Verdict
    from data_platform.policies import Dataset

PROVENANCE = ("_file", "_line", "_raw", "_malformed")
_TEXT = "_text_"
_FLAG = "_flag_"


@dataclass(frozen=True)
class TypedRows:
    """Rows of the types of ``target``; ``flags`` are the signatures of what was no such value."""

    rows: DataFrame
    target: Schema
    flags: dict[str, SparkColumn] = field(default_factory=dict)


@dataclass(frozen=True)
class SilverPlan:
    """``rejects`` has every reason to reject a row, ``contract`` those of the contract; ``key`` is the partition's."""

    contract: ContractPlan
    rejects: ContractPlan
    personal: PiiPlan
    broken: dict[str, SparkColumn]
    split: Split
    key: str | None


def typed_rows(raw: DataFrame, dataset: Dataset) -> TypedRows:
    """Bronze's rows in the declared types, with the text of each typed column as ``_text_<name>``."""
    from pyspark.sql import functions as F

    source = dataset.policy.source
    assert source is not None  # noqa: S101
    have, zone = schema_of(raw), dataset.policy.zone
    values: list[SparkColumn] = []
    flags: dict[str, SparkColumn] = {}
    target: list[Column] = []
    for declared in dataset.bundle.schema_.declared.columns:
        found = have.get(declared.name)
        if found is None:
            values.append(F.lit(None).cast(declared.type).alias(declared.name))
            target.append(declared)
        elif found.type == "string" and declared.type != "string":
            value = typed(found.name, declared.type, exponents=source.exponents, rounding=source.rounding, zone=zone)
            values += [value.value.alias(declared.name), quoted(found.name).alias(_TEXT + declared.name)]
            for signature, flag in value.broken.items():
                name = f"{_FLAG}{len(flags)}"
                values.append(flag.alias(name))
                flags[signature] = F.col(name)
            target.append(declared)
        else:
            kind = found.type if is_widening(declared.type, found.type) else declared.type
            values.append(quoted(found.name).cast(kind).alias(declared.name))
            target.append(Column(name=declared.name, type=kind, nullable=declared.nullable))
    rows = raw.select(*values, *PROVENANCE)
    malformed = {"MALFORMED_RECORD": quoted("_malformed").isNotNull()}
    return TypedRows(rows, Schema.of(target), {**malformed, **flags})


def input_rows(rows: DataFrame, upstream: Dataset, item: Input, partition: date | None) -> DataFrame:
    """Of the certified rows of an input those that a process reads: of its day, or all."""
    from pyspark.sql import functions as F

    declared = upstream.policy.partition
    if declared is None or partition is None or item.rows is not InputRows.SAME_PARTITION:
        return rows
    return rows.where(F.col(declared.key) == F.lit(partition))


def declared_output(output: DataFrame, dataset: Dataset) -> tuple[DataFrame, Verdict]:
    """The rows of a process in the declared types, and whether they may be; as they are, if they may not."""
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
    partition: date | None,
    given: TypedRows,
    now: datetime,
    secret: bytes,
    promised: Collection[str] = (),
) -> SilverPlan:
    """``secret`` is the key of tokens, ``promised`` the columns of which the sender promised a sum.

    Raises:
        PolicyError: A rule is none whatever rows it meets, or a column has a name that the platform needs.
    """
    from pyspark.sql import functions as F

    bundle, rows, target = dataset.bundle, given.rows, given.target
    shape = rows.select(*(quoted(n) for n in target.names)).schema
    found = pii.plan(shape, bundle.pii, secret)
    tokens: dict[str, Any] = {"stand_in": token.stand_in(secret, dataset.urn), "personal": list(found.remediated)}
    planned = contract.plan(rows, bundle.contract_lite, bundle.schema_, now, **tokens)
    well_formed = ~quoted("_malformed").isNotNull() if "_malformed" in rows.columns else F.lit(True)
    wrong_day, key = wrong_partition(dataset, partition, target)
    broken = {**finite.plan(shape), **given.flags, **calendar.plan(shape), **planned.rejects, **wrong_day}
    broken = {s: b if s == "MALFORMED_RECORD" else well_formed & b for s, b in broken.items()}
    kept = ~reduce(lambda a, b: a | b, broken.values(), F.lit(False))
    measures = {
        **dq.plan(target, bundle.dq, kept),
        **{f"total:{n}": control_total.total(_TEXT + n if _TEXT + n in rows.columns else n) for n in promised},
        **{f"kept:{n}": control_total.total(n, kept) for n in promised},
        **{f"pii:{signature}": F.count_if(flag) for signature, flag in found.told_by_safe().items()},
        **{f"rule:{s}": F.count_if(flag) for s, flag in {**planned.blocks, **planned.warns}.items()},
    }
    details = {**planned.details}
    if "_malformed" in rows.columns:
        details["MALFORMED_RECORD"] = quoted("_malformed")
    parted = split(found.computed_in(rows), broken, measures=measures, details=details)
    accepted = parted.accepted.select(
        *(quoted(pii.SAFE + n if n in found.remediated else n).alias(n) for n in target.names),
        *([F.lit(partition).alias(key)] if key and target.get(key) is None else []),
    )
    return SilverPlan(
        contract=planned,
        rejects=planned.with_rejects({s: b for s, b in broken.items() if s not in planned.rejects}),
        personal=found,
        broken=broken,
        split=replace(parted, accepted=accepted, rejected=as_delivered(parted.rejected, target)),
        key=key,
    )


def as_delivered(rejected: DataFrame, target: Schema) -> DataFrame:
    """Rejected rows with the text that was delivered in place of the typed value, where there is one."""
    text = {n.removeprefix(_TEXT) for n in rejected.columns if n.startswith(_TEXT)}
    return rejected.select(
        *(quoted(_TEXT + n).alias(n) if n in text else quoted(n).cast("string").alias(n) for n in target.names),
        *(n for n in rejected.columns if n in PROVENANCE),
        VIOLATIONS,
    )
