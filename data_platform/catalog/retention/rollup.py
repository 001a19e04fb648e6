"""Keeps counts of archived runs by hour and day, process and status.

A run that is archived again after a late event is not counted twice: its earlier values are subtracted and its new ones
added. Only the longest duration is not reduced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import case, delete

from data_platform.catalog.lineage_table import RUN_ROLLUP
from data_platform.catalog.upsert import insert_into

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from sqlalchemy.engine import Connection

RunRow: TypeAlias = "dict[str, Any]"
"""Columns of ``process_run``."""


@dataclass(frozen=True)
class Counted:
    """The values that one run adds to the counts."""

    process_id: int
    status: str
    began: datetime
    seconds: float


def counted(run: RunRow) -> Counted:
    began = run["start_ts"] or run["first_event_at"]
    ended = run["end_ts"]
    seconds = max(0.0, (ended - began).total_seconds()) if ended and run["start_ts"] else 0.0
    return Counted(run["process_id"], str(run["status"]), began, seconds)


def newest(one: RunRow | None, other: RunRow | None) -> RunRow | None:
    """Returns the row of a run with the later last event; of equal ones the row that was created later."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda row: (row["last_event_at"], row["created_at"], row["run_id"]))


def add_rollups(connection: Connection, runs: Iterable[RunRow], before: Mapping[str, RunRow]) -> None:
    """Adds runs to the counts; ``before`` maps the uuid of runs archived before to their earlier row."""
    sums: dict[tuple[Any, ...], list[float]] = {}
    for run in runs:
        earlier = before.get(run["run_uuid"])
        now = newest(earlier, run)
        if earlier is not None:
            _add(sums, counted(earlier), -1)
        if now is not None:
            _add(sums, counted(now), 1)
    rows = [
        dict(zip(("grain", "bucket", "process_id", "status"), key, strict=True))
        | {"run_count": int(count), "seconds_sum": total, "seconds_max": longest}
        for key, (count, total, longest) in sorted(sums.items())
    ]
    if rows:
        _merge(connection, rows)
        connection.execute(delete(RUN_ROLLUP).where(RUN_ROLLUP.c.run_count == 0))


def _add(sums: dict[tuple[Any, ...], list[float]], run: Counted, sign: int) -> None:
    hour = run.began.replace(minute=0, second=0, microsecond=0)
    for grain, bucket in (("HOUR", hour), ("DAY", hour.replace(hour=0))):
        total = sums.setdefault((grain, bucket, run.process_id, run.status), [0, 0.0, 0.0])
        total[0] += sign
        total[1] += sign * run.seconds
        total[2] = max(total[2], run.seconds)


def _merge(connection: Connection, rows: list[dict[str, Any]]) -> None:
    statement = insert_into(connection, RUN_ROLLUP)
    new, old = statement.excluded, RUN_ROLLUP.c
    statement = statement.on_conflict_do_update(
        index_elements=("grain", "bucket", "process_id", "status"),
        set_={
            "run_count": old.run_count + new.run_count,
            "seconds_sum": old.seconds_sum + new.seconds_sum,
            "seconds_max": case((new.seconds_max > old.seconds_max, new.seconds_max), else_=old.seconds_max),
        },
    )
    connection.execute(statement, rows)
