"""``catalog.events``: events of any producer, and the platform's own with the outbox for another endpoint."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from data_platform.catalog.legacy.kept import read_key_changes
from data_platform.catalog.lineage import outbox as event_outbox
from data_platform.catalog.lineage.ingest import ingest
from data_platform.catalog.lineage.lifecycle import find_lifecycle
from data_platform.catalog.lineage.node import NodeKeys
from data_platform.catalog.partition import add_months

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.catalog.database import Database
    from data_platform.catalog.lineage.ingest import Receipt
    from data_platform.model.lifecycle import LifecycleEvent
    from data_platform.model.lineage import LineageEvent
    from data_platform.model.page import Page


class Events:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._keys = NodeKeys()
        self._ingesting = Lock()
        self._month: tuple[int, int] | None = None  # its partitions exist

    def record(self, events: Sequence[LineageEvent], *, outbox: bool, now: datetime) -> None:
        """Record the platform's own events without a stage, such as for a whole run or a stage that crashed."""
        with self._database.writing() as connection:
            record_events(connection, events, outbox=outbox, now=now)

    def waiting(self, limit: int = 100) -> tuple[tuple[int, str], ...]:
        """Events not yet sent to the other endpoint: keys and JSON texts, oldest first."""
        with self._database.reading() as connection:
            return event_outbox.find_waiting(connection, limit)

    def count_waiting(self) -> int:
        with self._database.reading() as connection:
            return event_outbox.count_waiting(connection)

    def lifecycle(self, urn: str | None = None, *, cursor: str | None = None, limit: int = 100) -> Page[LifecycleEvent]:
        """Starts, ends and writes of jobs, newest first: of all, or of those that write a dataset.

        Raises:
            InputError: The cursor is of another listing, or ``limit`` is not within 1 and 1,000.
        """
        with self._database.reading() as connection:
            return find_lifecycle(connection, urn, cursor=cursor, limit=limit)

    def drop_sent(self, keys: Sequence[int]) -> None:
        with self._database.writing() as connection:
            event_outbox.drop_taken(connection, keys)

    def ingest(self, events: Sequence[LineageEvent], *, now: datetime) -> tuple[Receipt, ...]:
        """Store producers' events in one transaction; returns one receipt an event, in their order.

        A stored event is not stored again. The result does not depend on the order of events.
        """
        month = (now.year, now.month)
        with self._ingesting:
            with self._database.writing() as connection:
                self._keys.begin(read_key_changes(connection))
                if month != self._month:
                    add_months(connection, now)
                receipts = ingest(connection, events, self._keys, now=now)
            self._keys.confirm()
            self._month = month
        return receipts


def record_events(connection: Connection, events: Sequence[LineageEvent], *, outbox: bool, now: datetime) -> None:
    """Ingests the platform's own events in the caller's transaction, and adds them to the outbox if asked."""
    if events:
        add_months(connection, now)
        ingest(connection, events, NodeKeys(), now=now)
    if outbox:
        event_outbox.add_waiting(connection, events, now=now)
