"""Lifecycle events, derived from the stored OpenLineage events of all producers when they are asked for."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, or_, select

from data_platform.catalog import cursor as cursors
from data_platform.catalog.lineage_table import LINEAGE_EDGE, PROCESS_RUN, RUN_DATASET, RUN_EVENT
from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.errors import InputError
from data_platform.model.lifecycle import LifecycleEvent
from data_platform.model.lineage import DatasetRole, EdgeRole, EventType, NodeType
from data_platform.model.page import Page
from data_platform.openlineage.event import read_event
from data_platform.openlineage.lifecycle import lifecycle_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

_TYPES = ("START", "COMPLETE", "FAIL", "ABORT", "DATASET")


def find_lifecycle(connection: Connection, urn: str | None, *, cursor: str | None, limit: int) -> Page[LifecycleEvent]:
    """Newest first; of a dataset, those of the jobs and runs that write it or one of its stages.

    Raises:
        InputError: The cursor is of another listing, or ``limit`` is not within 1 and 1,000.
    """
    size, after = cursors.page_size(limit), cursors.decode(cursor, int, int)
    query = _query(urn).order_by(RUN_EVENT.c.event_id.desc()).limit(size + 1)
    found: list[tuple[tuple[int, int], LifecycleEvent]] = []
    newest = after[0] if after else None
    while len(found) <= size:
        rows = connection.execute(query if newest is None else query.where(RUN_EVENT.c.event_id <= newest)).all()
        starts = _starts(connection, rows)
        for row in rows:
            events = [one for one in _events(row, starts) if urn is None or _is_of(one, urn)]
            keyed = [((row.event_id, place), one) for place, one in enumerate(events)]
            found += [one for one in reversed(keyed) if after is None or one[0] < after]
        if len(rows) <= size:
            break
        newest = rows[-1].event_id - 1
    page = found[:size]
    following = cursors.encode(*page[-1][0]) if len(found) > size else None
    return Page(items=tuple(event for _, event in page), cursor=following)


def _query(urn: str | None) -> Select[Any]:
    event = RUN_EVENT.c
    query = select(event.event_id, event.run_uuid, event.process_key, event.payload_json)
    query = query.where(event.event_type.in_(_TYPES))
    if urn is None:
        return query
    of_dataset = or_(DATASET.c.full_name == urn, DATASET.c.full_name.startswith(f"{urn}/", autoescape=True))
    numbers = select(DATASET.c.dataset_id).where(of_dataset)
    runs = select(RUN_DATASET.c.run_uuid).where(
        RUN_DATASET.c.dataset_id.in_(numbers), RUN_DATASET.c.role == DatasetRole.OUTPUT.value
    )
    jobs = (
        select(PROCESS.c.process_key)
        .join(LINEAGE_EDGE, LINEAGE_EDGE.c.source_id == PROCESS.c.process_id)
        .where(
            LINEAGE_EDGE.c.source_type == NodeType.PROCESS.value,
            LINEAGE_EDGE.c.target_type == NodeType.DATASET.value,
            LINEAGE_EDGE.c.target_id.in_(numbers),
            LINEAGE_EDGE.c.edge_role == EdgeRole.PRODUCES.value,
        )
    )
    written = or_(event.run_uuid.in_(runs), event.process_key.in_(jobs), event.event_type == EventType.DATASET.value)
    return query.where(written)


def _is_of(event: LifecycleEvent, urn: str) -> bool:
    """Whether a write is of the dataset; events of its runs are."""
    written = getattr(event.record, "dataset_urn", urn)
    return written == urn or written.startswith(f"{urn}/")


def _starts(connection: Connection, rows: Sequence[Row[Any]]) -> dict[str, datetime]:
    runs = {row.run_uuid for row in rows if row.run_uuid}
    query = select(PROCESS_RUN.c.run_uuid, PROCESS_RUN.c.start_ts).where(
        PROCESS_RUN.c.run_uuid.in_(runs), PROCESS_RUN.c.start_ts.is_not(None)
    )
    return {row.run_uuid: row.start_ts for row in connection.execute(query)}


def _events(row: Row[Any], starts: dict[str, datetime]) -> Iterator[LifecycleEvent]:
    with suppress(InputError):  # of an earlier version of the code, which read what this one refuses
        document = json.loads(row.payload_json)
        event = read_event(document)
        for kind, record in lifecycle_of(event, document, job=row.process_key, started_at=starts.get(row.run_uuid)):
            yield LifecycleEvent(
                event_id=row.event_id,
                event=kind,
                time=event.time,
                job=row.process_key,
                run_id=row.run_uuid,
                record=record,
            )
