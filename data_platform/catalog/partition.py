"""Months of the two tables that grow for ever, on PostgreSQL. Elsewhere there is nothing to do.

A row that fits no month lies in the table's ``_rest``, so that a month that was never made loses nothing.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

PARTITIONED = {"process_run": "created_at", "run_event": "received_at"}


def month_after(month: datetime) -> datetime:
    return datetime(month.year + month.month // 12, month.month % 12 + 1, 1, tzinfo=UTC)


def add_months(connection: Connection, now: datetime) -> None:
    """This month and the next, of each table."""
    if connection.dialect.name != "postgresql":
        return
    this = datetime(now.year, now.month, 1, tzinfo=UTC)
    for start in (this, month_after(this)):
        for table, column in PARTITIONED.items():
            _add_month(connection, table, column, start, month_after(start))


def _add_month(connection: Connection, table: str, column: str, start: datetime, end: datetime) -> None:
    name = f"{table}_y{start:%Y}m{start:%m}"
    if connection.exec_driver_sql("SELECT to_regclass(%s)", (name,)).scalar_one() is not None:
        return
    inside = f"{column} >= %s AND {column} < %s"
    late = f"SELECT 1 FROM {table}_rest WHERE {inside} LIMIT 1"  # noqa: S608 - the names are above
    if connection.exec_driver_sql(late, (start, end)).first() is None:
        bounds = f"FROM ('{start:%Y-%m-%d %H:%M:%S+00}') TO ('{end:%Y-%m-%d %H:%M:%S+00}')"
        connection.exec_driver_sql(f"CREATE TABLE {name} PARTITION OF {table} FOR VALUES {bounds}")
