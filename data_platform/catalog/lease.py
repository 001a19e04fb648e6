"""One writer a dataset: a lease has a holder and an end, so that a dead holder does not keep it for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update

from data_platform.catalog.table import LEASE
from data_platform.errors import LeaseHeldError

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from sqlalchemy.engine import Connection


def take_lease(connection: Connection, urn: str, *, holder: str, now: datetime, ttl: timedelta) -> None:
    held = connection.execute(select(LEASE).where(LEASE.c.dataset_urn == urn)).one_or_none()
    values = {"holder": holder, "taken_at": now, "expires_at": now + ttl}
    if held is None:
        connection.execute(insert(LEASE).values(dataset_urn=urn, **values))
    elif held.holder == holder or held.expires_at <= now:
        connection.execute(update(LEASE).where(LEASE.c.dataset_urn == urn).values(**values))
    else:
        raise LeaseHeldError(
            f"{urn} is being written by {held.holder} until {held.expires_at:%Y-%m-%d %H:%M:%S} UTC at the latest: "
            "wait for it to end, and run again"
        )


def release_lease(connection: Connection, urn: str, *, holder: str) -> None:
    connection.execute(delete(LEASE).where(LEASE.c.dataset_urn == urn, LEASE.c.holder == holder))


def find_holder(connection: Connection, urn: str) -> str | None:
    return connection.execute(select(LEASE.c.holder).where(LEASE.c.dataset_urn == urn)).scalar_one_or_none()
