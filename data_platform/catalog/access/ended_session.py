"""Sessions that people ended by signing out: their cookies are valid no more, wherever somebody has a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from data_platform.catalog.access_table import ENDED_SESSION
from data_platform.catalog.upsert import add_missing

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection


def end_session(connection: Connection, nonce: str, *, expires_at: datetime, now: datetime) -> None:
    """Ends a session, and forgets those that would have expired by now."""
    connection.execute(delete(ENDED_SESSION).where(ENDED_SESSION.c.expires_at <= now))
    add_missing(connection, ENDED_SESSION, [{"nonce": nonce, "expires_at": expires_at}], keys=["nonce"])


def is_ended(connection: Connection, nonce: str) -> bool:
    return connection.execute(select(ENDED_SESSION.c.nonce).where(ENDED_SESSION.c.nonce == nonce)).first() is not None
