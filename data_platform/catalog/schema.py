"""Schemas by fingerprint, each stored once, however many runs have it.

The order of columns is not part of a fingerprint: the order of the first run is stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from data_platform.catalog.table import SCHEMA_COLUMN, TABLE_SCHEMA
from data_platform.model.schema import Column, Schema

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from sqlalchemy.engine import Connection


def save_schema(connection: Connection, schema: Schema, *, now: datetime) -> str:
    """Stores the schema if it is new, and returns its fingerprint."""
    save_schemas(connection, {schema.fingerprint: (schema, now)})
    return schema.fingerprint


def save_schemas(connection: Connection, schemas: Mapping[str, tuple[Schema, datetime]]) -> None:
    """Stores new ones of ``schemas``, which maps fingerprints to columns and the time at which they were seen."""
    missing = schemas.keys() - _stored(connection, schemas)
    if not missing:
        return
    first = [{"fingerprint": name, "first_seen_at": schemas[name][1]} for name in sorted(missing)]
    connection.execute(insert(TABLE_SCHEMA), first)
    columns = [
        {"fingerprint": name, "position": i, "name": c.name, "type": c.type, "nullable": c.nullable}
        for name in sorted(missing)
        for i, c in enumerate(schemas[name][0].columns)
    ]
    if columns:
        connection.execute(insert(SCHEMA_COLUMN), columns)


def find_schema(connection: Connection, fingerprint: str) -> Schema | None:
    return find_schemas(connection, [fingerprint]).get(fingerprint)


def find_schemas(connection: Connection, fingerprints: Collection[str]) -> dict[str, Schema]:
    """The stored ones of ``fingerprints``."""
    columns: dict[str, list[Column]] = {name: [] for name in _stored(connection, fingerprints)}
    query = select(SCHEMA_COLUMN).where(SCHEMA_COLUMN.c.fingerprint.in_(list(columns)))
    for row in connection.execute(query.order_by(SCHEMA_COLUMN.c.fingerprint, SCHEMA_COLUMN.c.position)):
        columns[row.fingerprint].append(Column(name=row.name, type=row.type, nullable=row.nullable))
    return {name: Schema.of(found) for name, found in columns.items()}


def _stored(connection: Connection, fingerprints: Collection[str]) -> set[str]:
    query = select(TABLE_SCHEMA.c.fingerprint).where(TABLE_SCHEMA.c.fingerprint.in_(list(fingerprints)))
    return set(connection.execute(query).scalars()) if fingerprints else set()
