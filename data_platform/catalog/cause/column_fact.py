"""Columns upstream of failing ones, datasets whose columns have lineage at all, and the columns of schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from data_platform.catalog.lineage.column_walk import walk_columns
from data_platform.catalog.lineage_table import COLUMN_EDGE
from data_platform.catalog.registry_table import DATASET_SCHEMA
from data_platform.catalog.table import SCHEMA_COLUMN
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.cause_fact import Derivation
from data_platform.model.schema import Column, Schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

    from data_platform.catalog.cause.upstream import Upstream
    from data_platform.catalog.lineage.graph import Graph

MOST_COLUMNS = 50
"""So many failing columns are followed at most: a batch with other columns may break hundreds of rules."""


def find_derivations(
    connection: Connection, graph: Graph, upstream: Upstream, failing: Iterable[tuple[str, str]]
) -> tuple[Derivation, ...]:
    """The columns upstream from which each of ``failing``, a dataset and its column, is computed."""
    whole = {part: urn for urn, parts in upstream.parts.items() for part in parts}
    found: set[Derivation] = set()
    for urn, column in sorted(set(failing))[:MOST_COLUMNS]:
        for part in sorted(upstream.parts.get(urn, ())):
            for source, source_column in walk_columns(connection, graph, (part, column), downstream=False):
                origin = whole.get(source)
                if origin is not None and origin != urn:
                    found.add(Derivation(dataset=urn, column=column, source=origin, source_column=source_column))
    return tuple(sorted(found))


def find_mapped(connection: Connection, upstream: Upstream) -> frozenset[str]:
    """Datasets of which events have said how their columns are computed from others."""
    whole = {part: urn for urn, parts in upstream.parts.items() for part in parts}
    table = COLUMN_EDGE.c
    query = select(table.target_dataset_id, table.source_dataset_id).distinct()
    rows = rows_of(connection, query.where(table.target_dataset_id.in_(WANTED)), sorted(whole))
    return frozenset(
        whole[row.target_dataset_id] for row in rows if whole.get(row.source_dataset_id) != whole[row.target_dataset_id]
    )


def find_schemas(connection: Connection, upstream: Upstream, fingerprints: Iterable[str]) -> dict[str, Schema]:
    """The columns of judged stages by their fingerprint, and those that events have reported by their hash."""
    wanted = sorted(set(fingerprints) - {""})
    columns: dict[str, dict[int, Column]] = {}
    judged = select(SCHEMA_COLUMN).where(SCHEMA_COLUMN.c.fingerprint.in_(WANTED))
    for row in rows_of(connection, judged, wanted):
        column = Column(name=row.name, type=row.type, nullable=row.nullable)
        columns.setdefault(row.fingerprint, {})[row.position] = column
    table = DATASET_SCHEMA.c
    reported = select(table.schema_hash, table.column_order, table.column_name, table.column_type, table.nullable)
    numbers = sorted(upstream.datasets.values())
    if missing := set(wanted) - columns.keys():
        for row in rows_of(connection, reported.where(table.dataset_id.in_(WANTED)), numbers):
            if row.schema_hash in missing:
                column = Column(name=row.column_name, type=row.column_type, nullable=row.nullable)
                columns.setdefault(row.schema_hash, {})[row.column_order] = column
    return {key: Schema.of(found[place] for place in sorted(found)) for key, found in columns.items()}
