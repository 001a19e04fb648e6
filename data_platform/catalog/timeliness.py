"""What is there of recent partitions, what runs, and what failed: the facts from which lateness is explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from data_platform.catalog.lease import find_leases
from data_platform.catalog.lineage_table import PROCESS_RUN
from data_platform.catalog.registry_table import DATASET, DATASET_VERSION, PROCESS
from data_platform.catalog.table import INTENT, RUN
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.dataset import Stage
from data_platform.model.lateness import JobRun, StageBegin, StageEnd
from data_platform.model.lineage import RunState
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run_time import MOST_RUNS, run_time_of
from data_platform.model.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection


def find_certified(
    connection: Connection, urns: Iterable[str], since: PartitionKey
) -> dict[str, frozenset[PartitionKey]]:
    """The partitions of each dataset from ``since`` on that were certified."""
    query = select(RUN.c.dataset_urn, RUN.c.partition).distinct().where(*are_certified(since))
    return _by_dataset((row.dataset_urn, row.partition) for row in rows_of(connection, query, urns))


def are_certified(since: PartitionKey) -> tuple[ColumnElement[bool], ...]:
    """The conditions of runs that certified a partition of a ``WANTED`` dataset."""
    return (
        RUN.c.dataset_urn.in_(WANTED),
        RUN.c.stage == Stage.CERTIFIED.value,
        RUN.c.partition >= since,
        RUN.c.outcome == Outcome.PASSED.value,
    )


def find_arrived(
    connection: Connection, urns: Iterable[str], since: PartitionKey
) -> dict[str, frozenset[PartitionKey]]:
    """The partitions of external datasets that were reported; a version's tag begins with its partition."""
    query = select(DATASET.c.full_name, DATASET_VERSION.c.version_tag).join(
        DATASET_VERSION, DATASET_VERSION.c.dataset_id == DATASET.c.dataset_id
    )
    query = query.where(
        DATASET.c.full_name.in_(WANTED),
        DATASET_VERSION.c.version_tag >= str(since),
        DATASET_VERSION.c.historical.is_(False),
        DATASET_VERSION.c.produced_at.is_not(None),
    )
    found = rows_of(connection, query, urns)
    return _by_dataset((row.full_name, key) for row in found if (key := partition_of(row.version_tag)) is not None)


def find_stage_ends(
    connection: Connection, urns: Iterable[str], since: PartitionKey
) -> dict[tuple[str, PartitionKey], StageEnd]:
    """The last result of each partition of the datasets from ``since`` on, whatever its stage."""
    last = select(func.max(RUN.c.id)).where(RUN.c.dataset_urn.in_(WANTED), RUN.c.partition >= since)
    columns = (RUN.c[name] for name in ("dataset_urn", "partition", "stage", "outcome", "finished_at", "reason"))
    query = select(*columns).where(RUN.c.id.in_(last.group_by(RUN.c.dataset_urn, RUN.c.partition)))
    return {
        (row.dataset_urn, row.partition): StageEnd(
            stage=Stage(row.stage),
            outcome=Outcome(row.outcome),
            finished_at=row.finished_at,
            reason=row.reason,
        )
        for row in rows_of(connection, query, urns)
    }


def find_stage_begins(connection: Connection, now: datetime) -> dict[tuple[str, PartitionKey], StageBegin]:
    """Stages that write now. One whose dataset has no lease that is valid ``now`` is dead."""
    begins = _begins(connection, now)
    return {(urn, partition): begin for urn, partition, begin in begins if partition is not None}


def find_whole_begins(connection: Connection, now: datetime) -> dict[str, StageBegin]:
    """The same for datasets without partitions."""
    return {urn: begin for urn, partition, begin in _begins(connection, now) if partition is None}


def _begins(connection: Connection, now: datetime) -> Iterator[tuple[str, PartitionKey | None, StageBegin]]:
    leased = {lease.subject for lease in find_leases(connection) if lease.expires_at > now}
    open_intents = select(INTENT).where(INTENT.c.closed_at.is_(None))
    for row in connection.execute(open_intents.order_by(INTENT.c.id)).all():
        begin = StageBegin(
            stage=Stage(row.stage),
            run_id=row.run_id,
            started_at=row.opened_at,
            usual_seconds=_usual_seconds(connection, row.dataset_urn, row.stage),
            is_alive=row.dataset_urn in leased,
        )
        yield row.dataset_urn, row.partition, begin


def find_unfinished_jobs(connection: Connection, since: datetime) -> tuple[JobRun, ...]:
    """Runs of jobs from ``since`` on that failed or have not ended, oldest first."""
    query = (
        select(PROCESS.c.namespace, PROCESS.c.name, PROCESS_RUN)
        .join(PROCESS, PROCESS.c.process_id == PROCESS_RUN.c.process_id)
        .where(
            PROCESS_RUN.c.created_at >= since,
            PROCESS_RUN.c.status.in_([RunState.FAILED.value, RunState.RUNNING.value]),
            PROCESS_RUN.c.historical.is_(False),
        )
        .order_by(PROCESS_RUN.c.last_event_at, PROCESS_RUN.c.run_id)
    )
    return tuple(
        JobRun(
            process=f"{row.namespace}/{row.name}",
            state=RunState(row.status),
            started_at=row.start_ts or row.first_event_at,
            seen_at=row.end_ts or row.last_event_at,
            nominal_start=row.nominal_start_ts,
            error=row.error_message or "",
        )
        for row in connection.execute(query)
    )


def find_producers(connection: Connection, urns: Iterable[str]) -> dict[str, str]:
    """The process whose run made the newest version of each external dataset."""
    query = (
        select(DATASET.c.full_name, PROCESS.c.namespace, PROCESS.c.name)
        .join(DATASET_VERSION, DATASET_VERSION.c.dataset_id == DATASET.c.dataset_id)
        .join(PROCESS_RUN, PROCESS_RUN.c.run_uuid == DATASET_VERSION.c.produced_by_run_id)
        .join(PROCESS, PROCESS.c.process_id == PROCESS_RUN.c.process_id)
        .where(DATASET.c.full_name.in_(WANTED))
        .order_by(DATASET_VERSION.c.dataset_version_id)
    )
    return {row.full_name: f"{row.namespace}/{row.name}" for row in rows_of(connection, query, urns)}


def _usual_seconds(connection: Connection, urn: str, stage: str) -> float | None:
    """The 95th percentile of the last runs of the stage; None if there are too few."""
    query = select(RUN.c.started_at, RUN.c.finished_at).where(RUN.c.dataset_urn == urn, RUN.c.stage == stage)
    rows = connection.execute(query.order_by(RUN.c.id.desc()).limit(MOST_RUNS))
    time = run_time_of(row.finished_at - row.started_at for row in rows)
    return None if time is None else time.long.total_seconds()


def _by_dataset(found: Iterable[tuple[str, PartitionKey]]) -> dict[str, frozenset[PartitionKey]]:
    partitions: dict[str, set[PartitionKey]] = {}
    for urn, partition in found:
        partitions.setdefault(urn, set()).add(partition)
    return {urn: frozenset(keys) for urn, keys in partitions.items()}


def partition_of(tag: str) -> PartitionKey | None:
    """The partition of an external dataset's version, with which its tag begins; None if it names none."""
    try:
        return PartitionKey(tag.partition("/")[0])
    except ValueError:
        return None
