"""When jobs of a legacy scheduler were to start, and when they last did."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import func, select

from data_platform.catalog.lineage_table import NODE_FACET, PROCESS_RUN
from data_platform.catalog.registry_table import PROCESS
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.lateness import LegacyJob
from data_platform.model.legacy import TECHNOLOGY, LegacySchedule
from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

_SCHEDULE = "autosys_schedule"


def find_legacy_jobs(connection: Connection, processes: Iterable[str]) -> dict[str, LegacyJob]:
    """Maps the key of each process to its last start, and to its schedule in the last scan, or that of its box."""
    wanted = sorted(key for key in set(processes) if key.startswith(f"{TECHNOLOGY}/"))
    schedules = _schedules(connection, [*wanted, *filter(None, map(_box_of, wanted))])
    started = _last_starts(connection, wanted)
    return {
        key: LegacyJob(
            process=key,
            schedule=schedules.get(key) or schedules.get(_box_of(key)),
            last_started=started.get(key),
        )
        for key in wanted
    }


def _box_of(key: str) -> str:
    """``AUTOSYS/BOX`` for ``AUTOSYS/BOX/JOB``; empty for a job in no box. A box in a box has another key."""
    parts = key.split("/")
    instance = f"^{key.rpartition('^')[2]}" if "^" in key else ""
    return "/".join(parts[:2]) + instance if len(parts) == 3 else ""


def _schedules(connection: Connection, keys: Iterable[str]) -> dict[str, LegacySchedule]:
    """Those that start something; a facet of another form is of a producer of events, and is left out."""
    query = select(PROCESS.c.process_key, NODE_FACET.c.value).join(
        NODE_FACET,
        (NODE_FACET.c.node_id == PROCESS.c.process_id)
        & (NODE_FACET.c.node_type == NodeType.PROCESS)
        & (NODE_FACET.c.facet == _SCHEDULE),
    )
    rows = rows_of(connection, query.where(PROCESS.c.process_key.in_(WANTED)), keys)
    found: dict[str, LegacySchedule] = {}
    for row in rows:
        with suppress(ValidationError):
            found[row.process_key] = _shape().validate_python({"active": False, **row.value})
    return {key: schedule for key, schedule in found.items() if schedule.starts}


@cache
def _shape() -> TypeAdapter[LegacySchedule]:
    return TypeAdapter(LegacySchedule)


def _last_starts(connection: Connection, keys: Iterable[str]) -> dict[str, Any]:
    start = func.max(func.coalesce(PROCESS_RUN.c.start_ts, PROCESS_RUN.c.first_event_at))
    query = (
        select(PROCESS.c.process_key, start.label("started"))
        .join(PROCESS_RUN, PROCESS_RUN.c.process_id == PROCESS.c.process_id)
        .where(PROCESS.c.process_key.in_(WANTED), PROCESS_RUN.c.historical.is_(False))
        .group_by(PROCESS.c.process_key)
    )
    return {row.process_key: row.started for row in rows_of(connection, query, keys)}
