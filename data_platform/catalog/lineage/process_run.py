"""Reads rows of process runs, folds new events into them, and writes them back.

When the earliest event of a run turns out to be from another job, the run changes its owner: it is folded again from
the stored events, and the former owner's values are removed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select, update

from data_platform.catalog.lineage.latest_value import value_of
from data_platform.catalog.lineage.run_fold import FoldedRun, fold, owner_of
from data_platform.catalog.lineage_table import PROCESS_RUN, RUN_CONFLICT, RUN_DATASET, RUN_EVENT
from data_platform.catalog.registry_table import DATASET_VERSION, PROCESS, QUALITY_CHECK_RESULT
from data_platform.catalog.upsert import WANTED, insert_into, rows_of
from data_platform.model.lineage import RunState
from data_platform.openlineage.canonical_json import parse
from data_platform.openlineage.event import read_event

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.node import Nodes
    from data_platform.model.lineage import LineageEvent, Name


_RUNS = (
    select(PROCESS_RUN, PROCESS.c.process_key)
    .join(PROCESS, PROCESS.c.process_id == PROCESS_RUN.c.process_id)
    .where(PROCESS_RUN.c.run_uuid.in_(WANTED))
)


@dataclass(frozen=True)
class FoldedRuns:
    """``counting`` has, by run, the events of its owner.

    ``fresh`` has new runs that only one job has reported: no dependent rows of them can exist, so none are looked up.
    ``completed`` has those of them that succeeded.
    """

    counting: dict[str, list[LineageEvent]]
    fresh: frozenset[str]
    completed: frozenset[str]


def fold_runs(connection: Connection, nodes: Nodes, events: Sequence[LineageEvent], *, now: datetime) -> FoldedRuns:
    """Writes the runs of ``events``."""
    by_run: dict[str, list[LineageEvent]] = {}
    for event in events:
        if event.run_uuid is not None:
            by_run.setdefault(event.run_uuid, []).append(event)
    recorded = _find_runs(connection, by_run)
    counting = {}
    added: list[dict[str, Any]] = []
    for run_uuid, fresh in by_run.items():
        counting[run_uuid] = _fold_one(connection, nodes, run_uuid, fresh, recorded.get(run_uuid), added, now=now)
    if added:
        connection.execute(insert(PROCESS_RUN), added)
    single_job = {
        row["run_uuid"]: row for row in added if len(counting[row["run_uuid"]]) == len(by_run[row["run_uuid"]])
    }
    completed = (uuid for uuid, row in single_job.items() if row["status"] is RunState.COMPLETED)
    return FoldedRuns(counting, frozenset(single_job), frozenset(completed))


def _fold_one(
    connection: Connection,
    nodes: Nodes,
    run_uuid: str,
    fresh: list[LineageEvent],
    recorded: Any,
    added: list[dict[str, Any]],
    *,
    now: datetime,
) -> list[LineageEvent]:
    earliest = owner_of(fresh)
    owner = _job(earliest)
    if recorded is not None and (earliest.time, owner.full) >= (recorded.first_event_at, recorded.process_key):
        counting = [event for event in fresh if _job(event).full == recorded.process_key]
        if counting:
            _update(connection, recorded, fold(_folded(recorded), counting))
        _add_conflicts(connection, nodes, run_uuid, fresh, recorded.process_key, now=now)
        return counting
    if recorded is not None and owner.full != recorded.process_key:
        fresh = [*_stored(connection, run_uuid), *fresh]
        _delete_run_rows(connection, run_uuid)
    counting = [event for event in fresh if _job(event) == owner]
    if recorded is None:
        run = fold(None, counting)
        added.append({**_values(run), "process_id": nodes.processes[owner], "run_uuid": run_uuid, "created_at": now})
    elif owner.full == recorded.process_key:
        _update(connection, recorded, fold(_folded(recorded), counting))
    else:
        _update(connection, recorded, fold(None, counting), process_id=nodes.processes[owner])
    _add_conflicts(connection, nodes, run_uuid, fresh, owner.full, now=now)
    return counting


def _job(event: LineageEvent) -> Name:
    assert event.job is not None, "an event of a run has a job, or is refused"  # noqa: S101
    return event.job


def _find_runs(connection: Connection, uuids: Iterable[str]) -> dict[str, Any]:
    return {row.run_uuid: row for row in rows_of(connection, _RUNS, uuids)}


def _folded(row: Any) -> FoldedRun:
    return FoldedRun(
        run_uuid=row.run_uuid,
        status=RunState(row.status),
        first_event_at=row.first_event_at,
        last_event_at=row.last_event_at,
        start_ts=row.start_ts,
        end_ts=row.end_ts,
        attempt=row.attempt,
        historical=row.historical,
        latest=row.facets_json,
    )


def _values(run: FoldedRun) -> dict[str, Any]:
    from datetime import datetime

    nominal = [value_of(run.latest, f"@nominal_{end}") for end in ("start", "end")]
    return {
        "status": run.status,
        "start_ts": run.start_ts,
        "end_ts": run.end_ts,
        "attempt": run.attempt,
        "parent_run_uuid": value_of(run.latest, "@parent"),
        "nominal_start_ts": nominal[0] and datetime.fromisoformat(nominal[0]),
        "nominal_end_ts": nominal[1] and datetime.fromisoformat(nominal[1]),
        "log_location": value_of(run.latest, "@log"),
        "error_message": value_of(run.latest, "@error"),
        "first_event_at": run.first_event_at,
        "last_event_at": run.last_event_at,
        "historical": run.historical,
        "facets_json": run.latest,
    }


def _update(connection: Connection, row: Any, run: FoldedRun, **more: Any) -> None:
    # created_at lets PostgreSQL search only the month that has the row
    same = PROCESS_RUN.c.run_id == row.run_id, PROCESS_RUN.c.created_at == row.created_at
    connection.execute(update(PROCESS_RUN).where(*same).values(**_values(run), **more))


def _stored(connection: Connection, run_uuid: str) -> list[LineageEvent]:
    query = select(RUN_EVENT.c.payload_json, RUN_EVENT.c.historical).where(RUN_EVENT.c.run_uuid == run_uuid)
    return [
        read_event(parse(row.payload_json.encode(errors="surrogatepass")), historical=row.historical)
        for row in connection.execute(query)
    ]


def _delete_run_rows(connection: Connection, run_uuid: str) -> None:
    connection.execute(delete(RUN_CONFLICT).where(RUN_CONFLICT.c.run_uuid == run_uuid))
    connection.execute(delete(QUALITY_CHECK_RESULT).where(QUALITY_CHECK_RESULT.c.run_uuid == run_uuid))
    connection.execute(delete(RUN_DATASET).where(RUN_DATASET.c.run_uuid == run_uuid))
    connection.execute(delete(DATASET_VERSION).where(DATASET_VERSION.c.produced_by_run_id == run_uuid))


def _add_conflicts(
    connection: Connection, nodes: Nodes, run_uuid: str, fresh: list[LineageEvent], owner: str, *, now: datetime
) -> None:
    others: dict[Name, datetime] = {}
    for event in fresh:
        job = _job(event)
        if job.full != owner:
            others[job] = min(event.time, others.get(job, event.time))
    if not others:
        return
    statement = insert_into(connection, RUN_CONFLICT)
    earlier = statement.excluded.first_event_at < RUN_CONFLICT.c.first_event_at
    statement = statement.on_conflict_do_update(
        index_elements=("run_uuid", "process_id"),
        set_={"first_event_at": statement.excluded.first_event_at},
        where=earlier,
    )
    keys = _process_keys(connection, nodes, others)
    rows = [
        {"run_uuid": run_uuid, "process_id": keys[job.full], "first_event_at": at, "noticed_at": now}
        for job, at in others.items()
    ]
    connection.execute(statement, rows)


def _process_keys(connection: Connection, nodes: Nodes, jobs: Iterable[Name]) -> dict[str, int]:
    """Keys by job, also of jobs that only stored events name."""
    keys = {job.full: nodes.processes[job] for job in jobs if job in nodes.processes}
    missing = [job.full for job in jobs if job.full not in keys]
    if missing:
        query = select(PROCESS.c.process_key, PROCESS.c.process_id).where(PROCESS.c.process_key.in_(missing))
        keys |= {row.process_key: row.process_id for row in connection.execute(query)}
    return keys
