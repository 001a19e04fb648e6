"""Datasets with a service level, and how late each is. Source: query D of the required catalog schema.

A window is the allowed age of the latest version. Deadlines by clock and calendar are not checked here.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import case, func, or_, select

from data_platform.catalog.lineage_table import PROCESS_RUN
from data_platform.catalog.registry_table import DATASET, DATASET_VERSION, SLA
from data_platform.model.lineage import RunState
from data_platform.model.service_level import SlaState

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection


def find_sla_states(connection: Connection, *, now: datetime, late_only: bool = False) -> tuple[SlaState, ...]:
    """Most overdue first; datasets that were never produced come before all others."""
    version = DATASET_VERSION.c
    good = or_(PROCESS_RUN.c.status == RunState.COMPLETED, version.produced_by_run_id.is_(None))
    produced = func.max(case((good & version.historical.is_(False), version.produced_at))).label("produced")
    query = (
        select(DATASET.c.full_name, DATASET.c.owner_team, SLA.c.sla_window_sec, produced)
        .join(SLA, SLA.c.sla_id == DATASET.c.default_sla_id)
        .outerjoin(DATASET_VERSION, version.dataset_id == DATASET.c.dataset_id)
        .outerjoin(PROCESS_RUN, PROCESS_RUN.c.run_uuid == version.produced_by_run_id)
        .where(DATASET.c.status != "DEPRECATED")
        .group_by(DATASET.c.full_name, DATASET.c.owner_team, SLA.c.sla_window_sec)
    )
    states = []
    for row in connection.execute(query):
        at = row.produced if row.produced is None or row.produced.tzinfo else row.produced.replace(tzinfo=UTC)
        late = None if at is None else (now - at).total_seconds() - row.sla_window_sec
        states.append(
            SlaState(
                dataset=row.full_name,
                owner_team=row.owner_team,
                window_seconds=row.sla_window_sec,
                last_produced_at=at,
                late_seconds=late,
            )
        )
    states.sort(key=lambda state: (state.late_seconds is not None, -(state.late_seconds or 0), state.dataset))
    return tuple(state for state in states if not (late_only and state.met))
