"""``catalog.scheduler``: when Dagster's daemon last ticked, and which schedules and sensors are switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from data_platform.catalog.scheduler_table import SCHEDULER_TRIGGER
from data_platform.catalog.upsert import replace
from data_platform.model.scheduler_state import SchedulerState

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from data_platform.catalog.database import Database

_DAEMON = "daemon"


class Scheduler:
    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, off: Collection[str], *, now: datetime) -> None:
        """A tick of the daemon: it runs ``now``, and exactly the schedules and sensors in ``off`` are switched off."""
        with self._database.writing() as connection:
            stored = {row.name: row for row in connection.execute(select(SCHEDULER_TRIGGER))}
            running = {name: name not in off for name in {*stored, *off, _DAEMON}}
            rows = [
                {
                    "name": name,
                    "is_running": is_running,
                    "since": stored[name].since if name in stored and stored[name].is_running == is_running else now,
                    "seen_at": now,
                }
                for name, is_running in sorted(running.items())
            ]
            replace(connection, SCHEDULER_TRIGGER, rows, keys=("name",))

    def state(self) -> SchedulerState:
        with self._database.reading() as connection:
            rows = {row.name: row for row in connection.execute(select(SCHEDULER_TRIGGER))}
        daemon = rows.pop(_DAEMON, None)
        off = {name: row.since for name, row in sorted(rows.items()) if not row.is_running}
        return SchedulerState(ticked_at=daemon.seen_at if daemon else None, off=off)
