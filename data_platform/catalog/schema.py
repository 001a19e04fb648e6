"""Schemas by fingerprint, each stored once, however many runs have it.

The order of columns is not part of a fingerprint: the order of the first run is stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from data_platform.catalog.table import SCHEMA_COLUMN, TABLE_SCHEMA
from data_platform.model.schema import Column, Schema

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection


def save_schema(connection: Connection, schema: Schema, *, now: datetime) -> str:
    """Stores the schema if it is new, and returns its fingerprint."""
    fingerprint = schema.fingerprint
    existing = select(TABLE_SCHEMA.c.fingerprint).where(TABLE_SCHEMA.c.fingerprint == fingerprint)
    if connection.execute(existing).one_or_none() is None:
        connection.execute(insert(TABLE_SCHEMA).values(fingerprint=fingerprint, first_seen_at=now))
        columns = [
            {"fingerprint": fingerprint, "position": i, "name": c.name, "type": c.type, "nullable": c.nullable}
            for i, c in enumerate(schema.columns)
        ]
        if columns:
            connection.execute(insert(SCHEMA_COLUMN), columns)
    return fingerprint


def find_schema(connection: Connection, fingerprint: str) -> Schema | None:
    existing = select(TABLE_SCHEMA.c.fingerprint).where(TABLE_SCHEMA.c.fingerprint == fingerprint)
    if connection.execute(existing).one_or_none() is None:
        return None
    query = select(SCHEMA_COLUMN).where(SCHEMA_COLUMN.c.fingerprint == fingerprint).order_by(SCHEMA_COLUMN.c.position)
    return Schema.of(Column(name=row.name, type=row.type, nullable=row.nullable) for row in connection.execute(query))
