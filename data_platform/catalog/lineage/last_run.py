"""The last run of each of many processes: its state and its times, without datasets and facets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from data_platform.catalog.lineage_table import PROCESS_RUN
from data_platform.catalog.registry_table import PROCESS
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.lineage import RunState
from data_platform.model.process_page import LastRun

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

_RUN = PROCESS_RUN.c
NEWEST_RUN = (
    select(_RUN.run_id)
    .where(_RUN.process_id == PROCESS.c.process_id)
    .order_by(_RUN.start_ts.desc().nulls_last(), _RUN.run_id.desc())
    .limit(1)
    .correlate(PROCESS)
    .scalar_subquery()
)
"""By its start, for which there is an index; a run whose start nobody reported is older than any other."""
_LAST = (
    select(PROCESS.c.process_id, _RUN.run_uuid, _RUN.status, _RUN.start_ts, _RUN.end_ts)
    .join(PROCESS_RUN, _RUN.run_id == NEWEST_RUN)
    .where(PROCESS.c.process_id.in_(WANTED))
)


def find_last_runs(connection: Connection, processes: Iterable[int]) -> dict[int, LastRun]:
    """By the ids of the processes; those that never ran are left out."""
    return {
        row.process_id: LastRun(run_uuid=row.run_uuid, status=RunState(row.status), start=row.start_ts, end=row.end_ts)
        for row in rows_of(connection, _LAST, processes)
    }
