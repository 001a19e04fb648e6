"""The outbox of the platform's own events for another OpenLineage endpoint, until they are sent.

Events are added in the transaction that records what they report. So none is lost while the endpoint is unavailable,
and none reports a run that was not recorded. An event may be sent twice, which such an endpoint treats as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, func, insert, select

from data_platform.catalog.lineage_table import EVENT_OUTBOX

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.lineage import LineageEvent


def add_waiting(connection: Connection, events: Iterable[LineageEvent], *, now: datetime) -> None:
    rows = [{"payload_json": event.payload, "added_at": now} for event in events]
    if rows:
        connection.execute(insert(EVENT_OUTBOX), rows)


def find_waiting(connection: Connection, limit: int) -> tuple[tuple[int, str], ...]:
    """Keys and JSON texts, oldest first."""
    columns = EVENT_OUTBOX.c.outbox_id, EVENT_OUTBOX.c.payload_json
    query = select(*columns).order_by(columns[0]).limit(limit)
    return tuple((row.outbox_id, row.payload_json) for row in connection.execute(query))


def count_waiting(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(EVENT_OUTBOX)).scalar_one()


def drop_taken(connection: Connection, keys: Sequence[int]) -> None:
    connection.execute(delete(EVENT_OUTBOX).where(EVENT_OUTBOX.c.outbox_id.in_(keys)))
