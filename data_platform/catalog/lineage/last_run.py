"""The last run of each of many processes: its state and its times, without datasets and facets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from data_platform.catalog.lineage_table import PROCESS_RUN
from data_platform.catalog.registry_table import PROCESS
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.lineage import RunState
from data_platform.model.process_page import LastRun

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection

_RUN = PROCESS_RUN.c


def newest(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """The value of ``column`` in the newest run of a process, by its start; for each row of ``PROCESS``.

    A run whose start nobody reported is older than any other. It has a query of its own: PostgreSQL's index of starts
    does not have NULLs at the end that ``NULLS LAST`` asks for, so that one query would sort all runs.
    """
    of_process = select(column).where(_RUN.process_id == PROCESS.c.process_id).limit(1).correlate(PROCESS)
    started = of_process.where(_RUN.start_ts.is_not(None)).order_by(_RUN.start_ts.desc(), _RUN.run_id.desc())
    others = of_process.where(_RUN.start_ts.is_(None)).order_by(_RUN.run_id.desc())
    return func.coalesce(started.scalar_subquery(), others.scalar_subquery())


_LAST = (
    select(PROCESS.c.process_id, _RUN.run_uuid, _RUN.status, _RUN.start_ts, _RUN.end_ts)
    .join(PROCESS_RUN, _RUN.run_id == newest(_RUN.run_id))
    .where(PROCESS.c.process_id.in_(WANTED))
)


def find_last_runs(connection: Connection, processes: Iterable[int]) -> dict[int, LastRun]:
    """By the ids of the processes; those that never ran are left out."""
    return {
        row.process_id: LastRun(run_uuid=row.run_uuid, status=RunState(row.status), start=row.start_ts, end=row.end_ts)
        for row in rows_of(connection, _LAST, processes)
    }
