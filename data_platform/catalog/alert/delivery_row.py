"""Deliveries as rows, with the notification of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from data_platform.catalog.alert_table import ALERT_DELIVERY, NOTIFICATION
from data_platform.model.alert import AlertState, Audience, Delivery, DeliveryStatus, Hold, Notification

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection, Row

_OWN = [column.label(f"own_{column.name}") for column in ALERT_DELIVERY.c]
_BOTH = select(NOTIFICATION, *_OWN).join(ALERT_DELIVERY, ALERT_DELIVERY.c.notification == NOTIFICATION.c.number)


def find_deliveries(
    connection: Connection, *conditions: ColumnElement[bool], newest: int | None = None
) -> Iterator[Delivery]:
    """In the order of their numbers; or only the ``newest``, newest first."""
    query = _BOTH.where(*conditions)
    order = ALERT_DELIVERY.c.number if newest is None else ALERT_DELIVERY.c.number.desc()
    for row in connection.execute(query.order_by(order).limit(newest)):
        yield _delivery(row)


def as_notification(row: Row[Any]) -> Notification:
    return Notification(
        number=row.number,
        incident=row.incident,
        owner=row.owner,
        audience=Audience(row.audience),
        state=AlertState(row.state),
        round=row.round,
        dataset=row.dataset_urn,
        tier=row.tier,
        severity=row.severity,
        created_at=row.created_at,
        facts=row.facts,
    )


def _delivery(row: Row[Any]) -> Delivery:
    return Delivery(
        number=row.own_number,
        notification=as_notification(row),
        channel=row.own_channel,
        status=DeliveryStatus(row.own_status),
        held_by=None if row.own_held_by is None else Hold(row.own_held_by),
        maintenance=row.own_maintenance,
        not_before=row.own_not_before,
        attempts=row.own_attempts,
        is_repeat=row.own_is_repeat,
        message=row.own_message,
        finished_at=row.own_finished_at,
        error=row.own_error,
        thread=row.own_thread,
    )
