"""Moves old rows out of the hot tables. It may be killed at any time and started again.

A batch is written to files with temporary names, which are synced to disk and renamed. Then one transaction checks that
no row has changed meanwhile, registers the files, counts the runs, and deletes the rows. Before that transaction the
rows are in the tables; after it they are in the files. The next call removes the files of a killed batch.

A late event for an archived run creates a new row of that run in the hot table, which is archived later as well;
readers use the newest of several rows.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import delete, insert, select

from data_platform.catalog.lineage_table import ARCHIVE_FILE, PROCESS_RUN
from data_platform.catalog.partition import drop_empty_months
from data_platform.catalog.retention.batch import fingerprint, next_loose, next_runs
from data_platform.catalog.retention.file import LONGEST_PATH, TABLES, plan_files, rename_files, write_file
from data_platform.catalog.retention.journal import opened_journal
from data_platform.catalog.retention.reading import archived_before
from data_platform.catalog.retention.rollup import add_rollups
from data_platform.errors import EnvironmentProblem, SourceUnavailableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime, timedelta
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from data_platform.catalog.database import Database
    from data_platform.catalog.retention.batch import Batch, Fingerprint
    from data_platform.catalog.retention.file import ArchiveFile
    from data_platform.catalog.retention.journal import Journal
    from data_platform.catalog.retention.rollup import RunRow

Progress: TypeAlias = "Callable[[str, dict[str, Any]], None]"
"""Called with a step (noted, written, renamed, committed or done) and the progress so far."""


@dataclass(frozen=True, kw_only=True)
class ArchiveReport:
    """``changed`` counts runs with a new event while they were being archived: they are left for the next call."""

    limit: datetime
    runs: int = 0
    events: int = 0
    run_datasets: int = 0
    files: tuple[str, ...] = ()
    changed: int = 0
    removed: int = 0
    months: tuple[str, ...] = ()


@dataclass
class _Work:
    """One call of ``archive``; ``registered`` has the files that were registered before it began."""

    database: Database
    folder: Path
    journal: Journal
    progress: Progress
    now: datetime
    registered: Sequence[str]
    report: ArchiveReport


def archive(
    database: Database, *, older_than: timedelta, folder: Path, now: datetime, progress: Progress | None = None
) -> ArchiveReport:
    """Moves older runs, their events and their datasets into Parquet files in ``folder``.

    Raises:
        UsageError: ``older_than`` is less than a day, or the folder's name is too long.
        ConflictError: Another archiving is running in the folder.
        EnvironmentProblem: The folder cannot be written, or a registered file is missing.
    """
    if older_than.days < 1:
        raise UsageError("the archive takes rows that are at least one day old: expected an age such as 90d")
    folder = folder.resolve()
    if len(str(folder).encode()) > LONGEST_PATH - 100:
        raise UsageError(f"the archive's folder has a name of more than {LONGEST_PATH - 100} bytes: name another")
    limit = now - older_than
    catalog = database.engine.url.render_as_string(hide_password=True)
    with opened_journal(folder, catalog) as journal, _reporting_write_errors(folder):
        removed = journal.clear(lambda path: _is_registered(database, path))
        work = _Work(
            database=database,
            folder=folder,
            journal=journal,
            progress=progress or _ignore_progress,
            now=now,
            registered=_registered_runs(database),
            report=ArchiveReport(limit=limit, removed=removed),
        )
        for batch in _batches(work, limit):
            _archive_batch(work, batch)
        work.report = replace(work.report, months=_drop_months(database, limit))
        work.progress("done", {"runs": work.report.runs, "events": work.report.events})
    return work.report


@contextmanager
def _reporting_write_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EnvironmentProblem(
            f"the archive cannot be written to {folder}: {error.strerror or error}; what was moved before is kept, "
            "the rest is where it was: fix it and start again"
        ) from None


def _ignore_progress(step: str, details: dict[str, Any]) -> None:
    """Used when the caller passes no progress function."""


def _batches(work: _Work, limit: datetime) -> Iterator[Batch]:
    for choose in (next_runs, next_loose):
        after = None
        while True:
            with work.database.reading() as connection:
                batch = choose(connection, limit, after)
            if batch is None:
                break
            yield batch
            after = batch.end


def _archive_batch(work: _Work, batch: Batch) -> None:
    planned = plan_files(work.folder, batch.day)
    work.journal.note([path for file in planned for path in (file.temporary, file.path)])
    _report_progress(work, "noted", batch)
    with work.database.reading() as connection:
        before = fingerprint(connection, batch)
        files = [write_file(connection, batch, file) for file in planned]
    _report_progress(work, "written", batch)
    renamed = rename_files(files)
    _report_progress(work, "renamed", batch)
    _commit(work, batch, renamed, before)


def _commit(work: _Work, batch: Batch, files: Sequence[ArchiveFile], before: Fingerprint) -> None:
    rearchived = archived_before(work.registered, batch.uuids)
    counts = {file.table.name: file.rows for file in files}
    # the files must have as many rows as the fingerprint counted
    row_counts = (counts.get("process_run", 0), counts.get("run_event", 0), counts.get("run_dataset", 0))
    with work.database.writing() as connection:
        same = fingerprint(connection, batch) == before and row_counts == (before[0], before[1], before[3])
        if same:
            _move(connection, batch, files, rearchived, now=work.now)
    report = work.report
    if same:
        work.report = replace(
            report,
            runs=report.runs + row_counts[0],
            events=report.events + row_counts[1],
            run_datasets=report.run_datasets + row_counts[2],
            files=(*report.files, *(str(file.path) for file in files)),
        )
        _report_progress(work, "committed", batch)
    else:
        for file in files:
            file.path.unlink()
        work.report = replace(report, changed=report.changed + len(batch.runs))
    work.journal.delete()


def _move(
    connection: Connection,
    batch: Batch,
    files: Sequence[ArchiveFile],
    rearchived: Mapping[str, RunRow],
    *,
    now: datetime,
) -> None:
    connection.execute(insert(ARCHIVE_FILE), [file.row(batch.day, now=now) for file in files])
    add_rollups(connection, batch.runs, rearchived)
    for table in TABLES:
        for condition in batch.conditions(table):
            connection.execute(delete(table).where(condition))


def _is_registered(database: Database, path: Path) -> bool:
    with database.reading() as connection:
        # by its unique name: the path of the folder may be spelled differently here
        name = ARCHIVE_FILE.c.path.endswith(f"/{path.parent.name}/{path.name}", autoescape=True)
        query = select(ARCHIVE_FILE.c.path).where(name)
        return connection.execute(query).first() is not None


def _registered_runs(database: Database) -> Sequence[str]:
    with database.reading() as connection:
        query = select(ARCHIVE_FILE.c.path).where(ARCHIVE_FILE.c.kind == PROCESS_RUN.name)
        return connection.execute(query.order_by(ARCHIVE_FILE.c.path)).scalars().all()


def _drop_months(database: Database, limit: datetime) -> tuple[str, ...]:
    try:
        with database.writing() as connection:
            return drop_empty_months(connection, before=limit)
    except SourceUnavailableError:
        return ()  # a reader uses it now; the next call can drop the empty month


def _report_progress(work: _Work, step: str, batch: Batch) -> None:
    details = {"day": batch.day.isoformat(), "runs": work.report.runs, "events": work.report.events}
    work.progress(step, details)
