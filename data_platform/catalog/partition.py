"""Monthly partitions of the two growing tables on PostgreSQL. On other databases these functions do nothing.

A row without a partition for its month goes into the table's ``_rest``, so a missing partition loses nothing.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

PARTITIONED = {"process_run": "created_at", "run_event": "received_at"}

_MONTH = re.compile(r"(process_run|run_event)_y(?P<year>\d{4})m(?P<month>\d\d)")
_MONTHS = """
    SELECT child.relname FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = to_regclass(%s) ORDER BY child.relname
"""
_EXISTING = "SELECT name FROM unnest(CAST(%s AS text[])) AS name WHERE to_regclass(name) IS NOT NULL"
_LOCK_TIMEOUT_SECONDS = 3
"""Dropping a partition waits until nobody uses its table, and blocks new readers meanwhile."""


def month_after(month: datetime) -> datetime:
    return datetime(month.year + month.month // 12, month.month % 12 + 1, 1, tzinfo=UTC)


def add_months(connection: Connection, now: datetime) -> None:
    """Creates the partitions of this month and the next, for each table."""
    if connection.dialect.name != "postgresql":
        return
    this = datetime(now.year, now.month, 1, tzinfo=UTC)
    months = {
        f"{table}_y{start:%Y}m{start:%m}": (table, start)
        for start in (this, month_after(this))
        for table in PARTITIONED
    }
    existing = set(connection.exec_driver_sql(_EXISTING, (list(months),)).scalars())
    for name, (table, start) in months.items():
        if name not in existing:
            _add_month(connection, name, table, start)


def _add_month(connection: Connection, name: str, table: str, start: datetime) -> None:
    column, end = PARTITIONED[table], month_after(start)
    inside = f"{column} >= %s AND {column} < %s"
    late = f"SELECT 1 FROM {table}_rest WHERE {inside} LIMIT 1"  # noqa: S608 - the names are above
    if connection.exec_driver_sql(late, (start, end)).first() is None:
        bounds = f"FROM ('{start:%Y-%m-%d %H:%M:%S+00}') TO ('{end:%Y-%m-%d %H:%M:%S+00}')"
        connection.exec_driver_sql(f"CREATE TABLE {name} PARTITION OF {table} FOR VALUES {bounds}")


def drop_empty_months(connection: Connection, *, before: datetime) -> tuple[str, ...]:
    """Drops empty partitions of months that ended before ``before``, unless a reader blocks it; returns their names."""
    if connection.dialect.name != "postgresql":
        return ()
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT_SECONDS}s'")
    dropped = []
    for table in PARTITIONED:
        months = connection.exec_driver_sql(_MONTHS, (table,)).scalars().all()
        for name in months:
            match = _MONTH.fullmatch(name)
            start = datetime(int(match["year"]), int(match["month"]), 1, tzinfo=UTC) if match else None
            if start is None or month_after(start) > before:
                continue
            if connection.exec_driver_sql(f"SELECT 1 FROM {name} LIMIT 1").first() is None:  # noqa: S608 - matched
                connection.exec_driver_sql(f"DROP TABLE {name}")
                dropped.append(name)
    return tuple(dropped)
