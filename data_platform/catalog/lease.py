"""One writer a dataset: a lease has an owner and an expiry, and the owner renews it while it is alive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select, update

from data_platform.catalog.table import LEASE
from data_platform.errors import LeaseHeldError
from data_platform.model.lease import Lease

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta

    from sqlalchemy.engine import Connection, Row


def take_leases(connection: Connection, urns: Sequence[str], *, owner: str, now: datetime, ttl: timedelta) -> None:
    """Raises: LeaseHeldError, if another owner has one of them; then the caller's transaction must not commit."""
    current = {row.dataset_urn: row for row in connection.execute(select(LEASE).where(LEASE.c.dataset_urn.in_(urns)))}
    values = {"holder": owner, "taken_at": now, "expires_at": now + ttl}
    for urn, row in current.items():
        if row.holder != owner and row.expires_at > now:
            raise LeaseHeldError(
                f"{urn} is being written by {row.holder} until {row.expires_at:%Y-%m-%d %H:%M:%S} UTC, or longer "
                "if that run renews its lease: wait for it to end, and run again"
            )
    if fresh := [urn for urn in urns if urn not in current]:
        connection.execute(insert(LEASE), [{"dataset_urn": urn, **values} for urn in fresh])
    if current:
        connection.execute(update(LEASE).where(LEASE.c.dataset_urn.in_(list(current))).values(**values))


def renew_leases(connection: Connection, urns: Sequence[str], *, owner: str, now: datetime, ttl: timedelta) -> bool:
    """Renews those that ``owner`` has; returns whether it has all of them."""
    own_leases = (LEASE.c.dataset_urn.in_(urns), LEASE.c.holder == owner)
    renewed = connection.execute(update(LEASE).where(*own_leases).values(expires_at=now + ttl)).rowcount
    return renewed == len(set(urns))


def release_leases(connection: Connection, urns: Sequence[str], *, owner: str) -> None:
    connection.execute(delete(LEASE).where(LEASE.c.dataset_urn.in_(urns), LEASE.c.holder == owner))


def find_lease(connection: Connection, urn: str) -> Lease | None:
    row = connection.execute(select(LEASE).where(LEASE.c.dataset_urn == urn)).one_or_none()
    return None if row is None else _lease(row)


def find_leases(connection: Connection) -> tuple[Lease, ...]:
    return tuple(_lease(row) for row in connection.execute(select(LEASE).order_by(LEASE.c.dataset_urn)))


def _lease(row: Row[Any]) -> Lease:
    return Lease(subject=row.dataset_urn, owner=row.holder, taken_at=row.taken_at, expires_at=row.expires_at)
