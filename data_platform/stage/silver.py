"""Silver: rows of the declared types that keep the lite contract, personal values remediated; the others quarantined.

A landed dataset's rows come from its bronze slice; a derived one's from its process, which reads certified versions
only. Each row is accepted or quarantined, with every rule that it breaks. Decisions of people about rows of this
delivery let rows through, or keep them out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import NotCertifiedError
from data_platform.gates.plan import GatePlans, JudgedEarly
from data_platform.lake.partition import Slice
from data_platform.model.dataset import Stage
from data_platform.model.process import InputRows
from data_platform.model.quarantine import VIOLATIONS
from data_platform.stage import control_total, decision, token_key
from data_platform.stage.bronze import PARTITION
from data_platform.stage.candidate import Attempt, Candidate, QuarantinePlan
from data_platform.stage.day import session_of
from data_platform.stage.delivery_history import delivery_history
from data_platform.stage.prerequisite import carried_over, require_current, require_in_place, version_of
from data_platform.stage.redaction import protector
from data_platform.stage.silver_plan import TypedRows, as_delivered, declared_output, input_rows, plan, typed_rows
from data_platform.stage.table_read import missing_tables, rows_at, slice_of
from data_platform.transform import sql

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from pyspark.sql import DataFrame

    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.process import Input
    from data_platform.model.run import RunRow
    from data_platform.model.verdict import Verdict
    from data_platform.policies import Dataset
    from data_platform.stage.decided_row import RowDecisions
    from data_platform.stage.decision import Decisions


def prepare(platform: Platform, dataset: Dataset, partition: PartitionKey | None, run_id: str) -> Candidate:
    """Raises: UsageError, if bronze of this partition did not pass; NotCertifiedError, if an input is not certified."""
    attempt = Attempt(dataset, Stage.SILVER, partition, run_id, platform.now())
    bronze = require_current(platform, dataset, Stage.BRONZE, partition) if dataset.process is None else None
    delivery = bronze.delivery_id if bronze else ""
    decisions = decision.find(platform, dataset, Stage.SILVER, partition, delivery)
    key = token_key.current(platform, dataset)
    keys = token_key.noted(platform, dataset, partition, key)  # before the input: a pointer that moves has newer tokens
    typed, versions = _input(platform, attempt, bronze, decisions)
    protect = protector(platform, dataset, key)
    if typed.columns_verdict is not None and not typed.columns_verdict.passed:
        quarantine = QuarantinePlan(protect=protect, batch=lambda: typed.rows)
        return _of_wrong_columns(attempt, typed.columns_verdict, quarantine, versions)
    bundle, history = dataset.bundle, delivery_history(platform, dataset.urn, partition)
    planned = plan(
        dataset, partition, typed, attempt.started_at, key, _promised(bronze, typed), decisions.rows, history
    )
    return Candidate(
        attempt=attempt,
        gates=planned.gates.releasing(decisions.allowed),
        split=planned.split,
        quarantine=QuarantinePlan(
            protect=protect,
            batch=lambda: _unjudged(typed),
            key=bundle.contract.unique[0].fields if bundle.contract.unique else (),
        ),
        rules=planned.rules(typed.rows),
        partition_by=planned.key,
        not_null=[c.field for c in bundle.schema_.constraints if not c.nullable],
        delivery_id=delivery,
        input_versions=versions,
        metadata=(carried_over(bronze) if bronze else {}) | keys,
        decisions=decisions,
        missing_inputs=lambda: missing_tables(platform, _tables(platform, dataset, bronze)),
    )


def _tables(platform: Platform, dataset: Dataset, bronze: RunRow | None) -> Iterator[tuple[Dataset, Stage, int | None]]:
    """What silver reads: its bronze, or the certified versions of its process's inputs as they are now."""
    if bronze is not None:
        yield dataset, Stage.BRONZE, bronze.version
    for item in dataset.process.inputs if dataset.process else ():
        pointer = platform.catalog.certifications.get(item.dataset)
        yield platform.policies.dataset(item.dataset), Stage.CERTIFIED, pointer.version if pointer else None


def _of_wrong_columns(
    attempt: Attempt, verdict: Verdict, quarantine: QuarantinePlan, versions: dict[str, int]
) -> Candidate:
    """The output of a process whose columns are not allowed: its rows are judged no further."""
    gates = GatePlans((JudgedEarly(verdict),))
    return Candidate(attempt=attempt, gates=gates, split=None, quarantine=quarantine, input_versions=versions)


def _unjudged(typed: TypedRows) -> DataFrame:
    """The rows as they were delivered, with no violation: no gate could judge them."""
    from pyspark.sql import functions as F

    none_broken = typed.rows.withColumn(VIOLATIONS, F.array().cast("array<string>"))
    return as_delivered(none_broken, typed.target)


def _input(
    platform: Platform, attempt: Attempt, bronze: RunRow | None, decisions: Decisions
) -> tuple[TypedRows, dict[str, int]]:
    if bronze is not None:
        typed, versions = _from_bronze(platform, attempt, bronze, decisions.rows)
    else:
        typed, versions = _from_process(platform, attempt)
    return typed, versions | decisions.input_version(attempt.dataset)


def _promised(bronze: RunRow | None, typed: TypedRows) -> dict[str, Decimal]:
    """The sums that the sender of a landed dataset promised, for columns that exist."""
    promised = control_total.promised_to_silver(bronze) if bronze else {}
    return {name: total for name, total in promised.items() if typed.target.get(name) is not None}


def _from_bronze(
    platform: Platform, attempt: Attempt, bronze: RunRow, decided: RowDecisions
) -> tuple[TypedRows, dict[str, int]]:
    dataset, partition, version = attempt.dataset, attempt.partition, version_of(bronze)
    table = platform.table(dataset, Stage.BRONZE, session_of(platform, dataset))
    only = Slice(PARTITION, partition) if partition is not None else None
    raw = slice_of(table, dataset, Stage.BRONZE, version, attempt.run_id, only)
    return typed_rows(decided.marked(raw), dataset), {dataset.urn: version}


def _from_process(platform: Platform, attempt: Attempt) -> tuple[TypedRows, dict[str, int]]:
    """The process's output with its columns judged, and the certified version of each input."""
    dataset, partition = attempt.dataset, attempt.partition
    process = dataset.process
    assert process is not None  # noqa: S101
    session = session_of(platform, dataset, own=True)
    inputs: dict[str, DataFrame] = {}
    versions: dict[str, int] = {}
    upstreams = {item.dataset: platform.policies.dataset(item.dataset) for item in process.inputs}
    for item in process.inputs:
        _require_certified_day(platform, attempt, upstreams[item.dataset], item)
    pointers = platform.certified_together(upstreams)  # after the days were found, so that it has them
    for item in process.inputs:
        upstream, pointer = upstreams[item.dataset], pointers[item.dataset]
        assert pointer.version is not None  # noqa: S101
        require_in_place(platform, upstream)
        rows = rows_at(platform, upstream, Stage.CERTIFIED, pointer.version, attempt.run_id, session)
        inputs[item.view] = input_rows(rows, upstream, item, partition)
        versions[upstream.urn] = pointer.judged_version or pointer.version
    output, verdict = declared_output(sql.run(session, process, inputs, partition, platform.now()), dataset)
    return TypedRows(output, dataset.bundle.schema_.declared, columns_verdict=verdict), versions


def _require_certified_day(platform: Platform, attempt: Attempt, upstream: Dataset, item: Input) -> None:
    """Raises: NotCertifiedError, if the process reads the same day of ``upstream``, and it was never certified."""
    platform.certified(upstream.urn)
    if attempt.partition is None or not upstream.policy.partition or item.rows is not InputRows.SAME_PARTITION:
        return
    day = platform.catalog.runs.latest(upstream.urn, Stage.CERTIFIED, attempt.partition, passed_only=True)
    if day is None:
        raise NotCertifiedError(
            f"{attempt.dataset.urn} {attempt.partition} needs {upstream.urn} of that day, never certified so far: run "
            "it first"
        )
