"""The append-only history of incidents: each change is one row, in the transaction of that change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select

from data_platform.catalog.incident.announcement import announce
from data_platform.catalog.incident_table import INCIDENT_EVENT
from data_platform.model.incident_event import IncidentChange, IncidentEvent

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection


class Changes:
    """Collects the events of one transaction; ``end`` must be called as the last step of it."""

    def __init__(self, connection: Connection, *, by: str, now: datetime) -> None:
        self._connection, self._by, self._now = connection, by, now
        self._events: list[IncidentEvent] = []

    def add(self, incident: int, what: IncidentChange, text: str = "") -> None:
        row = {"incident": incident, "what": what.value, "actor": self._by, "changed_at": self._now, "text": text}
        statement = insert(INCIDENT_EVENT).values(**row).returning(INCIDENT_EVENT.c.number)
        number = self._connection.execute(statement).scalar_one()
        self._events.append(
            IncidentEvent(number=number, incident=incident, what=what, by=self._by, at=self._now, text=text)
        )

    def end(self) -> tuple[IncidentEvent, ...]:
        if self._events:
            announce(self._connection, self._events)
        return tuple(self._events)


def last_number(connection: Connection) -> int:
    """The revision of all incidents; 0 if there was never one."""
    return connection.execute(select(func.max(INCIDENT_EVENT.c.number))).scalar_one() or 0


def find_events(connection: Connection, incident: int) -> tuple[IncidentEvent, ...]:
    """Oldest first."""
    query = select(INCIDENT_EVENT).where(INCIDENT_EVENT.c.incident == incident).order_by(INCIDENT_EVENT.c.number)
    return tuple(
        IncidentEvent(
            number=row.number,
            incident=row.incident,
            what=IncidentChange(row.what),
            by=row.actor,
            at=row.changed_at,
            text=row.text,
        )
        for row in connection.execute(query)
    )
