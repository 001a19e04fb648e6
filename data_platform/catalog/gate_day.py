"""The last verdict of each gate for the newest partitions of a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import case, func, select

from data_platform.catalog.table import RUN, VERDICT
from data_platform.model.dataset import Stage
from data_platform.model.gate_day import GateDay, RowBand
from data_platform.model.verdict import Gate, Outcome

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection


def find_gate_days(connection: Connection, urn: str, *, limit: int) -> tuple[GateDay, ...]:
    """Those of the newest ``limit`` partitions, in the order of partitions, and of stages and gates."""
    newest = (
        select(RUN.c.partition)
        .where(RUN.c.dataset_urn == urn, RUN.c.partition.is_not(None))
        .distinct()
        .order_by(RUN.c.partition.desc())
        .limit(limit)
    )
    last = (
        select(func.max(RUN.c.id))
        .where(RUN.c.dataset_urn == urn, RUN.c.partition.in_(newest))
        .group_by(RUN.c.stage, RUN.c.partition)
    )
    query = (
        select(
            RUN.c.partition,
            RUN.c.stage,
            RUN.c.run_id,
            RUN.c.finished_at,
            VERDICT.c.gate,
            VERDICT.c.outcome,
            VERDICT.c.compliance,
            VERDICT.c.reason,
            # the metadata of other gates is large, and is not needed
            case((VERDICT.c.gate == Gate.DQ.value, VERDICT.c.metadata)).label("metadata"),
        )
        .join(VERDICT, VERDICT.c.run == RUN.c.id)
        .where(RUN.c.id.in_(last))
        .order_by(RUN.c.partition, RUN.c.id, VERDICT.c.position)
    )
    return tuple(_gate_day(row) for row in connection.execute(query))


def _gate_day(row: Any) -> GateDay:
    band = (row.metadata or {}).get("volume")
    return GateDay(
        partition=row.partition,
        stage=Stage(row.stage),
        gate=row.gate,
        outcome=Outcome(row.outcome),
        run_id=row.run_id,
        finished_at=row.finished_at,
        compliance=row.compliance,
        reason=row.reason,
        usual_rows=RowBand(expected=band["expected"], low=band["low"], high=band["high"]) if band else None,
    )
