"""Lists versions and runs, newest first, page by page."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, func, or_, select

from data_platform.catalog.cursor import decode, encode, page_size
from data_platform.catalog.dataset_row import name_of_row
from data_platform.catalog.lineage_table import PROCESS_RUN, RUN_CONFLICT, RUN_DATASET
from data_platform.catalog.registry_table import DATASET, DATASET_VERSION, PROCESS
from data_platform.errors import InputError, NotFoundError
from data_platform.model.dataset_page import VersionCard
from data_platform.model.lineage import DatasetRole, RunState
from data_platform.model.page import Page
from data_platform.model.process_page import DatasetUse, ProcessRun

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Select
    from sqlalchemy.engine import Connection

_NEVER = datetime(1, 1, 2, tzinfo=UTC)
"""The sort key of versions that only readers reported: SQLite and PostgreSQL sort NULLs at different ends."""

_VERSIONS = select(DATASET_VERSION, PROCESS_RUN.c.status.label("run_status")).outerjoin(
    PROCESS_RUN, PROCESS_RUN.c.run_uuid == DATASET_VERSION.c.produced_by_run_id
)
RUNS = select(PROCESS_RUN, PROCESS.c.process_key).join(PROCESS, PROCESS.c.process_id == PROCESS_RUN.c.process_id)


def find_versions(
    connection: Connection, dataset_id: int, *, limit: int = 100, cursor: str | None = None
) -> Page[VersionCard]:
    """Ordered by production time; versions that only readers reported come last."""
    table = DATASET_VERSION.c
    produced = func.coalesce(table.produced_at, _NEVER)
    query = _VERSIONS.where(table.dataset_id == dataset_id, table.state_change.is_(None))
    if (after := decode(cursor, str, int)) is not None:
        at, key = _moment(after[0]), table.dataset_version_id
        query = query.where(or_(produced < at, and_(produced == at, key < after[1])))
    query = query.order_by(produced.desc(), table.dataset_version_id.desc()).limit(page_size(limit) + 1)
    rows = connection.execute(query).all()
    return _page(rows, limit, version_card, lambda row: (row.produced_at or _NEVER, row.dataset_version_id))


def find_latest(connection: Connection, dataset_id: int) -> VersionCard | None:
    """The newest version whose run succeeded, or that has no run; backfills are never the latest."""
    table = DATASET_VERSION.c
    good = or_(PROCESS_RUN.c.status == RunState.COMPLETED, table.produced_by_run_id.is_(None))
    query = _VERSIONS.where(
        table.dataset_id == dataset_id, table.historical.is_(False), good, table.produced_at.is_not(None)
    ).where(table.state_change.is_(None))
    row = connection.execute(query.order_by(table.produced_at.desc(), table.dataset_version_id.desc()).limit(1)).first()
    return None if row is None else version_card(row)


def version_card(row: Any) -> VersionCard:
    return VersionCard(
        tag=row.version_tag,
        produced_at=row.produced_at,
        run_uuid=row.produced_by_run_id,
        run_status=row.run_status and RunState(row.run_status),
        path=row.path,
        row_count=row.row_count,
        byte_count=row.byte_count,
        checksum=row.checksum,
        schema_hash=row.schema_hash,
        certified_at=row.certified_at,
        historical=row.historical,
    )


def find_last_successful_run(connection: Connection, dataset_id: int) -> ProcessRun | None:
    """The last successful run that wrote the dataset."""
    wrote = RUN_DATASET.c.dataset_id == dataset_id, RUN_DATASET.c.role == DatasetRole.OUTPUT
    query = (
        RUNS.join(RUN_DATASET, RUN_DATASET.c.run_uuid == PROCESS_RUN.c.run_uuid)
        .where(*wrote, PROCESS_RUN.c.status == RunState.COMPLETED)
        .order_by(PROCESS_RUN.c.end_ts.desc(), PROCESS_RUN.c.run_id.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    return None if row is None else run_cards(connection, [row])[0]


def find_process_runs(
    connection: Connection, process_id: int, *, limit: int = 100, cursor: str | None = None
) -> Page[ProcessRun]:
    """Ordered by the time of their first event."""
    table = PROCESS_RUN.c
    query = RUNS.where(table.process_id == process_id)
    if (after := decode(cursor, str, int)) is not None:
        at = _moment(after[0])
        query = query.where(or_(table.first_event_at < at, and_(table.first_event_at == at, table.run_id < after[1])))
    rows = connection.execute(
        query.order_by(table.first_event_at.desc(), table.run_id.desc()).limit(page_size(limit) + 1)
    ).all()
    page = _page(rows, limit, lambda row: row, lambda row: (row.first_event_at, row.run_id))
    return Page(run_cards(connection, page.items), page.cursor)


def find_failed_last(connection: Connection, namespace: str, since: datetime) -> tuple[ProcessRun, ...]:
    """The newest run of each process of ``namespace``, if it failed; runs from before ``since`` do not count."""
    table, other = PROCESS_RUN.c, PROCESS_RUN.alias("other").c
    newest = (
        select(func.max(other.last_event_at)).where(other.process_id == table.process_id, other.created_at >= since)
    ).scalar_subquery()
    query = RUNS.where(
        PROCESS.c.namespace == namespace,
        table.created_at >= since,
        table.status == RunState.FAILED,
        table.last_event_at == newest,
    ).order_by(table.last_event_at, table.run_id)
    return run_cards(connection, connection.execute(query).all())


def find_run(connection: Connection, run_uuid: str) -> ProcessRun:
    """Returns a run with its facets.

    Raises:
        NotFoundError: No event has reported the run, or it is archived.
    """
    row = connection.execute(RUNS.where(PROCESS_RUN.c.run_uuid == run_uuid)).first()
    if row is None:
        raise NotFoundError(f"no run {run_uuid[:60]!r} is in the catalog; it may be archived")
    return run_cards(connection, [row], facets=True)[0]


def run_cards(connection: Connection, rows: Iterable[Any], *, facets: bool = False) -> tuple[ProcessRun, ...]:
    listed = list(rows)
    uuids = [row.run_uuid for row in listed]
    if not uuids:
        return ()
    uses, failed, conflicts = _uses(connection, uuids), _failed(connection, uuids), _conflicts(connection, uuids)
    return tuple(
        ProcessRun(
            run_uuid=row.run_uuid,
            process_key=row.process_key,
            status=RunState(row.status),
            start=row.start_ts,
            end=row.end_ts,
            attempt=row.attempt,
            parent_run_uuid=row.parent_run_uuid,
            nominal_start=row.nominal_start_ts,
            nominal_end=row.nominal_end_ts,
            log_location=row.log_location,
            error_message=row.error_message,
            historical=row.historical,
            failed_children=failed.get(row.run_uuid, 0),
            datasets=tuple(uses.get(row.run_uuid, ())),
            conflicts=tuple(conflicts.get(row.run_uuid, ())),
            facets=_facets(row) if facets else {},
        )
        for row in listed
    )


def _facets(row: Any) -> dict[str, Any]:
    return {name: entry["value"] for name, entry in row.facets_json.items() if not name.startswith("@")}


def _uses(connection: Connection, uuids: list[str]) -> dict[str, list[DatasetUse]]:
    names = DATASET.c.full_name, DATASET.c.namespace, DATASET.c.name
    query = (
        select(RUN_DATASET.c.run_uuid, RUN_DATASET.c.role, RUN_DATASET.c.version_tag, *names)
        .join(DATASET, DATASET.c.dataset_id == RUN_DATASET.c.dataset_id)
        .where(RUN_DATASET.c.run_uuid.in_(uuids))
        .order_by(RUN_DATASET.c.role, DATASET.c.full_name, DATASET.c.namespace)
    )
    uses: dict[str, list[DatasetUse]] = {}
    for row in connection.execute(query):
        name = name_of_row(row).reference
        use = DatasetUse(full_name=row.full_name, role=row.role, version=row.version_tag, reference=name)
        uses.setdefault(row.run_uuid, []).append(use)
    return uses


def _failed(connection: Connection, uuids: list[str]) -> dict[str, int]:
    table = PROCESS_RUN.c
    failed_children = table.parent_run_uuid.in_(uuids), table.status == RunState.FAILED
    query = (
        select(table.parent_run_uuid, func.count().label("number"))
        .where(*failed_children)
        .group_by(table.parent_run_uuid)
    )
    return {row.parent_run_uuid: row.number for row in connection.execute(query)}


def _conflicts(connection: Connection, uuids: list[str]) -> dict[str, list[str]]:
    query: Select[Any] = (
        select(RUN_CONFLICT.c.run_uuid, PROCESS.c.process_key)
        .join(PROCESS, PROCESS.c.process_id == RUN_CONFLICT.c.process_id)
        .where(RUN_CONFLICT.c.run_uuid.in_(uuids))
        .order_by(PROCESS.c.process_key)
    )
    conflicts: dict[str, list[str]] = {}
    for row in connection.execute(query):
        conflicts.setdefault(row.run_uuid, []).append(row.process_key)
    return conflicts


def _page(rows: Any, limit: int, card: Any, key: Any) -> Page[Any]:
    """``rows`` has one more than ``limit`` if there is a next page."""
    shown = rows[:limit]
    more = len(rows) > limit
    if not more:
        return Page(tuple(card(row) for row in shown))
    at, number = key(shown[-1])
    return Page(tuple(card(row) for row in shown), encode(at.isoformat(), number))


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError(text)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InputError("cursor", "not a cursor of this listing: pass the cursor of the last page") from None
