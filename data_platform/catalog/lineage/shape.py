"""Which events say something new about edges and schemas. Nearly every run of a job says what its last one said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from data_platform.catalog.lineage_table import LINEAGE_SHAPE
from data_platform.catalog.upsert import WANTED, add_missing, rows_of
from data_platform.openlineage.canonical_json import canonical, digest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.lineage import LineageEvent


_SEEN = select(LINEAGE_SHAPE.c.digest).where(LINEAGE_SHAPE.c.digest.in_(WANTED))


def new_shapes(connection: Connection, events: Iterable[LineageEvent], *, now: datetime) -> list[LineageEvent]:
    """One event of each shape that was not seen before; from now on it was.

    In the transaction that writes the edges: if that fails, nobody has seen the shape.
    """
    shapes = {shape_of(event): event for event in events}
    known = {row.digest for row in rows_of(connection, _SEEN, sorted(shapes))}
    fresh = {shape: event for shape, event in shapes.items() if shape not in known}
    add_missing(
        connection, LINEAGE_SHAPE, [{"digest": shape, "first_seen_at": now} for shape in fresh], keys=("digest",)
    )
    return list(fresh.values())


def shape_of(event: LineageEvent) -> str:
    """Of the job, its parent, and each dataset with its role, schema and column lineage; nothing of the run."""
    jobs = [name and [name.namespace, name.name] for name in (event.job, event.parent_job)]
    datasets = [
        [mention.role, mention.name.namespace, mention.name.name, mention.schema_hash, mention.links_digest]
        for mention in event.datasets
    ]
    return digest(canonical([jobs, datasets]))
