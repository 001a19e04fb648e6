"""Connections and transactions, with the differences between SQLite and PostgreSQL.

Both have one writer at a time: ``BEGIN IMMEDIATE`` on SQLite, an advisory lock on PostgreSQL. A write transaction takes
milliseconds, and what it has read cannot change before it commits. Readers never wait, and each read transaction sees
one state: SQLite's own way in WAL mode, REPEATABLE READ on PostgreSQL.
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

from data_platform.errors import (
    DataPlatformError,
    EnvironmentProblem,
    SourceUnavailableError,
    UnknownOutcomeError,
    UsageError,
)
from data_platform.model.private_path import private_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import URL, Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

WAIT_SECONDS = 30
"""How long a writer waits for others. Each takes milliseconds, so after this time one of them hangs."""

CONNECT_SECONDS = 10
"""Timeout for a server that does not answer; the driver's own is minutes. The URL may set another one."""
NETWORK_LIMITS = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 4, "tcp_user_timeout": 30_000}
"""The kernel gives up a connection whose other end is silent for half a minute; its own limits are up to two hours."""

# Advisory locks are per database, which may hold other catalogs in other schemas. So the lock's number contains the oid
# of this catalog's revision table, which is 0 only until the first migration creates that table.
_OWN_TABLE = "coalesce(to_regclass('catalog_revision')::oid::bigint, 0)"
_LOCK = f"SELECT pg_advisory_xact_lock({0x64617461 << 32} | {_OWN_TABLE})"
_WRITES = "catalog_writes"
_UNKNOWN = "That was the commit, so it is unknown whether the change is stored; run again, which stores nothing twice"


class Database:
    """Opens transactions, and converts the driver's errors into the platform's, without the values they quote."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        is_file = engine.dialect.name == "sqlite"
        self._readers = engine if is_file else engine.execution_options(isolation_level="REPEATABLE READ")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Opens a transaction whose queries all see the same state."""
        with _translated(self.engine), self._readers.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Opens the single write transaction; an error rolls it back.

        Raises:
            UnknownOutcomeError: The server did not answer to the commit.
        """
        is_committing = False
        try:
            with _translated(self.engine), self.engine.execution_options(**{_WRITES: True}).begin() as connection:
                if connection.dialect.name == "postgresql":
                    # one round trip, because every single event pays for it
                    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{WAIT_SECONDS}s'; {_LOCK}")
                yield connection
                is_committing = True
        except SourceUnavailableError as error:
            if is_committing and self.engine.dialect.name == "postgresql":
                raise UnknownOutcomeError(f"{error}. {_UNKNOWN}") from None
            raise

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """Like ``writing``; on SQLite, where a changed table is created anew, foreign keys are checked at the end.

        Raises:
            EnvironmentProblem: A row refers to a missing row; everything is rolled back.
        """
        if self.engine.dialect.name != "sqlite":
            with self.writing() as connection:
                yield connection
            return
        writers = self.engine.execution_options(**{_WRITES: True})
        with _translated(self.engine), writers.connect() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None, "a connection is open here"  # noqa: S101
            driver.execute("PRAGMA foreign_keys = OFF")  # has no effect within a transaction
            try:
                with connection.begin():
                    yield connection
                    if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
                        raise EnvironmentProblem(
                            "the catalog has rows that refer to missing rows: restore it from a backup"
                        )
            finally:
                driver.execute("PRAGMA foreign_keys = ON")

    def close(self) -> None:
        self.engine.dispose()


def open_database(url: str) -> Database:
    """Opens ``sqlite:////folder/catalog.db``, whose folder is created, or ``postgresql://user:password@host/name``.

    Raises:
        UsageError: ``url`` is neither.
        EnvironmentProblem: The SQLite file cannot be created or read.
    """
    parsed = _parse(url)
    if parsed.drivername == "sqlite":
        return Database(_open_sqlite(parsed))
    # hide_parameters: bound values may come from a delivery, and must not be logged
    limits = {"connect_timeout": CONNECT_SECONDS, **NETWORK_LIMITS}
    limits = {name: limit for name, limit in limits.items() if name not in parsed.query}
    return Database(
        create_engine(
            parsed,
            hide_parameters=True,
            pool_pre_ping=True,
            connect_args=limits,
            # SQLAlchemy sends rows of an INSERT with ON CONFLICT one by one unless told so
            executemany_mode="values_plus_batch",
            executemany_batch_page_size=500,
        )
    )


def _parse(url: str) -> URL:
    expected = "expected sqlite:////folder/catalog.db or postgresql://user:password@host/name"
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise UsageError(f"the catalog's URL cannot be read: {expected}") from None
    if parsed.drivername == "sqlite" and parsed.database not in (None, "", ":memory:"):
        return parsed
    if parsed.drivername in ("postgresql", "postgres", "postgresql+psycopg2"):
        return parsed.set(drivername="postgresql+psycopg2")  # without it SQLAlchemy 2.1 would import psycopg 3
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
    # isolation_level None: the driver begins no transaction itself, so that DDL is part of ours too
    engine = create_engine(url, hide_parameters=True, connect_args={"timeout": WAIT_SECONDS, "isolation_level": None})
    event.listen(engine, "connect", _turn_on_foreign_keys)
    event.listen(engine, "begin", _begin)
    _use_wal(engine)
    return engine


def _turn_on_foreign_keys(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:  # noqa: ARG001
    connection.cursor().execute("PRAGMA foreign_keys = ON")


def _begin(connection: Connection) -> None:
    # A DEFERRED transaction that reads first and writes later fails at once if another has written in between.
    mode = "IMMEDIATE" if connection.get_execution_options().get(_WRITES) else "DEFERRED"
    connection.exec_driver_sql(f"BEGIN {mode}")


def _use_wal(engine: Engine) -> None:
    """Turns on WAL, which the file keeps. The switch does not wait for other connections, so it is retried."""
    shown_url, pause = engine.url.render_as_string(), 0.05
    for _ in range(int(WAIT_SECONDS / pause)):
        try:
            with closing(engine.raw_connection()) as connection:
                connection.cursor().execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.DatabaseError as error:
            if "locked" not in str(error):
                raise EnvironmentProblem(
                    f"the catalog {shown_url} cannot be used: {error}; {_remedy(str(error))}"
                ) from None
        time.sleep(pause)
    raise SourceUnavailableError(f"the catalog {shown_url} has been locked for {WAIT_SECONDS} seconds; try again")


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
    shown_url, is_file = engine.url.render_as_string(hide_password=True), engine.dialect.name == "sqlite"
    if isinstance(error, IntegrityError):
        return UsageError(f"the catalog refused a row, by {_constraint(error)}; nothing was written")
    message = str(error.orig).partition("\n")[0] if isinstance(error, OperationalError) else type(error.orig).__name__
    if isinstance(error, OperationalError) and (not is_file or "locked" in message):
        return SourceUnavailableError(
            f"the catalog {shown_url} (DATA_PLATFORM_CATALOG_URL) did not answer: {message}; try again"
        )
    return EnvironmentProblem(f"the catalog {shown_url} cannot be used: {message}; {_remedy(message)}")


def _remedy(message: str) -> str:
    if "readonly" in message or "unable to open" in message:
        return "let this user write the file and its folder, or set DATA_PLATFORM_CATALOG_URL to another"
    if "full" in message or "I/O" in message:
        return "free space on that disk, and run again"
    return "set DATA_PLATFORM_CATALOG_URL to another if it cannot be repaired"


def _constraint(error: IntegrityError) -> str:
    """The constraint's name, or the column; the drivers' messages have more, and PostgreSQL's quotes values."""
    diagnosis = getattr(error.orig, "diag", None)
    if diagnosis is None:
        return str(error.orig)
    return str(diagnosis.constraint_name or f"column {diagnosis.table_name}.{diagnosis.column_name}")
