"""Connections and transactions, and what SQLite and PostgreSQL do differently there.

Writers go one at a time on both: ``BEGIN IMMEDIATE`` on SQLite, an advisory lock on PostgreSQL. A write here takes
milliseconds, and what was read in it cannot change before it commits. Readers never wait.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, OperationalError, StatementError

from data_platform.errors import DataPlatformError, EnvironmentProblem, SourceUnavailableError, UsageError
from data_platform.model.private_path import private_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import URL, Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

WAIT_SECONDS = 30
"""How long a writer waits for the others; each of them takes milliseconds, so after this something hangs."""

CONNECT_SECONDS = 10
"""For a server that does not answer at all; the driver itself would wait for minutes. The URL may say otherwise."""

# Advisory locks are the whole database's, and other catalogs may have schemas of their own in it: the lock's number has
# the table of our revision in it, which is 0 only until the first migration has made it.
_OWN_TABLE = "coalesce(to_regclass('catalog_revision')::oid::bigint, 0)"
_LOCK = f"SELECT pg_advisory_xact_lock({0x64617461 << 32} | {_OWN_TABLE})"
_WRITES = "catalog_writes"


class Database:
    """Hands out transactions, and turns the driver's errors into ours, without their values."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with _translated(self.engine), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The one write transaction of this moment: all of it is kept, or after an error none."""
        with _translated(self.engine), self.engine.execution_options(**{_WRITES: True}).begin() as connection:
            if connection.dialect.name == "postgresql":
                # one round trip: this is paid by every event that comes alone
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{WAIT_SECONDS}s'; {_LOCK}")
            yield connection

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """As ``writing``; on SQLite, where a table is changed by making it anew, foreign keys are checked at the end.

        Raises:
            EnvironmentProblem: A row is left without the row that it refers to; nothing is kept.
        """
        if self.engine.dialect.name != "sqlite":
            with self.writing() as connection:
                yield connection
            return
        writers = self.engine.execution_options(**{_WRITES: True})
        with _translated(self.engine), writers.connect() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None, "a connection is open here"  # noqa: S101
            driver.execute("PRAGMA foreign_keys = OFF")  # of no effect within a transaction
            try:
                with connection.begin():
                    yield connection
                    if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
                        raise EnvironmentProblem("the catalog has rows that refer to none: restore it from a backup")
            finally:
                driver.execute("PRAGMA foreign_keys = ON")

    def close(self) -> None:
        self.engine.dispose()


def open_database(url: str) -> Database:
    """``sqlite:////folder/catalog.db``, whose folder is made, or ``postgresql://user:password@host/name``.

    Raises:
        UsageError: ``url`` is neither.
        EnvironmentProblem: The SQLite file cannot be made or read.
    """
    parsed = _parse(url)
    if parsed.drivername == "sqlite":
        return Database(_open_sqlite(parsed))
    # hide_parameters: what is bound may come from a delivery, and must not get into a log
    patience = {} if "connect_timeout" in parsed.query else {"connect_timeout": CONNECT_SECONDS}
    return Database(create_engine(parsed, hide_parameters=True, pool_pre_ping=True, connect_args=patience))


def _parse(url: str) -> URL:
    expected = "expected sqlite:////folder/catalog.db or postgresql://user:password@host/name"
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise UsageError(f"the catalog's URL cannot be read: {expected}") from None
    if parsed.drivername == "sqlite" and parsed.database not in (None, "", ":memory:"):
        return parsed
    if parsed.drivername in ("postgresql", "postgres", "postgresql+psycopg2"):
        return parsed.set(drivername="postgresql+psycopg2")  # without it SQLAlchemy 2.1 would look for psycopg 3
    raise UsageError(f"the catalog's URL is of {parsed.drivername}, or names no file: {expected}")


def _open_sqlite(url: URL) -> Engine:
    path = Path(url.database or "")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        private_file(path)  # SQLite gives its -wal and -shm files the same mode
    except OSError as error:
        raise EnvironmentProblem(
            f"the catalog's file {path} cannot be made: {error.strerror}; set DATA_PLATFORM_HOME to a folder that can "
            "be written, or DATA_PLATFORM_CATALOG_URL"
        ) from None
    # isolation_level None: the driver begins nothing by itself, so that DDL too is part of our transactions
    engine = create_engine(url, hide_parameters=True, connect_args={"timeout": WAIT_SECONDS, "isolation_level": None})
    event.listen(engine, "connect", _turn_on_foreign_keys)
    event.listen(engine, "begin", _begin)
    _use_wal(engine)
    return engine


def _turn_on_foreign_keys(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:  # noqa: ARG001
    connection.cursor().execute("PRAGMA foreign_keys = ON")


def _begin(connection: Connection) -> None:
    # A transaction that reads first and writes later would fail at once if another wrote in between.
    mode = "IMMEDIATE" if connection.get_execution_options().get(_WRITES) else "DEFERRED"
    connection.exec_driver_sql(f"BEGIN {mode}")


def _use_wal(engine: Engine) -> None:
    """WAL stays in the file. The switch itself does not wait for others as a write does, so it is tried again."""
    place, pause = engine.url.render_as_string(), 0.05
    for _ in range(int(WAIT_SECONDS / pause)):
        try:
            with closing(engine.raw_connection()) as connection:
                connection.cursor().execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.DatabaseError as error:
            if "locked" not in str(error):
                raise EnvironmentProblem(
                    f"the catalog {place} cannot be used: {error}; {_remedy(str(error))}"
                ) from None
        time.sleep(pause)
    raise SourceUnavailableError(f"the catalog {place} has been locked for {WAIT_SECONDS} seconds; try again")


@contextmanager
def _translated(engine: Engine) -> Iterator[None]:
    try:
        yield
    except StatementError as error:
        # Not ``from error``: PostgreSQL's text quotes the whole row that was refused.
        raise _problem(engine, error) from None


def _problem(engine: Engine, error: StatementError) -> DataPlatformError:
    if isinstance(error.orig, DataPlatformError):
        return error.orig
    place, is_file = engine.url.render_as_string(hide_password=True), engine.dialect.name == "sqlite"
    if isinstance(error, IntegrityError):
        return UsageError(f"the catalog refused a row, by {_constraint(error)}; nothing was written")
    said = str(error.orig).partition("\n")[0] if isinstance(error, OperationalError) else type(error.orig).__name__
    if isinstance(error, OperationalError) and (not is_file or "locked" in said):
        return SourceUnavailableError(
            f"the catalog {place} (DATA_PLATFORM_CATALOG_URL) did not answer: {said}; try again"
        )
    return EnvironmentProblem(f"the catalog {place} cannot be used: {said}; {_remedy(said)}")


def _remedy(said: str) -> str:
    if "readonly" in said or "unable to open" in said:
        return "let this user write the file and its folder, or set DATA_PLATFORM_CATALOG_URL to another"
    if "full" in said or "I/O" in said:
        return "make room on that disk, and run again"
    return "set DATA_PLATFORM_CATALOG_URL to another if it cannot be repaired"


def _constraint(error: IntegrityError) -> str:
    """Its name, or the column; both drivers say more, and PostgreSQL's says values."""
    diagnosis = getattr(error.orig, "diag", None)
    if diagnosis is None:
        return str(error.orig)
    return str(diagnosis.constraint_name or f"column {diagnosis.table_name}.{diagnosis.column_name}")
