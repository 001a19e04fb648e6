"""Stores the columns of datasets, once for each dataset and schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from data_platform.catalog.registry_table import DATASET_SCHEMA
from data_platform.catalog.upsert import chunks
from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.node import Nodes
    from data_platform.model.lineage import LineageEvent


def add_schemas(connection: Connection, nodes: Nodes, events: Iterable[LineageEvent], *, now: datetime) -> None:
    schemas = {}
    for event in events:
        for mention in event.datasets:
            if mention.schema is not None and mention.schema_hash is not None:
                schemas[nodes.datasets[mention.name], mention.schema_hash] = mention.schema
    stored: set[tuple[int, str]] = set()
    for part in chunks({number for number, _ in schemas}):
        columns = DATASET_SCHEMA.c.dataset_id, DATASET_SCHEMA.c.schema_hash
        query = select(*columns).where(columns[0].in_(part), DATASET_SCHEMA.c.column_order == 0)
        stored |= {(row.dataset_id, row.schema_hash) for row in connection.execute(query)}
    rows = [
        {
            "dataset_id": number,
            "schema_hash": digest,
            "column_order": place,
            "column_name": column.name,
            "column_type": column.type,
            "nullable": column.nullable,
            "column_metadata": column.metadata,
            "first_seen_at": now,
        }
        for (number, digest), schema in schemas.items()
        if (number, digest) not in stored
        for place, column in enumerate(schema)
    ]
    if rows:
        connection.execute(insert(DATASET_SCHEMA), rows)
    # a new schema changes the dataset's search document, which has its columns
    nodes.fresh |= {(NodeType.DATASET, number) for number, digest in schemas if (number, digest) not in stored}
