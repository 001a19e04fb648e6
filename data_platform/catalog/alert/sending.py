"""A delivery on its way: claimed with a lease, begun, and finished with an outcome.

``begin`` is its own transaction, just before the request is sent. A sender that dies before it has sent nothing, and
its delivery waits again. A sender that dies afterwards may have sent the message: it is sent once more, as a repeat.
If the outcome of the repeat is unknown too, the delivery ends as UNKNOWN.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, func, select, update

from data_platform.catalog.alert_table import ALERT_DELIVERY
from data_platform.errors import ConflictError, NotFoundError
from data_platform.model.alert import DeliveryStatus, Hold

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.alert import ClaimedMessage

_D = ALERT_DELIVERY.c
_WAITING, _SENDING = DeliveryStatus.WAITING.value, DeliveryStatus.SENDING.value
_UNCLAIMED: dict[str, Any] = {"claimed_by": None, "claimed_until": None}
HOUR, SUMMARY = timedelta(hours=1), "SUMMARY"
ENDED_BADLY = (DeliveryStatus.UNKNOWN.value, DeliveryStatus.FAILED.value)
NO_ANSWER = "no answer: the message may have arrived"


def claim(connection: Connection, numbers: Sequence[int], message: ClaimedMessage, *, until: datetime) -> bool:
    """Whether all of the deliveries waited, and are now claimed; otherwise nothing is changed."""
    waiting = select(func.count()).where(_D.number.in_(numbers), _D.status == _WAITING)
    if connection.execute(waiting).scalar_one() != len(numbers):
        return False
    values = {"status": _SENDING, "message": message.id, "shape": message.shape, "begun_at": None}
    owned = {"claimed_by": message.by, "claimed_until": until}
    connection.execute(update(ALERT_DELIVERY).where(_D.number.in_(numbers)).values(**values, **owned))
    return True


def is_full(connection: Connection, message: ClaimedMessage, per_hour: int, *, now: datetime) -> bool:
    """Whether the channel has had its messages of this hour, or its summary if the message is one."""
    begun = count_begun(connection, message.channel, since=now - HOUR)
    if message.shape == SUMMARY:
        return SUMMARY in begun
    return sum(count for shape, (count, _) in begun.items() if shape != SUMMARY) >= per_hour


def count_begun(connection: Connection, channel: str, *, since: datetime) -> dict[str, tuple[int, datetime | None]]:
    """For each shape, how many messages of a channel began after ``since``, and when the first of them did."""
    # one that is claimed and has not begun counts too, so that two senders do not exceed a limit together
    began = (_D.begun_at > since) | (_D.status == _SENDING)
    query = (
        select(_D.shape, func.count(_D.message.distinct()).label("messages"), func.min(_D.begun_at).label("first"))
        .where(_D.channel == channel, began)
        .group_by(_D.shape)
    )
    return {row.shape: (row.messages, row.first) for row in connection.execute(query)}


def begin(connection: Connection, message: ClaimedMessage, *, now: datetime) -> bool:
    """False if the claim has expired or was taken over: then the message must not be sent."""
    mine = _mine(message).where(_D.claimed_until > now)
    return bool(connection.execute(mine.values(begun_at=now, attempts=_D.attempts + 1)).rowcount)


def finish(
    connection: Connection, message: ClaimedMessage, *, now: datetime, thread: str | None, error: str | None
) -> None:
    """The message was accepted; so a repeat that waits already, since the sender was slow, is not sent."""
    values = {"status": DeliveryStatus.SENT.value, "finished_at": now, "held_by": None}
    values |= {"thread": thread, "error": error}
    connection.execute(_mine(message).values(**values, **_UNCLAIMED))
    waits = update(ALERT_DELIVERY).where(_D.message == message.id, _D.status == _WAITING, _D.is_repeat)
    connection.execute(waits.values(**values))


def retry(connection: Connection, message: ClaimedMessage, *, at: datetime, error: str) -> None:
    values = {"status": _WAITING, "held_by": Hold.RETRY.value, "not_before": at, "error": error}
    connection.execute(_mine(message).values(**values, **_UNCLAIMED))


def give_up(connection: Connection, message: ClaimedMessage, *, now: datetime, error: str) -> None:
    values = {"status": DeliveryStatus.FAILED.value, "finished_at": now, "error": error}
    connection.execute(_mine(message).values(**values, **_UNCLAIMED))


def repeat(connection: Connection, message: ClaimedMessage, *, now: datetime, at: datetime) -> None:
    """The message is repeated ``at``; if it was the repeat, it is left as UNKNOWN."""
    connection.execute(_mine(message).values(**_unknown(now, at)))


def send_again(connection: Connection, number: int) -> tuple[int, ...]:
    """Lets a delivery wait that ended as UNKNOWN or FAILED, with all others of its message; returns their numbers.

    One that may have arrived stays a repeat, so that its text says so. What it was tried before counts no more.

    Raises:
        NotFoundError: There is no such delivery.
        ConflictError: It is not over, was silenced, or has arrived.
    """
    row = connection.execute(select(_D.status, _D.message).where(_D.number == number)).one_or_none()
    if row is None:
        raise NotFoundError(f"no alert {number}: data-platform alerts list shows their numbers")
    if row.status not in ENDED_BADLY:
        raise ConflictError(f"alert {number} is {row.status}: only one that is UNKNOWN or FAILED is sent again")
    same = (_D.number == number) | ((_D.message == row.message) & _D.is_repeat)
    wanted = select(_D.number).where(same, _D.status.in_(ENDED_BADLY)).order_by(_D.number)
    numbers = tuple(connection.execute(wanted).scalars())
    values: dict[str, Any] = {"status": _WAITING, "held_by": None, "not_before": None, "finished_at": None}
    # a message that was refused is a new one, and one that may have arrived is repeated as it was
    message = case((_D.is_repeat, _D.message), else_=None)
    connection.execute(
        update(ALERT_DELIVERY).where(_D.number.in_(numbers)).values(**values, attempts=0, message=message)
    )
    return numbers


def recover(connection: Connection, *, now: datetime) -> None:
    """Frees what dead senders have claimed."""
    expired = (_D.status == _SENDING) & (_D.claimed_until <= now)
    unsent = update(ALERT_DELIVERY).where(expired, _D.begun_at.is_(None))
    # a repeat keeps its message, so that it is repeated as it was
    message = case((_D.is_repeat, _D.message), else_=None)
    connection.execute(unsent.values(status=_WAITING, message=message, **_UNCLAIMED))
    connection.execute(update(ALERT_DELIVERY).where(expired).values(**_unknown(now, now)))


def _mine(message: ClaimedMessage) -> Any:
    return update(ALERT_DELIVERY).where(_D.message == message.id, _D.claimed_by == message.by, _D.status == _SENDING)


def _unknown(now: datetime, at: datetime) -> dict[str, Any]:
    """Each right side is evaluated with the row as it was."""
    return {
        "status": case((_D.is_repeat, DeliveryStatus.UNKNOWN.value), else_=_WAITING),
        "finished_at": case((_D.is_repeat, now), else_=None),
        "is_repeat": True,
        "held_by": Hold.RETRY.value,
        "not_before": at,
        "error": NO_ANSWER,
        **_UNCLAIMED,
    }
