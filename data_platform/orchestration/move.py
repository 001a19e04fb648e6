"""Copies Dagster's runs, events, cursors and ticks from its SQLite files into PostgreSQL.

Dagster has no command for this, but has the same tables in both. Asset events keep their numbers, which cursors of
sensors refer to. Other events of a run are in a file of that run; they get numbers after those. Pool slots and
heartbeats of daemons are not copied: they belong to processes that have ended.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dagster._core.storage.event_log.schema import SqlEventLogStorageMetadata, SqlEventLogStorageTable
from dagster._core.storage.runs.schema import RunStorageSqlMetadata
from dagster._core.storage.schedules.schema import ScheduleStorageSqlMetadata
from sqlalchemy import Connection, MetaData, Table, create_engine, insert, inspect, select

from data_platform.catalog.move import BATCH_ROWS, compare_counts, copy_rows, count_rows
from data_platform.errors import UsageError
from data_platform.orchestration.storage import postgres_url, prepare_storage
from data_platform.settings import Settings

Progress = Callable[[str, int, int], None]
LEFT = frozenset(
    {
        "secondary_indexes", "daemon_heartbeats", "instance_info", "concurrency_limits", "concurrency_slots",
        "pending_steps", "alembic_version",
    }
)  # fmt: skip
PARTS: tuple[tuple[str, MetaData], ...] = (
    ("history/runs.db", RunStorageSqlMetadata),
    ("history/runs/index.db", SqlEventLogStorageMetadata),
    ("schedules/schedules.db", ScheduleStorageSqlMetadata),
)


def move_dagster(source: Settings, target: Settings, progress: Progress) -> dict[str, int] | None:
    """Returns the copied rows by table; None if there is nothing to move, or it was moved before.

    Raises:
        UsageError: The target already has runs of its own.
    """
    home = source.dagster_home
    url = postgres_url(target.catalog_url)
    if url is None or postgres_url(source.catalog_url) is not None or not (home / "history" / "runs.db").exists():
        return None
    prepare_storage(source)  # migrates the files first, in case an older Dagster wrote them
    prepare_storage(target)
    engine = create_engine(url, hide_parameters=True)
    try:
        with engine.begin() as writing:
            if _was_moved(home, writing):
                return None
            moved: dict[str, int] = {}
            for file, metadata in PARTS:
                moved |= _copy_part(home / file, metadata, writing, progress)
            moved["event_logs"] += _copy_run_events(home / "history" / "runs", writing, progress)
            return moved
    finally:
        engine.dispose()


@contextmanager
def _opened(file: Path) -> Iterator[Connection]:
    engine = create_engine(f"sqlite:///{file}", hide_parameters=True)
    try:
        with engine.connect() as reading:
            yield reading
    finally:
        engine.dispose()


def _was_moved(home: Path, writing: Connection) -> bool:
    runs = RunStorageSqlMetadata.tables["runs"]
    there = set(writing.execute(select(runs.c.run_id)).scalars())
    if not there:
        return False
    with _opened(home / "history" / "runs.db") as reading:
        if set(reading.execute(select(runs.c.run_id)).scalars()) <= there:
            return True
    raise UsageError(f"Dagster has {len(there)} other runs in the database to move to already: name an empty one")


def _copy_part(file: Path, metadata: MetaData, writing: Connection, progress: Progress) -> dict[str, int]:
    if not file.exists():
        return {}
    with _opened(file) as reading:
        present = set(inspect(reading).get_table_names())
        tables = [table for table in metadata.sorted_tables if table.name in present and table.name not in LEFT]
        wanted = count_rows(reading, tables)
        for table in tables:
            copy_rows(reading, writing, table, table, wanted[table.name], progress)
    compare_counts(wanted, count_rows(writing, tables))
    return wanted


def _copy_run_events(folder: Path, writing: Connection, progress: Progress) -> int:
    """Copies events that are only in the file of their run."""
    events = SqlEventLogStorageTable
    files = sorted(file for file in folder.glob("*.db") if file.stem != "index")
    copied = 0
    for number, file in enumerate(files, start=1):
        there = select(events.c.event).where(events.c.run_id == file.stem)
        moved_before = set(writing.execute(there).scalars())
        with _opened(file) as reading:
            rows = reading.execute(select(events).order_by(events.c.id)).mappings()
            fresh = [_without_number(row, events) for row in rows if row["event"] not in moved_before]
        for start in range(0, len(fresh), BATCH_ROWS):
            writing.execute(insert(events), fresh[start : start + BATCH_ROWS])
        copied += len(fresh)
        progress("events of runs", number, len(files))
    return copied


def _without_number(row: Any, table: Table) -> dict[str, Any]:
    return {column.name: row[column.name] for column in table.columns if column.name != "id"}
