"""Intents to write. Closed ones are kept with their outcome, for the analysis of an incident."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.table import INTENT
from data_platform.model.dataset import Stage
from data_platform.model.intent import Intent

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row


def open_intent(connection: Connection, intent: Intent) -> None:
    """A run that retries a stage opens another intent; each has the version at which its own write began."""
    connection.execute(
        insert(INTENT).values(
            run_id=intent.run_id,
            dataset_urn=intent.dataset_urn,
            stage=intent.stage.value,
            partition=intent.partition,
            path=intent.path,
            before=intent.before,
            note=dict(intent.note),
            opened_at=intent.opened_at,
        )
    )


def close_intent(
    connection: Connection, run_id: str, stage: Stage, *, dataset_urn: str | None, outcome: str, now: datetime
) -> None:
    closing = update(INTENT).where(
        INTENT.c.run_id == run_id, INTENT.c.stage == stage.value, INTENT.c.closed_at.is_(None)
    )
    if dataset_urn is not None:
        closing = closing.where(INTENT.c.dataset_urn == dataset_urn)
    connection.execute(closing.values(outcome=outcome, closed_at=now))


def find_open_intents(connection: Connection, urn: str | None) -> tuple[Intent, ...]:
    query = select(INTENT).where(INTENT.c.closed_at.is_(None)).order_by(INTENT.c.id)
    if urn is not None:
        query = query.where(INTENT.c.dataset_urn == urn)
    return tuple(_intent(row) for row in connection.execute(query))


def _intent(row: Row[Any]) -> Intent:
    return Intent(
        run_id=row.run_id,
        dataset_urn=row.dataset_urn,
        stage=Stage(row.stage),
        partition=row.partition,
        path=row.path,
        before=row.before,
        note=row.note,
        opened_at=row.opened_at,
    )
