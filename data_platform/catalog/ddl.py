"""Prints the DDL of the catalog's tables, for a review or to create them by hand.

A catalog on SQLite or PostgreSQL creates its own tables when it is opened (``migration``), with the parts specific to
that database: triggers that make the audit log append-only, and the search index. On DB2 this DDL creates the tables,
in a table space with pages of at least 16 KB: names and keys may have 2,000 bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import MetaData, PrimaryKeyConstraint
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from data_platform.catalog.metadata import METADATA
from data_platform.errors import EnvironmentProblem
from data_platform.model.ddl import DdlDialect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Table
    from sqlalchemy.engine import Dialect


def statements(name: DdlDialect) -> Iterator[str]:
    """Yields the statements for tables and indexes, referenced tables first, without a closing semicolon.

    Raises:
        EnvironmentProblem: ``name`` is DB2, and its dialect is not installed.
    """
    dialect = _dialect(name)
    tables = _copied(METADATA)
    if name is DdlDialect.POSTGRESQL:
        for table in tables.sorted_tables:
            _partition(table)
    for table in tables.sorted_tables:
        yield _text(CreateTable(table), dialect)
        if name is DdlDialect.POSTGRESQL and "partition_by" in table.info:
            yield f"CREATE TABLE {table.name}_rest PARTITION OF {table.name} DEFAULT"
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            yield _text(CreateIndex(index), dialect)


def _dialect(name: DdlDialect) -> Dialect:
    if name is DdlDialect.POSTGRESQL:
        postgres_dialect: Dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
        return postgres_dialect
    if name is DdlDialect.SQLITE:
        return sqlite.dialect()
    try:
        from ibm_db_sa.ibm_db import DB2Dialect_ibm_db  # type: ignore[import-untyped]
    except ImportError:
        raise EnvironmentProblem(
            "DDL for DB2 needs the package ibm-db-sa, which is not installed: pip install --no-deps ibm-db-sa "
            "(its driver is not needed for this)"
        ) from None
    dialect: Dialect = DB2Dialect_ibm_db()
    dialect.dbms_name = "DB2"  # type: ignore[attr-defined]  # avoids a warning at each table
    return dialect


def _copied(metadata: MetaData) -> MetaData:
    copy = MetaData()
    for table in metadata.sorted_tables:
        table.to_metadata(copy)
    return copy


def _partition(table: Table) -> None:
    """Partitions the table by month, as the migrations do; PostgreSQL requires the column in every unique key."""
    column = table.info.get("partition_by")
    if column is None:
        return
    table.c[column].primary_key = True
    table.append_constraint(PrimaryKeyConstraint(*table.primary_key.columns, table.c[column]))
    table.dialect_options["postgresql"]["partition_by"] = f"RANGE ({column})"


def _text(statement: CreateTable | CreateIndex, dialect: Dialect) -> str:
    return str(statement.compile(dialect=dialect)).strip().replace("\t", "    ")
