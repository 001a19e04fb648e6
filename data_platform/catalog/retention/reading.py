"""Queries archived runs: one by its uuid, or those of a process or dataset in a range of days.

An archived run with a late event has several rows, in files and in the hot table: the newest counts. The paths of the
files come from the catalog; a missing file is an error, and never skipped.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from data_platform.catalog.column import JsonText
from data_platform.catalog.dataset_row import row_of_reference
from data_platform.catalog.lineage_table import ARCHIVE_FILE, PROCESS_RUN, RUN_DATASET, RUN_EVENT
from data_platform.catalog.registry_table import PROCESS
from data_platform.catalog.retention.parquet import schema_of
from data_platform.catalog.retention.rollup import newest
from data_platform.catalog.upsert import chunks
from data_platform.errors import EnvironmentProblem, InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy import Column, Table
    from sqlalchemy.engine import Connection

    from data_platform.catalog.retention.rollup import RunRow

MOST_RUNS = 10_000
"""The most runs of one result."""
_SLACK = timedelta(days=1)
"""A producer's clock may be ahead: then a run begins after its first event has arrived."""


def find_archived_run(connection: Connection, run_uuid: str) -> RunRow | None:
    """Columns of ``process_run``, or None; also from the hot table, if a late event created a row there."""
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    paths = _paths(connection, PROCESS_RUN)
    latest = None
    for row in _read(paths, PROCESS_RUN, pc.field("run_uuid") == run_uuid):
        latest = newest(latest, row)
    return None if latest is None else _with_hot(connection, {run_uuid: latest})[run_uuid]


def find_archived_runs(
    connection: Connection,
    *,
    first: date,
    last: date,
    process: str | None = None,
    dataset: str | None = None,
    limit: int = 1_000,
) -> list[RunRow]:
    """Finds runs, if given of a process by its key, or that read or wrote a dataset by its full name.

    The runs began from ``first`` to ``last``, both days included, in UTC; newest first.

    Raises:
        InputError: ``limit`` is out of range, or ``last`` is before ``first``.
        UsageError: There is no such process or dataset.
        EnvironmentProblem: A file of the archive is missing.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not 1 <= limit <= MOST_RUNS:
        raise InputError("limit", f"expected 1 to {MOST_RUNS}")
    condition = _began_between(first, last)
    if process is not None:
        condition &= pc.field("process_id") == _key(connection, PROCESS.c.process_id, PROCESS.c.process_key, process)
    if dataset is not None:
        row = row_of_reference(connection, dataset)
        if row is None:
            raise UsageError(f"there is no dataset {dataset}: expected its full name, as the search shows it")
        number = row.dataset_id
        uuids = _runs_of_dataset(connection, number, first)
        condition &= pc.field("run_uuid").isin(pa.array(sorted(uuids), pa.string()))
    latest: dict[str, Any] = {}
    for row in _read(_paths(connection, PROCESS_RUN, since=first), PROCESS_RUN, condition):
        latest[row["run_uuid"]] = newest(latest.get(row["run_uuid"]), row)
    rows = _with_hot(connection, latest).values()
    return sorted(rows, key=lambda row: (_began(row), row["run_id"]), reverse=True)[:limit]


def find_archived_events(connection: Connection, run_uuid: str) -> list[dict[str, Any]]:
    """Columns of ``run_event``, ordered by event time. Late events are in the hot table."""
    import pyarrow.compute as pc

    rows = _read(_paths(connection, RUN_EVENT), RUN_EVENT, pc.field("run_uuid") == run_uuid)
    return sorted(rows, key=lambda row: (row["event_time"], row["event_id"]))


def archived_before(paths: Sequence[str], uuids: Iterable[str]) -> dict[str, RunRow]:
    """Returns the newest row of each run of ``uuids`` that the files have."""
    import pyarrow as pa
    import pyarrow.compute as pc

    uuid_array = pa.array(list(uuids), pa.string())
    latest: dict[str, Any] = {}
    if len(uuid_array) and paths:
        for row in _read(paths, PROCESS_RUN, pc.field("run_uuid").isin(uuid_array)):
            latest[row["run_uuid"]] = newest(latest.get(row["run_uuid"]), row)
    return latest


def _key(connection: Connection, key: Column[int], column: Column[str], name: str) -> int:
    value = connection.execute(select(key).where(column == name)).scalar_one_or_none()
    if value is None:
        raise UsageError(f"there is no {key.table.name} {name}: expected its full name, as the search shows it")
    return int(value)


def _runs_of_dataset(connection: Connection, dataset_id: int, since: date) -> set[str]:
    import pyarrow.compute as pc

    rows = _read(_paths(connection, RUN_DATASET, since=since), RUN_DATASET, pc.field("dataset_id") == dataset_id)
    return {row["run_uuid"] for row in rows}


def _with_hot(connection: Connection, archived: dict[str, Any]) -> dict[str, RunRow]:
    merged = dict(archived)
    for part in chunks(archived):
        for row in connection.execute(select(PROCESS_RUN).where(PROCESS_RUN.c.run_uuid.in_(part))).mappings():
            merged[row["run_uuid"]] = newest(merged[row["run_uuid"]], dict(row))
    return merged


def _began(row: RunRow) -> datetime:
    began: datetime = row["start_ts"] or row["first_event_at"]
    return began


def _began_between(first: date, last: date) -> Any:
    import pyarrow.compute as pc

    if last < first or last == date.max:
        raise InputError("last", "is before first, or the end of time: expected two days, the earlier one first")
    start = datetime.combine(first, time(), tzinfo=UTC)
    end = datetime.combine(last, time(), tzinfo=UTC) + timedelta(days=1)
    began = pc.coalesce(pc.field("start_ts"), pc.field("first_event_at"))
    return (began >= start) & (began < end)


def _paths(connection: Connection, table: Table, *, since: date | None = None) -> list[str]:
    """Files that may have runs which began since ``since``: no event arrives before its run begins."""
    query = select(ARCHIVE_FILE.c.path).where(ARCHIVE_FILE.c.kind == table.name)
    if since is not None and since > date.min + _SLACK:
        query = query.where(ARCHIVE_FILE.c.day >= since - _SLACK)
    return list(connection.execute(query.order_by(ARCHIVE_FILE.c.day, ARCHIVE_FILE.c.path)).scalars())


def _read(paths: Sequence[str], table: Table, condition: Any) -> Iterator[dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.dataset as ds  # type: ignore[import-untyped]

    if not paths:
        return
    texts = [column.name for column in table.columns if isinstance(column.type, JsonText)]
    try:
        files = ds.dataset(list(paths), schema=schema_of(table), format="parquet")
        for group in files.to_batches(filter=condition):
            for row in group.to_pylist():
                yield {**row, **{name: json.loads(row[name]) for name in texts}}
    except (OSError, pa.ArrowInvalid) as error:
        message = str(error).splitlines()[0][:300]
        raise EnvironmentProblem(
            f"the archive cannot be read: {message}; the file is registered in the catalog: put it back"
        ) from None
