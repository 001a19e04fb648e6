"""The part of ``Catalog`` that takes events: of any producer, and of the platform itself with those to pass on."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from data_platform.catalog.legacy.kept import read_key_changes
from data_platform.catalog.lineage import outbox as outbox_of
from data_platform.catalog.lineage.ingest import ingest
from data_platform.catalog.lineage.node import NodeKeys
from data_platform.catalog.partition import add_months

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.catalog.database import Database
    from data_platform.catalog.lineage.ingest import Receipt
    from data_platform.model.lineage import LineageEvent


class Events:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._keys = NodeKeys()
        self._ingesting = Lock()
        self._month: tuple[int, int] | None = None  # whose partitions are known to be there

    def record(self, events: Sequence[LineageEvent], *, outbox: bool, now: datetime) -> None:
        """What the platform says of itself where no stage is recorded: of a whole run, of a stage that died."""
        with self._database.writing() as connection:
            record_events(connection, events, outbox=outbox, now=now)

    def waiting(self, limit: int = 100) -> tuple[tuple[int, str], ...]:
        """Events that another service has not taken yet: keys and JSON texts, oldest first."""
        with self._database.reading() as connection:
            return outbox_of.find_waiting(connection, limit)

    def count_waiting(self) -> int:
        with self._database.reading() as connection:
            return outbox_of.count_waiting(connection)

    def drop_sent(self, keys: Sequence[int]) -> None:
        with self._database.writing() as connection:
            outbox_of.drop_taken(connection, keys)

    def ingest(self, events: Sequence[LineageEvent], *, now: datetime) -> tuple[Receipt, ...]:
        """Keep what producers told, all of it or after an error nothing; one receipt an event, in their order.

        An event that is on record is not stored again. Any order of events ends the same.
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
    """Within a transaction that records something else: what the platform says of itself, and for whom it waits."""
    if events:
        add_months(connection, now)
        ingest(connection, events, NodeKeys(), now=now)
    if outbox:
        outbox_of.add_waiting(connection, events, now=now)
