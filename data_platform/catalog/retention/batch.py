"""Selects the next batch to archive: some thousand runs of one day with their rows, or events without a run.

The day is that of their first event's arrival, which also determines the PostgreSQL partition. A run is old if its
first arrival and its last event were before the limit, whether or not it ended. So history that is loaded today stays
for its 90 days, however old it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sqlalchemy import func, select, tuple_

from data_platform.catalog.lineage_table import PROCESS_RUN, RUN_DATASET, RUN_EVENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date, datetime

    from sqlalchemy import ColumnElement, Table
    from sqlalchemy.engine import Connection

    from data_platform.catalog.retention.rollup import RunRow

MOST_RUNS = 5_000
"""The most runs of a batch: some tens of thousands of rows, which a transaction deletes within a second or so."""
_STEP = 500

Place: TypeAlias = "tuple[datetime, int]"
"""The time at which a row arrived and its key: the next batch starts after it."""
Fingerprint: TypeAlias = "tuple[int, int, int, int]"
"""A cheap fingerprint of rows: every change of a run adds an event."""


@dataclass(frozen=True)
class Batch:
    """``runs`` have the columns needed for counting; ``loose`` are keys of events without a run."""

    day: date
    end: Place
    runs: Sequence[RunRow] = ()
    loose: Sequence[int] = ()

    @property
    def uuids(self) -> list[str]:
        return [run["run_uuid"] for run in self.runs]

    def conditions(self, table: Table) -> Iterator[ColumnElement[bool]]:
        """Yields conditions that select the rows of ``table`` in this batch, some hundred rows each."""
        if table is PROCESS_RUN:
            keys, column = [run["run_id"] for run in self.runs], PROCESS_RUN.c.run_id
        elif self.loose:
            keys, column = list(self.loose) if table is RUN_EVENT else [], RUN_EVENT.c.event_id
        else:
            keys, column = self.uuids, table.c.run_uuid
        for start in range(0, len(keys), _STEP):
            yield column.in_(keys[start : start + _STEP])


def next_runs(connection: Connection, limit: datetime, after: Place | None) -> Batch | None:
    run = PROCESS_RUN.c
    columns = run.run_id, run.run_uuid, run.process_id, run.status, run.start_ts, run.end_ts
    query = select(*columns, run.first_event_at, run.last_event_at, run.created_at)
    query = query.where(run.created_at < limit, run.last_event_at < limit).order_by(run.created_at, run.run_id)
    if after is not None:
        query = query.where(tuple_(run.created_at, run.run_id) > tuple_(*after))
    rows = connection.execute(query.limit(MOST_RUNS)).mappings().all()
    if not rows:
        return None
    day = rows[0]["created_at"].date()
    same = [dict(row) for row in rows if row["created_at"].date() == day]
    return Batch(day=day, end=(same[-1]["created_at"], same[-1]["run_id"]), runs=same)


def next_loose(connection: Connection, limit: datetime, after: Place | None) -> Batch | None:
    event = RUN_EVENT.c
    query = select(event.event_id, event.received_at).where(event.received_at < limit, event.run_uuid.is_(None))
    if after is not None:
        query = query.where(tuple_(event.received_at, event.event_id) > tuple_(*after))
    rows = connection.execute(query.order_by(event.received_at, event.event_id).limit(MOST_RUNS)).all()
    if not rows:
        return None
    day = rows[0].received_at.date()
    same = [row for row in rows if row.received_at.date() == day]
    return Batch(day=day, end=(same[-1].received_at, same[-1].event_id), loose=[row.event_id for row in same])


def fingerprint(connection: Connection, batch: Batch) -> Fingerprint:
    """Changes when any row of the batch is changed, added or deleted."""
    runs = events = last = datasets = 0
    for condition in batch.conditions(PROCESS_RUN):
        runs += connection.execute(select(func.count()).select_from(PROCESS_RUN).where(condition)).scalar_one()
    for condition in batch.conditions(RUN_EVENT):
        query = select(func.count(), func.max(RUN_EVENT.c.event_id)).where(condition)
        count, greatest = connection.execute(query).one()
        events, last = events + count, max(last, greatest or 0)
    for condition in batch.conditions(RUN_DATASET):
        datasets += connection.execute(select(func.count()).select_from(RUN_DATASET).where(condition)).scalar_one()
    return runs, events, last, datasets
