"""Reads from the records of runs why a version was certified, or why a day was held. Needs no policy and no table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from data_platform.catalog.certification import certification_of, with_origin
from data_platform.catalog.run import run_of
from data_platform.catalog.table import CERTIFICATION_HISTORY, RUN
from data_platform.catalog.verdict import find_verdicts
from data_platform.errors import NotFoundError
from data_platform.model.dataset import Stage
from data_platform.model.explanation import (
    ExplainedDelivery,
    ExplainedInput,
    ExplainedStage,
    Explanation,
    ExplanationState,
)
from data_platform.model.next_step import next_steps
from data_platform.model.verdict import QUALIFYING, Gate

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Row

    from data_platform.model.certification import Certification
    from data_platform.model.partition_key import PartitionKey

SHOWN = 10
"""How many versions or days an error names."""


def explain_version(
    connection: Connection, urn: str, version: int, partition: PartitionKey | None = None
) -> Explanation:
    """Why consumers see or saw ``version``: the runs of the partition that it was certified for, or of ``partition``.

    Raises:
        NotFoundError: No such version was certified, or it has no such partition; the message names those that exist.
    """
    pointer = _find_version(connection, urn, version)
    if pointer is None:
        raise NotFoundError(_no_version(connection, urn, version))
    of_dataset, passed = RUN.c.dataset_urn == urn, RUN.c.outcome.in_(QUALIFYING)
    of_stage = (of_dataset, passed, RUN.c.stage == Stage.CERTIFIED.value)
    certified = _last(connection, *of_stage, RUN.c.run_id == pointer.run_id)
    until = RUN.c.id <= (certified.id if certified is not None else 0)
    gold = (of_dataset, passed, until, RUN.c.stage == Stage.GOLD.value, RUN.c.version <= pointer.judged_version)
    if partition is not None:
        written = _last(connection, *gold, RUN.c.partition == partition)
        if written is None:
            raise NotFoundError(f"v{version} of {urn} has no rows of {partition}: {_days(connection, urn)}")
        own = _last(connection, *of_stage, until, RUN.c.partition == partition, RUN.c.id > written.id)
        certified = own if own is not None else written  # the run of another day may have certified these rows
    day = partition if partition is not None else pointer.partition
    others = select(func.count(func.distinct(RUN.c.partition))).where(*gold, RUN.c.partition.is_distinct_from(day))
    return _explained(
        connection,
        urn,
        day,
        certified,
        ExplanationState.CERTIFIED,
        version=version,
        judged_version=pointer.judged_version,
        certified_at=pointer.certified_at,
        other_partitions=connection.execute(others).scalar_one(),
    )


def explain_last(connection: Connection, urn: str, partition: PartitionKey | None) -> Explanation:
    """The last result of ``partition``; of a dataset without partitions, of its last run.

    Raises:
        NotFoundError: No run of it has ended; the message names days that exist.
    """
    last = _last(connection, RUN.c.dataset_urn == urn, RUN.c.partition.is_not_distinct_from(partition))
    if last is None:
        asked = f"{urn} {partition}" if partition else urn
        raise NotFoundError(f"no run of {asked} has ended: {_days(connection, urn)}")
    has_passed = last.outcome in QUALIFYING
    if last.stage == Stage.CERTIFIED.value and has_passed:
        return explain_version(connection, urn, last.version, partition)
    return _explained(
        connection, urn, partition, last, ExplanationState.PASSED if has_passed else ExplanationState.HELD
    )


def _explained(
    connection: Connection,
    urn: str,
    partition: PartitionKey | None,
    last: Row[Any] | None,
    state: ExplanationState,
    **more: Any,
) -> Explanation:
    rows = _behind(connection, urn, last) if last is not None else []
    stages = tuple(_stage(connection, row) for row in rows)
    return Explanation(
        dataset_urn=urn,
        state=state,
        partition=partition,
        stages=stages,
        delivery=_delivery(rows, stages),
        inputs=_inputs(connection, urn, rows),
        next_steps=next_steps(urn, partition, stages[-1]) if state is ExplanationState.HELD else (),
        **more,
    )


def _behind(connection: Connection, urn: str, last: Row[Any]) -> list[Row[Any]]:
    """``last`` and the runs of the stages before it, on which it depends, from the first stage on."""
    rows = [last]
    stages = list(Stage)
    for stage in reversed(stages[: stages.index(Stage(last.stage))]):
        before = _last(
            connection,
            RUN.c.dataset_urn == urn,
            RUN.c.stage == stage.value,
            RUN.c.partition.is_not_distinct_from(last.partition),
            RUN.c.id < rows[0].id,
        )
        if before is not None:
            rows.insert(0, before)
    return rows


def _last(connection: Connection, *conditions: Any) -> Row[Any] | None:
    query = select(RUN).where(*conditions).order_by(RUN.c.id.desc()).limit(1)
    return connection.execute(query).one_or_none()


def _stage(connection: Connection, row: Row[Any]) -> ExplainedStage:
    run = run_of(row, {})
    return ExplainedStage(
        stage=run.stage,
        outcome=run.outcome,
        run_id=run.run_id,
        started_at=run.started_at,
        finished_at=run.finished_at,
        version=run.version,
        rows=run.rows,
        reason=run.reason,
        policy_fingerprint=run.policy_fingerprint,
        quarantine_table=run.quarantine_table,
        verdicts=find_verdicts(connection, row.id),
        metadata=run.metadata,
    )


def _delivery(rows: list[Row[Any]], stages: tuple[ExplainedStage, ...]) -> ExplainedDelivery | None:
    if not rows or rows[0].stage != Stage.BRONZE.value:
        return None
    metadata = rows[0].metadata
    named = (v.metadata.get("producer_urn") for v in stages[0].verdicts if v.gate is Gate.G2_IDENTITY)
    return ExplainedDelivery(
        id=rows[0].delivery_id,
        files=tuple(metadata.get("files", ())),
        producer=next(named, None),
        details=tuple(metadata.get("details", ())),
        passed_over=dict(metadata.get("passed_over", {})),
    )


def _inputs(connection: Connection, urn: str, rows: list[Row[Any]]) -> tuple[ExplainedInput, ...]:
    """Other datasets that the stages have read. A stage's own table before it is named by the dataset itself."""
    versions = {name: version for row in rows for name, version in row.input_versions.items()}
    inputs = []
    for name, version in sorted(versions.items()):
        if name == urn or "@" in name:
            continue
        pointer = _find_version(connection, name, version)
        inputs.append(
            ExplainedInput(
                dataset_urn=name,
                version=version,
                certified_at=pointer.certified_at if pointer else None,
                run_id=pointer.run_id if pointer else "",
                partition=pointer.partition if pointer else None,
            )
        )
    return tuple(inputs)


def _find_version(connection: Connection, urn: str, version: int) -> Certification | None:
    """The pointer as it was when it last stood at ``version``."""
    history = CERTIFICATION_HISTORY
    query = select(history).where(history.c.dataset_urn == urn, history.c.version == version)
    row = connection.execute(query.order_by(history.c.id.desc()).limit(1)).one_or_none()
    return None if row is None else with_origin(connection, certification_of(row), until=row.id)


def _no_version(connection: Connection, urn: str, version: int) -> str:
    history = CERTIFICATION_HISTORY
    certified = (history.c.dataset_urn == urn, history.c.version.is_not(None))
    query = select(history.c.version).where(*certified).distinct().order_by(history.c.version.desc())
    found = connection.execute(query.limit(SHOWN + 1)).scalars().all()
    if not found:
        return f"{urn} has no certified version yet: data-platform why {urn} --partition DAY explains a day"
    more = f", the last {SHOWN}" if len(found) > SHOWN else ""
    listed = ", ".join(f"v{number}" for number in found[:SHOWN])
    return (
        f"v{version} of {urn} was never certified: consumers saw {listed}{more} (data-platform history {urn} lists all)"
    )


def _days(connection: Connection, urn: str) -> str:
    query = select(RUN.c.partition).where(RUN.c.dataset_urn == urn, RUN.c.partition.is_not(None)).distinct()
    found = connection.execute(query.order_by(RUN.c.partition.desc()).limit(SHOWN + 1)).scalars().all()
    if not found:
        any_run = _last(connection, RUN.c.dataset_urn == urn)
        return "no run of it has ended yet" if any_run is None else "its rows have no partitions, leave --partition out"
    more = f", the last {SHOWN}" if len(found) > SHOWN else ""
    return f"there are runs of {', '.join(found[:SHOWN])}{more}"
