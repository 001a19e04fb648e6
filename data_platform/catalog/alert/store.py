"""``catalog.alerts``: what is reported to whom, what waits and why, and what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, update

from data_platform.catalog.alert import outbox, sending
from data_platform.catalog.alert.delivery_row import find_deliveries
from data_platform.catalog.alert_table import ALERT_DELIVERY, NOTIFICATION
from data_platform.catalog.audit import add_audit
from data_platform.catalog.upsert import WANTED, chunks, rows_of
from data_platform.model.alert import DeliveryStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime, timedelta

    from sqlalchemy.engine import Connection

    from data_platform.catalog.database import Database
    from data_platform.model.alert import ClaimedMessage, Delivery, Hold, Notification
    from data_platform.model.registration import Actor

_D = ALERT_DELIVERY.c
_OPEN = (DeliveryStatus.WAITING.value, DeliveryStatus.SENDING.value)


class Alerts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def unrouted(self) -> tuple[Notification, ...]:
        """Notifications that have no channels yet, oldest first."""
        with self._database.reading() as connection:
            return outbox.find_unrouted(connection)

    def route(self, channels: Mapping[int, Iterable[str]], *, now: datetime) -> None:
        """Store the channels of notifications; the first process that does so wins."""
        with self._database.writing() as connection:
            outbox.route(connection, channels, now=now)

    def waiting(self) -> tuple[Delivery, ...]:
        """Deliveries that wait or are being sent, oldest first."""
        with self._database.reading() as connection:
            return tuple(find_deliveries(connection, _D.status.in_(_OPEN)))

    def unsent(self) -> tuple[int, datetime | None]:
        """How many deliveries wait or are being sent or routed, and the time of the oldest notification of them."""
        waits = ALERT_DELIVERY.join(NOTIFICATION, _D.notification == NOTIFICATION.c.number)
        counted = (func.count(), func.min(NOTIFICATION.c.created_at))
        with self._database.reading() as connection:
            sent = connection.execute(select(*counted).select_from(waits).where(_D.status.in_(_OPEN))).one()
            routed = connection.execute(select(*counted).where(NOTIFICATION.c.routed_at.is_(None))).one()
        return sent[0] + routed[0], min((at for at in (sent[1], routed[1]) if at is not None), default=None)

    def undelivered(self, *, since: datetime) -> dict[str, int]:
        """How many deliveries ended since then as UNKNOWN or FAILED, and were not sent again."""
        ended = (_D.status.in_(sending.ENDED_BADLY), _D.finished_at >= since)
        query = select(_D.status, func.count()).where(*ended).group_by(_D.status)
        with self._database.reading() as connection:
            counts = {str(status): int(count) for status, count in connection.execute(query)}
        return dict.fromkeys(sending.ENDED_BADLY, 0) | counts

    def send_again(self, number: int, *, by: Actor, now: datetime) -> tuple[int, ...]:
        """Let a delivery that ended as UNKNOWN or FAILED wait again, with all others of its message.

        Raises:
            NotFoundError: There is no such delivery.
            ConflictError: It is not over, was silenced, or has arrived.
        """
        with self._database.writing() as connection:
            numbers = sending.send_again(connection, number)
            detail = {"deliveries": list(numbers)}
            add_audit(
                connection, actor=by.name, role=by.role, action="alert.send_again", subject=str(number), detail=detail,
                now=now,
            )  # fmt: skip
            return numbers

    def newest(
        self, *, incident: int | None = None, maintenance: int | None = None, limit: int
    ) -> tuple[Delivery, ...]:
        """The newest deliveries, newest first; of one incident, or covered by one maintenance window."""
        conditions = []
        if incident is not None:
            conditions.append(NOTIFICATION.c.incident == incident)
        if maintenance is not None:
            conditions.append(_D.maintenance == maintenance)
        with self._database.reading() as connection:
            return tuple(find_deliveries(connection, *conditions, newest=limit))

    def covered(self, windows: Iterable[int]) -> dict[int, dict[str, int]]:
        """How many deliveries each maintenance window held or silenced, by what became of them."""
        query = select(_D.maintenance, _D.status, func.count().label("deliveries")).where(_D.maintenance.in_(WANTED))
        counts: dict[int, dict[str, int]] = {}
        with self._database.reading() as connection:
            for row in rows_of(connection, query.group_by(_D.maintenance, _D.status), windows):
                counts.setdefault(row.maintenance, {})[row.status] = row.deliveries
        return counts

    def thread(self, incident: int, owner: str, channel: str) -> str | None:
        """What the channel returned for the first message of the incident to the owner, for replies to it."""
        query = (
            select(_D.thread)
            .join(NOTIFICATION, NOTIFICATION.c.number == _D.notification)
            .where(NOTIFICATION.c.incident == incident, NOTIFICATION.c.owner == owner, _D.channel == channel)
            .where(_D.thread.is_not(None))
            .order_by(_D.number)
        )
        with self._database.reading() as connection:
            return connection.execute(query).scalars().first()

    def use(self, channel: str, *, since: datetime) -> dict[str, tuple[int, datetime | None]]:
        """For each shape, how many messages of the channel began after ``since``, and when the first of them did."""
        with self._database.reading() as connection:
            return sending.count_begun(connection, channel, since=since)

    def hold(
        self, numbers: Sequence[int], by: Hold, *, until: datetime | None = None, maintenance: int | None = None
    ) -> None:
        """Record why deliveries wait."""
        values: dict[str, Any] = {"held_by": by.value, "not_before": until}
        if maintenance is not None:
            values["maintenance"] = maintenance
        with self._database.writing() as connection:
            _update_waiting(connection, numbers, values)

    def silence(self, numbers: Sequence[int], *, maintenance: int, now: datetime) -> None:
        """Record that deliveries are not sent, by a maintenance window."""
        values = {"status": DeliveryStatus.SILENCED.value, "maintenance": maintenance, "finished_at": now}
        with self._database.writing() as connection:
            _update_waiting(connection, numbers, values)

    def claim(
        self,
        numbers: Sequence[int],
        message: ClaimedMessage,
        *,
        now: datetime,
        ttl: timedelta,
        per_hour: int | None,
    ) -> bool:
        """Take deliveries for one message, all or none; False if one does not wait, or the channel had its messages."""
        with self._database.writing() as connection:
            is_full = per_hour is not None and sending.is_full(connection, message, per_hour, now=now)
            return not is_full and sending.claim(connection, numbers, message, until=now + ttl)

    def begin(self, message: ClaimedMessage, *, now: datetime) -> bool:
        """Record that the request is sent now; False if the claim has expired, so that it must not be sent."""
        with self._database.writing() as connection:
            return sending.begin(connection, message, now=now)

    def finish(
        self, message: ClaimedMessage, *, now: datetime, thread: str | None = None, error: str | None = None
    ) -> None:
        """The channel accepted the message; ``error`` is what was wrong nevertheless."""
        with self._database.writing() as connection:
            sending.finish(connection, message, now=now, thread=thread, error=error)

    def retry(self, message: ClaimedMessage, *, at: datetime, error: str) -> None:
        """The message has not arrived; the next attempt is ``at``."""
        with self._database.writing() as connection:
            sending.retry(connection, message, at=at, error=error)

    def give_up(self, message: ClaimedMessage, *, now: datetime, error: str) -> None:
        """The message has not arrived, and is not tried again."""
        with self._database.writing() as connection:
            sending.give_up(connection, message, now=now, error=error)

    def repeat(self, message: ClaimedMessage, *, now: datetime, at: datetime) -> None:
        """It is unknown whether the message has arrived: it is sent again ``at``, once."""
        with self._database.writing() as connection:
            sending.repeat(connection, message, now=now, at=at)

    def recover(self, *, now: datetime) -> None:
        """Free the deliveries of senders that died."""
        with self._database.writing() as connection:
            sending.recover(connection, now=now)


def _update_waiting(connection: Connection, numbers: Sequence[int], values: dict[str, Any]) -> None:
    waiting = _D.status == DeliveryStatus.WAITING.value
    for part in chunks(numbers):
        connection.execute(update(ALERT_DELIVERY).where(_D.number.in_(part), waiting).values(**values))
