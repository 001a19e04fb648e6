"""The outbox: which change is reported to which owner, and once it is routed, through which channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, update

from data_platform.catalog.alert.delivery_row import as_notification
from data_platform.catalog.alert_table import ALERT_DELIVERY, NOTIFICATION
from data_platform.catalog.upsert import add_missing
from data_platform.model.alert import DeliveryStatus
from data_platform.model.personal import redacted_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.alert import AlertState, Notification, Recipient

_KEY = ("incident", "owner", "state", "round")


def round_of(connection: Connection, incident: int) -> int:
    """How often the incident has been opened so far, as the outbox has it; 0 if never."""
    query = select(func.max(NOTIFICATION.c.round)).where(NOTIFICATION.c.incident == incident)
    return connection.execute(query).scalar_one() or 0


def severities(connection: Connection, incident: int, number: int) -> dict[str, str]:
    """The owners who were informed in round ``number``, with the severity of their last notification."""
    query = (
        select(NOTIFICATION.c.owner, NOTIFICATION.c.severity)
        .where(NOTIFICATION.c.incident == incident, NOTIFICATION.c.round == number)
        .order_by(NOTIFICATION.c.number)
    )
    return {row.owner: row.severity for row in connection.execute(query)}


def add(
    connection: Connection,
    owners: Mapping[str, Recipient],
    state: AlertState,
    values: Mapping[str, Any],
    facts: Mapping[str, Any],
) -> None:
    """Adds one notification for each owner; an existing one of the same state and round stays as it is.

    ``values`` has the incident, round, dataset, severity and time. Personal values in ``facts`` are redacted.
    """
    safe = redacted_json(dict(facts))
    rows = [
        {**values, "owner": owner, "audience": audience.value, "tier": tier, "state": state.value, "facts": safe}
        for owner, (audience, tier) in sorted(owners.items())
    ]
    add_missing(connection, NOTIFICATION, rows, keys=_KEY)


def find_unrouted(connection: Connection) -> tuple[Notification, ...]:
    query = select(NOTIFICATION).where(NOTIFICATION.c.routed_at.is_(None)).order_by(NOTIFICATION.c.number)
    return tuple(as_notification(row) for row in connection.execute(query))


def route(connection: Connection, channels: Mapping[int, Iterable[str]], *, now: datetime) -> None:
    """Adds a delivery for each channel; a notification that another process has routed keeps its deliveries."""
    for number, names in channels.items():
        mine = update(NOTIFICATION).where(NOTIFICATION.c.number == number, NOTIFICATION.c.routed_at.is_(None))
        if connection.execute(mine.values(routed_at=now)).rowcount:
            rows = [
                {
                    "notification": number,
                    "channel": name,
                    "status": DeliveryStatus.WAITING.value,
                    "attempts": 0,
                    "is_repeat": False,
                }
                for name in names
            ]
            add_missing(connection, ALERT_DELIVERY, rows, keys=("notification", "channel"))
