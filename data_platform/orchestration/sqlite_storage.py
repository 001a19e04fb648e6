"""Dagster's storage in SQLite files, with fewer openings of files and fewer waits for the disk.

Dagster's own classes open a file for each statement, compile the statement again, and close the file, which copies
SQLite's write-ahead log into it and waits for the disk. That is most of the cost of an event, and a day of one dataset
has about a hundred. Here the files of runs and of the index stay open. A run's own file is closed a moment after an
event, since the UI watches that file for new events; the events of that moment wait for the disk once.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from dagster import EventLogEntry
from dagster._core.events import EVENT_TYPE_TO_PIPELINE_RUN_STATUS
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME, SqliteEventLogStorage
from dagster._core.storage.runs.sqlite.sqlite_run_storage import SqliteRunStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, QueuePool, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

MOST_RUNS = 8
"""A daemon reads the files of many runs; the statements of this many are remembered."""
OPEN_SECONDS = 0.3
"""How long a run's file stays open after an event, and so how late the UI shows one."""
_WAIT = {"timeout": SQLITE_BUSY_TIMEOUT_SECONDS}


class OpenSqliteStorage(DagsterSqliteStorage):
    """The parent creates and migrates the files."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(base_dir, inst_data)
        runs, events = self._run_storage, self._event_log_storage
        self._run_storage = _Runs(runs._conn_string)
        self._event_log_storage = _Events(events._base_dir)


class _Runs(SqliteRunStorage):
    def __init__(self, conn_string: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engine = _open(conn_string)
        super().__init__(conn_string, inst_data)

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        with self._engine.begin() as connection:
            yield connection

    def dispose(self) -> None:
        self._engine.dispose()
        super().dispose()


class _Events(SqliteEventLogStorage):
    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._index: Engine | None = None
        self._of_runs: OrderedDict[str, Engine] = OrderedDict()
        self._closing: threading.Timer | None = None
        super().__init__(base_dir, inst_data)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            engine = self._engine_of(shard)
            if shard not in self._initialized_dbs:
                self._initdb(engine)
                self._initialized_dbs.add(shard)
            with engine.begin() as connection:
                yield connection
            if shard != INDEX_SHARD_NAME:
                self._close_soon()

    def store_event(self, event: EventLogEntry) -> None:
        super().store_event(event)
        if event.is_dagster_event and event.dagster_event_type in EVENT_TYPE_TO_PIPELINE_RUN_STATUS:
            self._close_runs()  # nothing may follow

    def wipe(self) -> None:
        self._close_runs()
        super().wipe()

    def dispose(self) -> None:
        self._close_runs()
        if self._index is not None:
            self._index.dispose()
        super().dispose()

    def _engine_of(self, shard: str) -> Engine:
        url = self.conn_string_for_shard(shard)
        if shard == INDEX_SHARD_NAME:
            self._index = self._index or _open(url)
            return self._index
        if shard not in self._of_runs:
            self._of_runs[shard] = _open(url)
            event.listen(self._of_runs[shard], "connect", _wait_at_the_end)
        self._of_runs.move_to_end(shard)
        if len(self._of_runs) > MOST_RUNS:
            _, oldest = self._of_runs.popitem(last=False)
            oldest.dispose()
        return self._of_runs[shard]

    def _close_soon(self) -> None:
        if self._closing is None:
            self._closing = threading.Timer(OPEN_SECONDS, self._close_runs)
            self._closing.daemon = True
            self._closing.start()

    def _close_runs(self) -> None:
        with self._db_lock:
            if self._closing is not None:
                self._closing.cancel()
                self._closing = None
            for engine in self._of_runs.values():
                engine.dispose()


def _open(url: str) -> Engine:
    return create_engine(url, poolclass=QueuePool, pool_size=1, connect_args=_WAIT)


def _wait_at_the_end(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:  # noqa: ARG001
    """Waits for the disk when the file is closed, not for each event too; a power cut loses events, but no file.

    Only for a run's own file, which is its log. What decides over later runs is in the files of runs and of the index.
    """
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")  # also while the tables of a new file are created
    cursor.execute("PRAGMA synchronous = NORMAL")
