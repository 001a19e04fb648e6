"""Which columns depend on a column, and on which it depends, level by level in SQL.

Columns fan out far less than tables do, and there are far too many to hold in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sqlalchemy import select, tuple_

from data_platform.catalog.lineage_table import COLUMN_EDGE
from data_platform.catalog.upsert import chunks

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

ColumnKey: TypeAlias = tuple[int, str]
"""A dataset's key, and a column."""

MOST = 100_000
"""Columns that a walk visits at most; it says so if there were more."""


@dataclass(frozen=True)
class ColumnHit:
    column: ColumnKey
    depth: int
    before: ColumnKey
    process_id: int
    transformation: str | None


def walk_columns(
    connection: Connection, start: ColumnKey, *, downstream: bool, depth: int | None = None
) -> dict[ColumnKey, ColumnHit]:
    """Nearest first; ``start`` is not among them."""
    table = COLUMN_EDGE.c
    source, target = (table.source_dataset_id, table.source_column), (table.target_dataset_id, table.target_column)
    near, far = (source, target) if downstream else (target, source)
    found: dict[ColumnKey, ColumnHit] = {}
    level, reached = [start], 0
    while level and (depth is None or reached < depth) and len(found) < MOST:
        reached += 1
        fresh: list[ColumnKey] = []
        for part in chunks(level):
            query = select(*near, *far, table.process_id, table.transformation).where(tuple_(*near).in_(part))
            for row in connection.execute(query.order_by(table.edge_id)):
                before, column = (row[0], row[1]), (row[2], row[3])
                if column != start and column not in found:
                    found[column] = ColumnHit(column, reached, before, row[4], row[5])
                    fresh.append(column)
        level = fresh
    return found


def column_path(hits: dict[ColumnKey, ColumnHit], column: ColumnKey) -> list[ColumnKey]:
    path = [column]
    while path[-1] in hits:
        path.append(hits[path[-1]].before)
    return path[::-1]
