"""Finds events with new edges or schemas. Nearly every run of a job reports the same as its last one."""

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
    """Returns one event of each new shape, and stores the shapes.

    The shapes are stored in the transaction that writes the edges: if it fails, they count as new again.
    """
    shapes = {shape_of(event): event for event in events}
    seen = {row.digest for row in rows_of(connection, _SEEN, sorted(shapes))}
    fresh = {shape: event for shape, event in shapes.items() if shape not in seen}
    add_missing(
        connection, LINEAGE_SHAPE, [{"digest": shape, "first_seen_at": now} for shape in fresh], keys=("digest",)
    )
    return list(fresh.values())


def shape_of(event: LineageEvent) -> str:
    """Digest of the job, its parent, and each dataset with role, schema and column lineage, without the run."""
    jobs = [name and [name.namespace, name.name] for name in (event.job, event.parent_job)]
    datasets = [
        [mention.role, mention.name.namespace, mention.name.name, mention.schema_hash, mention.links_digest]
        for mention in event.datasets
    ]
    return digest(canonical([jobs, datasets]))
