"""Ingests events: any number in one transaction, in any order, each of them once.

Every step processes all events of the call at once, so that a thousand events take some twenty statements and not
twenty thousand. The caller holds the single write transaction (``Database.writing``), so what a step reads cannot
change before it writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from data_platform.catalog.arrival.version import add_arrivals
from data_platform.catalog.lineage.edge import add_event_edges
from data_platform.catalog.lineage.link import add_links
from data_platform.catalog.lineage.node import find_nodes
from data_platform.catalog.lineage.node_facet import add_facets
from data_platform.catalog.lineage.process_run import fold_runs
from data_platform.catalog.lineage.quality import add_results
from data_platform.catalog.lineage.run_dataset import add_run_datasets
from data_platform.catalog.lineage.shape import new_shapes
from data_platform.catalog.lineage.version import add_versions
from data_platform.catalog.lineage.version_schema import add_schemas
from data_platform.catalog.lineage_table import RUN_CONFLICT, RUN_EVENT
from data_platform.catalog.search import reindex
from data_platform.catalog.upsert import WANTED, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.node import NodeKeys
    from data_platform.model.lineage import LineageEvent


_DIGESTS = select(RUN_EVENT.c.digest).where(RUN_EVENT.c.digest.in_(WANTED))
_CONFLICTS = select(RUN_CONFLICT.c.run_uuid).distinct().where(RUN_CONFLICT.c.run_uuid.in_(WANTED))


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """``stored`` is false for an event that was stored before; ``warnings`` include conflicts of its run."""

    digest: str
    run_uuid: str | None
    stored: bool
    warnings: tuple[str, ...] = ()


def ingest(
    connection: Connection, events: Sequence[LineageEvent], keys: NodeKeys, *, now: datetime
) -> tuple[Receipt, ...]:
    """Stores new events; returns one receipt an event, in their order."""
    recorded = _stored_digests(connection, {event.digest for event in events})
    fresh = list({event.digest: event for event in events if event.digest not in recorded}.values())
    shared_runs = _ingest_fresh(connection, fresh, keys, now=now) if fresh else frozenset()
    conflicts = _conflicts(connection, shared_runs)
    receipts, stored = [], {event.digest for event in fresh}
    for event in events:
        warnings = (*event.warnings, *conflicts.get(event.run_uuid or "", ()))
        receipt = Receipt(
            digest=event.digest, run_uuid=event.run_uuid, stored=event.digest in stored, warnings=warnings
        )
        receipts.append(receipt)
        stored.discard(event.digest)
    return tuple(receipts)


def _ingest_fresh(
    connection: Connection, fresh: list[LineageEvent], keys: NodeKeys, *, now: datetime
) -> frozenset[str]:
    """Stores the events, and returns runs that more than one job may have reported."""
    nodes = find_nodes(connection, fresh, keys, now=now)
    add_facets(connection, nodes, fresh, now=now)
    runs = fold_runs(connection, nodes, fresh, now=now)
    versioned = [event for event in fresh if event.run_uuid is None]
    versioned += [event for events in runs.counting.values() for event in events]
    tags = add_run_datasets(connection, nodes, runs)
    empty = add_versions(connection, nodes, versioned, tags, runs.fresh)
    add_arrivals(connection, nodes, versioned, tags, runs, empty, now=now)
    add_results(connection, nodes, versioned, now=now)
    shapes = new_shapes(connection, fresh, now=now)
    add_schemas(connection, nodes, shapes, now=now)
    add_event_edges(connection, nodes, shapes, now=now)
    add_links(connection, nodes, fresh)
    connection.execute(insert(RUN_EVENT), [_row(event, now=now) for event in fresh])
    reindex(connection, nodes.fresh)
    return frozenset(runs.counting) - runs.fresh


def _stored_digests(connection: Connection, digests: Iterable[str]) -> set[str]:
    return {row.digest for row in rows_of(connection, _DIGESTS, sorted(digests))}


def _conflicts(connection: Connection, uuids: Iterable[str]) -> dict[str, list[str]]:
    warnings: dict[str, list[str]] = {}
    for row in rows_of(connection, _CONFLICTS, uuids):
        message = f"run.runId: {row.run_uuid} is used by more than one job; the run is that of its earliest event"
        warnings[row.run_uuid] = [message]
    return warnings


def _row(event: LineageEvent, *, now: datetime) -> dict[str, object]:
    return {
        "run_uuid": event.run_uuid,
        "process_key": event.job and event.job.full,
        "event_type": event.type,
        "event_time": event.time,
        "producer": event.producer,
        "historical": event.historical,
        "digest": event.digest,
        "payload_json": event.payload,
        "warnings": list(event.warnings),
        "received_at": now,
    }
