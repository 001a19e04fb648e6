"""Which processes watch, and when each has last looked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from data_platform.catalog.incident_table import WATCHER
from data_platform.catalog.upsert import replace
from data_platform.model.watcher import Watcher

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection


def save_watcher(connection: Connection, watcher: Watcher) -> None:
    row = {
        "name": watcher.name,
        "looked_at": watcher.looked_at,
        "every_seconds": watcher.every_seconds,
        "error": watcher.error,
    }
    replace(connection, WATCHER, [row], keys=("name",))


def find_watchers(connection: Connection) -> tuple[Watcher, ...]:
    """The one that has looked last comes first."""
    rows = connection.execute(select(WATCHER).order_by(WATCHER.c.looked_at.desc(), WATCHER.c.name))
    return tuple(Watcher(**row._mapping) for row in rows)
