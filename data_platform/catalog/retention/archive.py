"""Moves what is old out of the hot tables. May be killed at any moment and begun again.

A batch is written to files of a temporary name, these are brought to disk and get their names, and then one transaction
sees that no row has changed meanwhile, registers the files, counts the runs, and deletes the rows. Before that
transaction the rows are where they were; after it they are in the files. What a killed batch left is removed next time.

An event that comes late for an archived run makes a new row of that run in the hot table, which in its time is
archived as well; whoever reads takes of several rows the newest.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import delete, insert, select

from data_platform.catalog.lineage_table import ARCHIVE_FILE, PROCESS_RUN
from data_platform.catalog.partition import drop_empty_months
from data_platform.catalog.retention.batch import fingerprint, next_loose, next_runs
from data_platform.catalog.retention.file import LONGEST_PATH, TABLES, give_names, plan_files, write_file
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
"""Called with a step, noted, written, renamed, committed or done, and how far it is."""


@dataclass(frozen=True, kw_only=True)
class ArchiveReport:
    """``changed`` are runs that an event reached while they were being archived: they stay, for the next time."""

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
    """One call of ``archive``; ``known`` are the files that were registered before it began."""

    database: Database
    folder: Path
    journal: Journal
    progress: Progress
    now: datetime
    known: Sequence[str]
    report: ArchiveReport


def archive(
    database: Database, *, older_than: timedelta, folder: Path, now: datetime, progress: Progress | None = None
) -> ArchiveReport:
    """Move runs, their events and what they read and wrote, that are older, into Parquet files in ``folder``.

    Raises:
        UsageError: ``older_than`` is less than a day, or the folder's name is too long.
        ConflictError: Another archive is at work in the folder.
        EnvironmentProblem: The folder cannot be written, or a registered file is not there.
    """
    if older_than.days < 1:
        raise UsageError("the archive takes what is at least one day old: expected one such as 90d")
    folder = folder.resolve()
    if len(str(folder).encode()) > LONGEST_PATH - 100:
        raise UsageError(f"the archive's folder has a name of more than {LONGEST_PATH - 100} bytes: name another")
    limit = now - older_than
    catalog = database.engine.url.render_as_string(hide_password=True)
    with opened_journal(folder, catalog) as journal, _told_if_not_written(folder):
        removed = journal.clear(lambda path: _is_registered(database, path))
        work = _Work(
            database=database,
            folder=folder,
            journal=journal,
            progress=progress or _keep_silent,
            now=now,
            known=_registered_runs(database),
            report=ArchiveReport(limit=limit, removed=removed),
        )
        for batch in _batches(work, limit):
            _archive_batch(work, batch)
        work.report = replace(work.report, months=_drop_months(database, limit))
        work.progress("done", {"runs": work.report.runs, "events": work.report.events})
    return work.report


@contextmanager
def _told_if_not_written(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EnvironmentProblem(
            f"the archive cannot be written to {folder}: {error.strerror or error}; what was moved before is kept, "
            "the rest is where it was: mend it and begin again"
        ) from None


def _keep_silent(step: str, told: dict[str, Any]) -> None:
    """Where nobody wants to hear of progress."""


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
    work.journal.note([path for file in planned for path in (file.fresh, file.path)])
    _tell(work, "noted", batch)
    with work.database.reading() as connection:
        before = fingerprint(connection, batch)
        files = [write_file(connection, batch, file) for file in planned]
    _tell(work, "written", batch)
    kept = give_names(files)
    _tell(work, "renamed", batch)
    _commit(work, batch, kept, before)


def _commit(work: _Work, batch: Batch, files: Sequence[ArchiveFile], before: Fingerprint) -> None:
    twice = archived_before(work.known, batch.uuids)
    counts = {file.table.name: file.rows for file in files}
    # what was written is what was there: so the counts of the fingerprint are those of the files
    whole = (counts.get("process_run", 0), counts.get("run_event", 0), counts.get("run_dataset", 0))
    with work.database.writing() as connection:
        same = fingerprint(connection, batch) == before and whole == (before[0], before[1], before[3])
        if same:
            _move(connection, batch, files, twice, now=work.now)
    report = work.report
    if same:
        work.report = replace(
            report,
            runs=report.runs + whole[0],
            events=report.events + whole[1],
            run_datasets=report.run_datasets + whole[2],
            files=(*report.files, *(str(file.path) for file in files)),
        )
        _tell(work, "committed", batch)
    else:
        for file in files:
            file.path.unlink()
        work.report = replace(report, changed=report.changed + len(batch.runs))
    work.journal.strike()


def _move(
    connection: Connection, batch: Batch, files: Sequence[ArchiveFile], twice: Mapping[str, RunRow], *, now: datetime
) -> None:
    connection.execute(insert(ARCHIVE_FILE), [file.row(batch.day, now=now) for file in files])
    add_rollups(connection, batch.runs, twice)
    for table in TABLES:
        for condition in batch.conditions(table):
            connection.execute(delete(table).where(condition))


def _is_registered(database: Database, path: Path) -> bool:
    with database.reading() as connection:
        # by its name, which no other file has: the folder may be written in another way here
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
        return ()  # somebody reads in it just now; an empty month may as well go next time


def _tell(work: _Work, step: str, batch: Batch) -> None:
    told = {"day": batch.day.isoformat(), "runs": work.report.runs, "events": work.report.events}
    work.progress(step, told)
