"""What belongs to a run: its events, its parent, its children, and other attempts at the same work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from data_platform.catalog.lineage.history import RUNS, run_cards
from data_platform.catalog.lineage_table import PROCESS_RUN, RUN_EVENT
from data_platform.catalog.registry_table import PROCESS
from data_platform.model.process_page import RunChange, RunRelations

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from data_platform.model.process_page import ProcessRun

MOST = 100
"""The most events, children and attempts that are read."""
_RUN, _EVENT = PROCESS_RUN.c, RUN_EVENT.c


def find_relations(connection: Connection, run: ProcessRun) -> RunRelations:
    children = _RUN.parent_run_uuid == run.run_uuid
    first = RUNS.where(children).order_by(_RUN.first_event_at, _RUN.run_id).limit(MOST)
    parent = connection.execute(RUNS.where(_RUN.run_uuid == (run.parent_run_uuid or ""))).all()
    return RunRelations(
        changes=_changes(connection, run.run_uuid),
        children=run_cards(connection, connection.execute(first).all()),
        total_children=connection.execute(select(func.count()).select_from(PROCESS_RUN).where(children)).scalar_one(),
        attempts=_attempts(connection, run),
        parent=next(iter(run_cards(connection, parent)), None),
    )


def _changes(connection: Connection, run_uuid: str) -> tuple[RunChange, ...]:
    query = select(_EVENT.event_type, _EVENT.event_time, _EVENT.received_at).where(_EVENT.run_uuid == run_uuid)
    rows = connection.execute(query.order_by(_EVENT.event_time, _EVENT.event_id).limit(MOST))
    return tuple(RunChange(type=row.event_type, at=row.event_time, received_at=row.received_at) for row in rows)


def _attempts(connection: Connection, run: ProcessRun) -> tuple[ProcessRun, ...]:
    """Runs of the process for the same nominal time; only the run itself if nobody reported that time."""
    if run.nominal_start is None:
        return (run,)
    same = PROCESS.c.process_key == run.process_key, _RUN.nominal_start_ts == run.nominal_start
    rows = connection.execute(RUNS.where(*same).order_by(_RUN.first_event_at, _RUN.run_id).limit(MOST)).all()
    return run_cards(connection, rows)
