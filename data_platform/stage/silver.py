"""Silver: rows of the declared types that keep the lite contract, personal values remediated; the others set aside.

A landed dataset's rows come from its bronze slice; a derived one's from its process, which reads certified versions
only. Each row is accepted or set aside, with every rule that it breaks.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from data_platform.errors import NotCertifiedError
from data_platform.gates import contract, dq, pii, schema
from data_platform.gates.dq_baseline import with_baseline
from data_platform.gates.expression import calendar, token
from data_platform.gates.expression.column import quoted
from data_platform.gates.expression.split import split
from data_platform.gates.expression.value import typed
from data_platform.lake.table import schema_of
from data_platform.model.dataset import Stage
from data_platform.model.process import InputRows
from data_platform.model.quarantine import VIOLATIONS
from data_platform.model.schema import Column, Schema, is_widening
from data_platform.model.verdict import Outcome
from data_platform.stage import control_total, token_key
from data_platform.stage.bronze import PARTITION
from data_platform.stage.candidate import Candidate, Measured
from data_platform.stage.day import session_of, wrong_partition
from data_platform.stage.prerequisite import delivery_id, require_current, require_in_place
from data_platform.stage.redaction import protector
from data_platform.stage.table_read import rows_at
from data_platform.transform import sql

if TYPE_CHECKING:
    from datetime import date

    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame

    from data_platform.installation import Platform
    from data_platform.model.verdict import Verdict
    from data_platform.policies import Dataset

PROVENANCE = ("_file", "_line", "_raw", "_malformed")
_TEXT = "_text_"
_FLAG = "_flag_"


def prepare(platform: Platform, dataset: Dataset, partition: date | None, run_id: str) -> Candidate:
    """Raises: UsageError, if bronze of this partition did not pass; NotCertifiedError, if an input has no such rows."""
    started = platform.now()
    if dataset.process is None:
        rows, flags, target, versions = _from_bronze(platform, dataset, partition, run_id)
        early: tuple[Verdict, ...] = ()
    else:
        rows, early, versions = _from_process(platform, dataset, partition, run_id)
        flags, target = {}, dataset.bundle.schema_.declared
    common: dict[str, Any] = {
        "dataset": dataset,
        "stage": Stage.SILVER,
        "partition": partition,
        "run_id": run_id,
        "started_at": started,
        "early": early,
        "protect": protector(platform, dataset),
        "input_versions": versions,
        "delivery_id": delivery_id(platform, dataset, Stage.BRONZE, partition),
    }
    if any(not verdict.passed for verdict in early):
        return Candidate(**common, split=None, judge=lambda _: (), held_rows=common["protect"](rows))
    return _judged(platform, dataset, partition, rows, flags, target, common)


def _judged(
    platform: Platform,
    dataset: Dataset,
    partition: date | None,
    rows: DataFrame,
    flags: dict[str, SparkColumn],
    target: Schema,
    common: dict[str, Any],
) -> Candidate:
    from pyspark.sql import functions as F

    bundle, secret = dataset.bundle, token_key.secret(platform, dataset)
    found = pii.plan(rows.select(*(quoted(n) for n in target.names)).schema, bundle.pii, secret)
    tokens: dict[str, Any] = {"stand_in": token.stand_in(secret, dataset.urn), "personal": list(found.remediated)}
    planned = contract.plan(rows, bundle.contract_lite, bundle.schema_, common["started_at"], **tokens)
    well_formed = ~quoted("_malformed").isNotNull() if "_malformed" in rows.columns else F.lit(True)
    wrong_day, key = wrong_partition(dataset, partition, target)
    years = calendar.plan(rows.select(*(quoted(n) for n in target.names)).schema)
    broken = {**flags, **years, **planned.rejects, **wrong_day}
    broken = {s: b if s == "MALFORMED_RECORD" else well_formed & b for s, b in broken.items()}
    kept = ~reduce(lambda a, b: a | b, broken.values(), F.lit(False))
    day = partition.isoformat() if partition else None
    promised = control_total.promised_to_silver(platform, dataset, day) if dataset.process is None else {}
    promised = {name: said for name, said in promised.items() if target.get(name) is not None}
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
    rejects = planned.with_rejects({s: b for s, b in broken.items() if s not in planned.rejects})
    min_rows = max(
        bundle.dq.min_rows, dataset.policy.slo.volume.min_rows_per_partition if dataset.policy.slo.volume else 0
    )

    def judge(measured: Measured) -> tuple[Verdict, ...]:
        counts = {n.removeprefix("rule:"): v for n, v in measured.measures.items() if n.startswith("rule:")}
        personal = {n.removeprefix("pii:"): v for n, v in measured.measures.items() if n.startswith("pii:")}
        lite = contract.judge(
            rejects,
            read=measured.read,
            kept=measured.accepted,
            broken={**measured.broken, **counts},
            min_compliance=bundle.contract_lite.min_compliance,
        )
        lite = control_total.judged(lite, {n: measured.measures[f"total:{n}"] for n in promised}, promised)
        return (
            control_total.with_kept(lite, {n: measured.measures[f"kept:{n}"] for n in promised}, promised),
            pii.judge(found, personal, measured.read),
            with_baseline(
                dq.judge(bundle.dq, rows=measured.accepted, measured=measured.measures, min_rows=min_rows),
                dataset.baseline,
                dataset.policy.slo.volume,
            ),
        )

    return Candidate(
        **common,
        split=replace(parted, accepted=accepted, rejected=_as_delivered(parted.rejected, target)),
        judge=judge,
        partition_by=key,
        not_null=[c.field for c in bundle.schema_.constraints if not c.nullable],
        key=bundle.contract.unique[0].fields if bundle.contract.unique else (),
        rows=rows,
        held_rows=common["protect"](
            _as_delivered(rows.withColumn(VIOLATIONS, F.array().cast("array<string>")), target)
        ),
        rules={**broken, **planned.blocks, **planned.warns},
        severities=rejects.severities,
    )


def _from_bronze(
    platform: Platform, dataset: Dataset, partition: date | None, run_id: str
) -> tuple[DataFrame, dict[str, SparkColumn], Schema, dict[str, int]]:
    """Typed rows, with the text of each typed column as ``_text_<name>``; signatures of what was no such value."""
    from pyspark.sql import functions as F

    version = require_current(platform, dataset, Stage.BRONZE, partition)
    raw = rows_at(platform, dataset, Stage.BRONZE, version, run_id, session_of(platform, dataset))
    if partition is not None:
        raw = raw.where(F.col(PARTITION) == F.lit(partition))
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
    return rows, {**malformed, **flags}, Schema.of(target), {dataset.urn: version}


def _from_process(
    platform: Platform, dataset: Dataset, partition: date | None, run_id: str
) -> tuple[DataFrame, tuple[Verdict, ...], dict[str, int]]:
    """The process's output, its columns judged, and the certified version of each input."""
    from pyspark.sql import functions as F

    process = dataset.process
    assert process is not None  # noqa: S101
    session = session_of(platform, dataset, own=True)
    inputs: dict[str, DataFrame] = {}
    versions: dict[str, int] = {}
    for item in process.inputs:
        upstream = platform.policies.dataset(item.dataset)
        pointer = platform.certified(upstream.urn)
        assert pointer.version is not None  # noqa: S101
        require_in_place(platform, upstream)
        rows = rows_at(platform, upstream, Stage.CERTIFIED, pointer.version, run_id, session)
        declared = upstream.policy.partition
        if declared and partition is not None and item.rows is InputRows.SAME_PARTITION:
            day = partition.isoformat()
            if platform.catalog.latest_report(upstream.urn, Stage.CERTIFIED, day, passed_only=True) is None:
                raise NotCertifiedError(
                    f"{dataset.urn} {partition} needs {upstream.urn} of that day, never certified so far: run it first"
                )
            rows = rows.where(F.col(declared.key) == F.lit(partition))
        inputs[item.view] = rows
        versions[upstream.urn] = pointer.judged_version or pointer.version
    output = sql.run(session, process, inputs, partition, platform.now())
    declared_schema = dataset.bundle.schema_.declared
    found = schema_of(output)
    fitting = Schema.of(
        Column(
            name=c.name, type=w.type if (w := declared_schema.get(c.name)) and is_widening(c.type, w.type) else c.type
        )
        for c in found.columns
    )
    nullable = Schema.of(Column(name=c.name, type=c.type) for c in declared_schema.columns)
    verdict = schema.judge_delivery(
        nullable, {f"process {process.name}": fitting}, dataset.bundle.schema_, unreadable={}
    )
    if verdict.outcome is Outcome.PASSED:
        output = output.select(*(quoted(c.name).cast(c.type).alias(c.name) for c in declared_schema.columns))
    return output, (verdict,), versions


def _as_delivered(rejected: DataFrame, target: Schema) -> DataFrame:
    """Rejected rows with the text that was delivered in place of the typed value, where there is one."""
    text = {n.removeprefix(_TEXT) for n in rejected.columns if n.startswith(_TEXT)}
    return rejected.select(
        *(quoted(_TEXT + n).alias(n) if n in text else quoted(n).cast("string").alias(n) for n in target.names),
        *(n for n in rejected.columns if n in PROVENANCE),
        VIOLATIONS,
    )
