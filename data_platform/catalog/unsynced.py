"""SQLite catalogs that may be lost: a commit does not wait for the disk, for tests and trials in this process."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, event

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def without_fsync() -> Iterator[None]:
    """For catalogs that are opened within it. What was committed survives the process, and not a loss of power."""

    def turn_off(connection: Any, _: Any) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA synchronous = OFF")

    event.listen(Engine, "connect", turn_off)
    try:
        yield
    finally:
        event.remove(Engine, "connect", turn_off)
