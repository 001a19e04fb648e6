"""Silver: rows of the declared types that keep the lite contract, personal values remediated; the others set aside.

A landed dataset's rows come from its bronze slice; a derived one's from its process, which reads certified versions
only. Each row is accepted or set aside, with every rule that it breaks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.errors import NotCertifiedError
from data_platform.gates import contract, dq, pii
from data_platform.gates.dq_baseline import with_baseline
from data_platform.model.dataset import Stage
from data_platform.model.process import InputRows
from data_platform.model.quarantine import VIOLATIONS
from data_platform.stage import control_total, token_key
from data_platform.stage.bronze import PARTITION
from data_platform.stage.candidate import Candidate, Measured
from data_platform.stage.day import session_of
from data_platform.stage.prerequisite import delivery_id, require_current, require_in_place
from data_platform.stage.redaction import protector
from data_platform.stage.silver_plan import TypedRows, as_delivered, declared_output, input_rows, plan, typed_rows
from data_platform.stage.table_read import rows_at
from data_platform.transform import sql

if TYPE_CHECKING:
    from datetime import date

    from pyspark.sql import DataFrame

    from data_platform.installation import Platform
    from data_platform.model.verdict import Verdict
    from data_platform.policies import Dataset


def prepare(platform: Platform, dataset: Dataset, partition: date | None, run_id: str) -> Candidate:
    """Raises: UsageError, if bronze of this partition did not pass; NotCertifiedError, if an input has no such rows."""
    started = platform.now()
    if dataset.process is None:
        typed, versions = _from_bronze(platform, dataset, partition, run_id)
        early: tuple[Verdict, ...] = ()
    else:
        rows, early, versions = _from_process(platform, dataset, partition, run_id)
        typed = TypedRows(rows, dataset.bundle.schema_.declared)
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
        return Candidate(**common, split=None, judge=lambda _: (), held_rows=common["protect"](typed.rows))
    return _judged(platform, dataset, partition, typed, common)


def _judged(
    platform: Platform, dataset: Dataset, partition: date | None, typed: TypedRows, common: dict[str, Any]
) -> Candidate:
    from pyspark.sql import functions as F

    bundle, target = dataset.bundle, typed.target
    day = partition.isoformat() if partition else None
    promised = control_total.promised_to_silver(platform, dataset, day) if dataset.process is None else {}
    promised = {name: said for name, said in promised.items() if target.get(name) is not None}
    secret = token_key.secret(platform, dataset)
    planned = plan(dataset, partition, typed, common["started_at"], secret, promised)
    min_rows = max(
        bundle.dq.min_rows, dataset.policy.slo.volume.min_rows_per_partition if dataset.policy.slo.volume else 0
    )

    def judge(measured: Measured) -> tuple[Verdict, ...]:
        counts = {n.removeprefix("rule:"): v for n, v in measured.measures.items() if n.startswith("rule:")}
        personal = {n.removeprefix("pii:"): v for n, v in measured.measures.items() if n.startswith("pii:")}
        lite = contract.judge(
            planned.rejects,
            read=measured.read,
            kept=measured.accepted,
            broken={**measured.broken, **counts},
            min_compliance=bundle.contract_lite.min_compliance,
        )
        lite = control_total.judged(lite, {n: measured.measures[f"total:{n}"] for n in promised}, promised)
        return (
            control_total.with_kept(lite, {n: measured.measures[f"kept:{n}"] for n in promised}, promised),
            pii.judge(planned.personal, personal, measured.read),
            with_baseline(
                dq.judge(bundle.dq, rows=measured.accepted, measured=measured.measures, min_rows=min_rows),
                dataset.baseline,
                dataset.policy.slo.volume,
            ),
        )

    none_broken = typed.rows.withColumn(VIOLATIONS, F.array().cast("array<string>"))
    return Candidate(
        **common,
        split=planned.split,
        judge=judge,
        partition_by=planned.key,
        not_null=[c.field for c in bundle.schema_.constraints if not c.nullable],
        key=bundle.contract.unique[0].fields if bundle.contract.unique else (),
        rows=typed.rows,
        held_rows=common["protect"](as_delivered(none_broken, target)),
        rules={**planned.broken, **planned.contract.blocks, **planned.contract.warns},
        severities=planned.rejects.severities,
    )


def _from_bronze(
    platform: Platform, dataset: Dataset, partition: date | None, run_id: str
) -> tuple[TypedRows, dict[str, int]]:
    from pyspark.sql import functions as F

    version = require_current(platform, dataset, Stage.BRONZE, partition)
    raw = rows_at(platform, dataset, Stage.BRONZE, version, run_id, session_of(platform, dataset))
    if partition is not None:
        raw = raw.where(F.col(PARTITION) == F.lit(partition))
    return typed_rows(raw, dataset), {dataset.urn: version}


def _from_process(
    platform: Platform, dataset: Dataset, partition: date | None, run_id: str
) -> tuple[DataFrame, tuple[Verdict, ...], dict[str, int]]:
    """The process's output, its columns judged, and the certified version of each input."""
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
        inputs[item.view] = input_rows(rows, upstream, item, partition)
        versions[upstream.urn] = pointer.judged_version or pointer.version
    output, verdict = declared_output(sql.run(session, process, inputs, partition, platform.now()), dataset)
    return output, (verdict,), versions
