"""Copies a catalog from one database to another, such as from SQLite to PostgreSQL when it outgrows one machine.

The copy is one transaction. No run may write meanwhile. The search index is rebuilt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Integer, delete, func, insert, select, text

from data_platform.catalog.database import open_database
from data_platform.catalog.metadata import METADATA
from data_platform.catalog.migration import migrate
from data_platform.catalog.search import rebuild
from data_platform.catalog.table import LEASE
from data_platform.errors import ConservationError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Table
    from sqlalchemy.engine import Connection

    Progress = Callable[[str, int, int], None]
    """Takes the table, its rows copied so far, and its rows in total."""

BATCH_ROWS = 1_000
_REBUILT = frozenset({"search_document", "search_facet", "search_word"})
_SEEDED = frozenset({"graph_revision"})
"""Tables in which a migration inserts a row."""
TABLES = [table for table in METADATA.sorted_tables if table.name not in _REBUILT and table is not LEASE]


@dataclass(frozen=True)
class Moved:
    """``rows`` by table; ``before`` is true if an earlier call had copied them."""

    rows: dict[str, int]
    before: bool = False


def move_catalog(source_url: str, target_url: str, progress: Progress) -> Moved:
    """Copies every table, and compares the counts before it commits.

    Raises:
        UsageError: Both are the same, the target holds other rows already, or a run is writing.
        ConservationError: The row counts of target and source differ. Everything is rolled back.
    """
    if source_url == target_url:
        raise UsageError("the catalog is already there: --to names the database that DATA_PLATFORM_CATALOG_URL names")
    source, target = open_database(source_url), open_database(target_url)
    try:
        migrate(source)
        migrate(target)
        with source.writing() as reading, target.writing() as writing:  # nobody writes to either meanwhile
            _refuse_running(reading)
            source_rows, target_rows = count_rows(reading, TABLES), count_rows(writing, TABLES)
            if any(rows for name, rows in target_rows.items() if name not in _SEEDED):
                if target_rows == source_rows:
                    return Moved(source_rows, before=True)
                raise UsageError(
                    f"the catalog to move to holds {sum(target_rows.values())} rows already: name an empty "
                    "database or schema"
                )
            _copy_tables(reading, writing, source_rows, progress)
            return Moved(source_rows)
    finally:
        source.close()
        target.close()


def save_catalog(source_url: str, target_url: str, progress: Progress) -> dict[str, int]:
    """Copies every table as of one moment into a new catalog, also while runs write; returns the rows by table.

    Raises:
        ConservationError: The row counts of target and source differ.
    """
    source, target = open_database(source_url), open_database(target_url)
    try:
        migrate(source)
        migrate(target)
        with source.reading() as reading, target.writing() as writing:
            source_rows = count_rows(reading, TABLES)
            _copy_tables(reading, writing, source_rows, progress)
        return source_rows
    finally:
        source.close()
        target.close()


def _copy_tables(reading: Connection, writing: Connection, rows: dict[str, int], progress: Progress) -> None:
    for table in TABLES:
        if table.name in _SEEDED:
            writing.execute(delete(table))
        copy_rows(reading, writing, table, table, rows[table.name], progress)
    compare_counts(rows, count_rows(writing, TABLES))
    rebuild(writing)


def count_rows(connection: Connection, tables: list[Table]) -> dict[str, int]:
    return {
        table.name: int(connection.execute(select(func.count()).select_from(table)).scalar_one()) for table in tables
    }


def compare_counts(source_rows: dict[str, int], target_rows: dict[str, int]) -> None:
    """Raises: ConservationError."""
    for name, rows in source_rows.items():
        if target_rows[name] != rows:
            raise ConservationError(f"{target_rows[name]} of {rows} rows of {name} were copied; nothing was kept")


def copy_rows(
    reading: Connection, writing: Connection, source: Table, target: Table, total: int, progress: Progress
) -> None:
    """Rows keep their keys; the target's sequences continue after the greatest."""
    order = list(source.primary_key.columns)
    rows = reading.execute(select(source).order_by(*order).execution_options(yield_per=BATCH_ROWS))
    copied = 0
    for batch in rows.mappings().partitions(BATCH_ROWS):
        writing.execute(insert(target), [dict(row) for row in batch])
        copied += len(batch)
        progress(target.name, copied, total)
    if writing.dialect.name == "postgresql":
        _advance_sequences(writing, target)


def _advance_sequences(writing: Connection, table: Table) -> None:
    for column in table.primary_key.columns:
        if not isinstance(column.type, Integer):
            continue
        parameters = {"name": table.name, "field": column.name}
        sequence = writing.execute(text("SELECT pg_get_serial_sequence(:name, :field)"), parameters).scalar()
        greatest = writing.execute(select(func.max(column))).scalar()
        if sequence and greatest:
            writing.execute(text("SELECT setval(:sequence, :value)"), {"sequence": sequence, "value": greatest})


def _refuse_running(reading: Connection) -> None:
    """Raises: UsageError."""
    lease = reading.execute(select(LEASE).where(LEASE.c.expires_at > func.current_timestamp())).first()
    if lease is not None:
        raise UsageError(
            f"{lease.holder} is running since {lease.taken_at:%Y-%m-%d %H:%M:%S} UTC: wait for it to end; if it is "
            "dead, `data-platform reconcile` releases its lease"
        )
