"""One writer a dataset: a lease has an owner and an expiry, and the owner renews it while it is alive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select, update

from data_platform.catalog.table import LEASE
from data_platform.errors import LeaseHeldError
from data_platform.model.lease import Lease

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from sqlalchemy.engine import Connection, Row


def take_lease(connection: Connection, urn: str, *, owner: str, now: datetime, ttl: timedelta) -> None:
    current = connection.execute(select(LEASE).where(LEASE.c.dataset_urn == urn)).one_or_none()
    values = {"holder": owner, "taken_at": now, "expires_at": now + ttl}
    if current is None:
        connection.execute(insert(LEASE).values(dataset_urn=urn, **values))
    elif current.holder == owner or current.expires_at <= now:
        connection.execute(update(LEASE).where(LEASE.c.dataset_urn == urn).values(**values))
    else:
        raise LeaseHeldError(
            f"{urn} is being written by {current.holder} until {current.expires_at:%Y-%m-%d %H:%M:%S} UTC, or longer "
            "if that run renews its lease: wait for it to end, and run again"
        )


def renew_lease(connection: Connection, urn: str, *, owner: str, now: datetime, ttl: timedelta) -> bool:
    own_lease = (LEASE.c.dataset_urn == urn, LEASE.c.holder == owner)
    return bool(connection.execute(update(LEASE).where(*own_lease).values(expires_at=now + ttl)).rowcount)


def release_lease(connection: Connection, urn: str, *, owner: str) -> None:
    connection.execute(delete(LEASE).where(LEASE.c.dataset_urn == urn, LEASE.c.holder == owner))


def find_lease(connection: Connection, urn: str) -> Lease | None:
    row = connection.execute(select(LEASE).where(LEASE.c.dataset_urn == urn)).one_or_none()
    return None if row is None else _lease(row)


def find_leases(connection: Connection) -> tuple[Lease, ...]:
    return tuple(_lease(row) for row in connection.execute(select(LEASE).order_by(LEASE.c.dataset_urn)))


def _lease(row: Row[Any]) -> Lease:
    return Lease(subject=row.dataset_urn, owner=row.holder, taken_at=row.taken_at, expires_at=row.expires_at)
