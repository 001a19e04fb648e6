"""INSERT that skips or updates existing rows, and SELECT of many keys at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import BindParameter, bindparam
from sqlalchemy.dialects import postgresql, sqlite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy import Select, Table
    from sqlalchemy.engine import Connection, Row

CHUNK = 5000
"""Values in one IN list; SQLite accepts 32,766."""


def insert_into(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def add_missing(connection: Connection, table: Table, rows: Sequence[dict[str, Any]], *, keys: Sequence[str]) -> None:
    """Inserts rows; existing rows with the same ``keys`` are not changed."""
    if rows:
        statement = insert_into(connection, table).on_conflict_do_nothing(index_elements=keys)
        connection.execute(statement, list(rows))


def replace(connection: Connection, table: Table, rows: Sequence[dict[str, Any]], *, keys: Sequence[str]) -> None:
    """Inserts rows, or updates existing ones with the same ``keys``; each row has the same columns."""
    if rows:
        statement = insert_into(connection, table)
        fresh = {name: statement.excluded[name] for name in rows[0] if name not in keys}
        connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=fresh), list(rows))


WANTED: BindParameter[Any] = bindparam("wanted", expanding=True)
"""The IN list of a prepared statement: compiling it each time would cost a third of a small query."""


def rows_of(connection: Connection, statement: Select[Any], wanted: Iterable[Any]) -> Iterator[Row[Any]]:
    """Yields the rows of a statement that contains ``WANTED``, chunk by chunk."""
    for part in chunks(wanted):
        yield from connection.execute(statement, {"wanted": part})


def chunks(values: Iterable[Any]) -> Iterator[list[Any]]:
    listed = list(values)
    for start in range(0, len(listed), CHUNK):
        yield listed[start : start + CHUNK]
