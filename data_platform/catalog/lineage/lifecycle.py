"""Lifecycle events, derived from the stored OpenLineage events of all producers when they are asked for."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, literal_column, or_, select, true, union

from data_platform.catalog import cursor as cursors
from data_platform.catalog.lineage_table import LINEAGE_EDGE, PROCESS_RUN, RUN_DATASET, RUN_EVENT
from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.errors import InputError
from data_platform.model.lifecycle import LifecycleEvent
from data_platform.model.lineage import DatasetRole, EdgeRole, NodeType
from data_platform.model.page import Page
from data_platform.openlineage.event import read_event
from data_platform.openlineage.lifecycle import lifecycle_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection, Row

_TYPES = ("START", "COMPLETE", "FAIL", "ABORT", "DATASET")
_EVENT = RUN_EVENT.c
_SHOWN = (_EVENT.event_id, _EVENT.run_uuid, _EVENT.process_key, _EVENT.payload_json)
_ALONE = literal_column("event_type") == literal_column("'DATASET'")
"""An event of no run. The value is part of the text, without which the index of such events is not used."""
_MOST_JOBS = 50
"""For so many jobs the newest events of each are read, and otherwise those of all."""


def find_lifecycle(connection: Connection, urn: str | None, *, cursor: str | None, limit: int) -> Page[LifecycleEvent]:
    """Newest first; of a dataset, those of the jobs and runs that write it or one of its stages.

    Raises:
        InputError: The cursor is of another listing, or ``limit`` is not within 1 and 1,000.
    """
    size, after = cursors.page_size(limit), cursors.decode(cursor, int, int)
    conditions = _conditions(connection, urn)
    found: list[tuple[tuple[int, int], LifecycleEvent]] = []
    newest = after[0] if after else None
    while len(found) <= size:
        rows = connection.execute(_newest(conditions, newest, size + 1)).all()
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


def _newest(conditions: Sequence[ColumnElement[bool]], newest: int | None, limit: int) -> Select[Any]:
    """Events of any of the conditions. Each has a query of its own, so that each is read by its index."""
    parts = []
    for condition in conditions:
        part = select(*_SHOWN).where(condition, _EVENT.event_type.in_(_TYPES))
        part = part if newest is None else part.where(_EVENT.event_id <= newest)
        parts.append(select(part.order_by(_EVENT.event_id.desc()).limit(limit).subquery()))
    found = union(*parts).subquery()
    return select(found).order_by(found.c.event_id.desc()).limit(limit)


def _conditions(connection: Connection, urn: str | None) -> list[ColumnElement[bool]]:
    """What the events of a dataset have: the key of a job that writes it, a run that wrote it, or the dataset alone."""
    if urn is None:
        return [true()]
    of_dataset = or_(DATASET.c.full_name == urn, DATASET.c.full_name.startswith(f"{urn}/", autoescape=True))
    numbers = list(connection.execute(select(DATASET.c.dataset_id).where(of_dataset)).scalars())
    edge = LINEAGE_EDGE.c
    jobs = (
        select(PROCESS.c.process_key)
        .join(LINEAGE_EDGE, edge.source_id == PROCESS.c.process_id)
        .where(
            edge.source_type == NodeType.PROCESS.value,
            edge.target_type == NodeType.DATASET.value,
            edge.target_id.in_(numbers),
            edge.edge_role == EdgeRole.PRODUCES.value,
        )
    )
    keys = list(connection.execute(jobs.distinct().order_by(PROCESS.c.process_key)).scalars())
    by_job = [_EVENT.process_key == key for key in keys] if len(keys) <= _MOST_JOBS else [_EVENT.process_key.in_(keys)]
    runs = select(RUN_DATASET.c.run_uuid).where(
        RUN_DATASET.c.dataset_id.in_(numbers), RUN_DATASET.c.role == DatasetRole.OUTPUT.value
    )
    return [*by_job, _EVENT.run_uuid.in_(runs), _ALONE]


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
