"""``catalog.evidence_relay``: how far the evidence log was sent to a Kafka topic, and who is sending.

The log itself is the outbox. It is append-only, and its rows are committed in the order of their ids, since the catalog
has one writer at a time (``catalog.database``). So one number for each topic records what was sent, nothing is written
twice, and a topic that is configured later receives the log from its beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, or_, select, update

from data_platform.catalog.evidence.log import find_after
from data_platform.catalog.evidence_table import EVIDENCE, EVIDENCE_RELAY
from data_platform.catalog.upsert import add_missing

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from data_platform.catalog.database import Database
    from data_platform.model.evidence import Evidence


@dataclass(frozen=True)
class Waiting:
    """Records that a topic does not have yet, and the time of the oldest."""

    records: int
    oldest: datetime | None


@dataclass(frozen=True)
class Sent:
    """Records that a topic has, and when the last one was sent."""

    records: int
    at: datetime | None


class EvidenceRelay:
    def __init__(self, database: Database) -> None:
        self._database = database

    def unsent(self, topic: str, limit: int) -> tuple[tuple[int, Evidence], ...]:
        """The next records with their keys, in the order in which they were committed."""
        with self._database.reading() as connection:
            sent = connection.execute(_sent(topic)).scalar_one_or_none() or 0
            return find_after(connection, sent, limit)

    def claim(self, topic: str, holder: str, *, now: datetime, ttl: timedelta) -> bool:
        """Become the one process that sends, for ``ttl``, or stay it; False if another one is.

        Two that send at once would do no harm but send each record twice.
        """
        with self._database.writing() as connection:
            add_missing(connection, EVIDENCE_RELAY, [{"topic": topic, "sent_id": 0}], keys=["topic"])
            free = or_(
                EVIDENCE_RELAY.c.holder.is_(None),
                EVIDENCE_RELAY.c.holder == holder,
                EVIDENCE_RELAY.c.held_until < now,
            )
            values = {"holder": holder, "held_until": now + ttl}
            claimed = update(EVIDENCE_RELAY).where(EVIDENCE_RELAY.c.topic == topic, free).values(**values)
            return bool(connection.execute(claimed).rowcount)

    def confirm(self, topic: str, holder: str, sent_id: int, *, now: datetime, release: bool) -> None:
        """Note that the topic has every record up to ``sent_id``; the number never moves back."""
        own = (EVIDENCE_RELAY.c.topic == topic, EVIDENCE_RELAY.c.holder == holder)
        with self._database.writing() as connection:
            forward = update(EVIDENCE_RELAY).where(EVIDENCE_RELAY.c.topic == topic, EVIDENCE_RELAY.c.sent_id < sent_id)
            connection.execute(forward.values(sent_id=sent_id, sent_at=now))
            if release:
                connection.execute(update(EVIDENCE_RELAY).where(*own).values(holder=None, held_until=None))

    def waiting(self, topic: str) -> Waiting:
        with self._database.reading() as connection:
            sent = connection.execute(_sent(topic)).scalar_one_or_none() or 0
            query = select(func.count(), func.min(EVIDENCE.c.id)).where(EVIDENCE.c.id > sent)
            records, first = connection.execute(query).one()
            found = select(EVIDENCE.c.timestamp).where(EVIDENCE.c.id == first)
            return Waiting(records, connection.execute(found).scalar_one_or_none() if records else None)

    def sent(self, topic: str) -> Sent:
        with self._database.reading() as connection:
            row = connection.execute(select(EVIDENCE_RELAY).where(EVIDENCE_RELAY.c.topic == topic)).one_or_none()
            if row is None:
                return Sent(0, None)
            count = select(func.count()).where(EVIDENCE.c.id <= row.sent_id)
            return Sent(connection.execute(count).scalar_one(), row.sent_at)

    def topics(self) -> tuple[str, ...]:
        """The topics to which records were sent."""
        with self._database.reading() as connection:
            names = select(EVIDENCE_RELAY.c.topic).order_by(EVIDENCE_RELAY.c.topic)
            return tuple(connection.execute(names).scalars())


def _sent(topic: str) -> Any:
    return select(EVIDENCE_RELAY.c.sent_id).where(EVIDENCE_RELAY.c.topic == topic)
