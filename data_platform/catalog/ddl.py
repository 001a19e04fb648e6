"""The catalog's tables as the DDL of a database, for whoever has to look at it, or to make them by hand.

A catalog on SQLite or PostgreSQL makes its own tables when it is opened (``migration``), with what only that database
has: triggers that keep the audit log as it is, and the index of the search. On DB2 the tables are made by this text, in
a table space with pages of 16 KB at least: names and keys may have 2,000 bytes.
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
    """Tables in an order in which each finds those that it refers to, with their indexes; without a closing sign.

    Raises:
        EnvironmentProblem: DB2 is asked for, and its dialect is not installed.
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
        made: Dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
        return made
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
    dialect.dbms_name = "DB2"  # type: ignore[attr-defined]  # or it warns at each table that it is not connected
    return dialect


def _copied(metadata: MetaData) -> MetaData:
    copy = MetaData()
    for table in metadata.sorted_tables:
        table.to_metadata(copy)
    return copy


def _partition(table: Table) -> None:
    """By month, as the migrations do it; PostgreSQL wants the column in every unique key."""
    column = table.info.get("partition_by")
    if column is None:
        return
    table.c[column].primary_key = True
    table.append_constraint(PrimaryKeyConstraint(*table.primary_key.columns, table.c[column]))
    table.dialect_options["postgresql"]["partition_by"] = f"RANGE ({column})"


def _text(statement: CreateTable | CreateIndex, dialect: Dialect) -> str:
    return str(statement.compile(dialect=dialect)).strip().replace("\t", "    ")
