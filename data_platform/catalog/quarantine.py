"""Entries about quarantined rows, and where they are stored. The rows themselves are in the lake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.quarantine_table import QUARANTINE
from data_platform.catalog.table import RUN
from data_platform.model.dataset import Stage
from data_platform.model.quarantine import QuarantineEntry, QuarantineStatus, Supersedes

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import StageReport


def add_entry(connection: Connection, run: int, entry: QuarantineEntry) -> None:
    connection.execute(
        insert(QUARANTINE).values(
            name=entry.name,
            run=run,
            path=entry.path,
            dataset_urn=entry.dataset_urn,
            stage=entry.stage.value,
            partition=entry.partition,
            run_id=entry.run_id,
            level=entry.level,
            row_count=entry.rows,
            resolved_rows=entry.resolved_rows,
            signatures=dict(entry.signatures),
            delivery_id=entry.delivery_id,
            created_at=entry.created_at,
            discarded_rows=entry.discarded_rows,
            assignee=_last_assignee(connection, entry),
            status=_first_status(entry).value,
        )
    )


def _first_status(entry: QuarantineEntry) -> QuarantineStatus:
    """RESOLVED or DISCARDED if no row is left to work on."""
    if entry.resolved:
        return QuarantineStatus.RESOLVED
    return entry.status if entry.open_rows or not entry.rows else QuarantineStatus.DISCARDED


def _last_assignee(connection: Connection, entry: QuarantineEntry) -> str | None:
    """Who worked on the rows of the same delivery before this run quarantined them again."""
    before = (
        select(QUARANTINE.c.assignee)
        .where(QUARANTINE.c.dataset_urn == entry.dataset_urn, QUARANTINE.c.delivery_id == entry.delivery_id)
        .where(QUARANTINE.c.partition.is_not_distinct_from(entry.partition))
        .order_by(QUARANTINE.c.id.desc())
        .limit(1)
    )
    assignee: str | None = connection.execute(before).scalar_one_or_none()
    return assignee


def supersede_by(connection: Connection, report: StageReport, which: Supersedes) -> None:
    """Closes the OPEN entries of earlier runs whose rows ``report``'s run has judged again."""
    if which is not Supersedes.NONE:
        supersede(
            connection,
            report.dataset.urn,
            report.stage,
            report.partition,
            by_run=report.run_id,
            now=report.finished_at,
            delivery_id=report.delivery_id if which is Supersedes.SAME_DELIVERY else None,
        )


def supersede(
    connection: Connection,
    urn: str,
    stage: Stage,
    partition: PartitionKey | None,
    *,
    by_run: str,
    now: datetime,
    delivery_id: str | None = None,
) -> int:
    """Closes OPEN entries of runs recorded before ``by_run``, and returns their number. RESOLVED entries stay so.

    With ``delivery_id`` only those of that delivery.
    """
    earlier = (
        update(QUARANTINE)
        .where(QUARANTINE.c.dataset_urn == urn, QUARANTINE.c.stage == stage.value)
        .where(QUARANTINE.c.partition.is_not_distinct_from(partition))
        .where(QUARANTINE.c.status == QuarantineStatus.OPEN.value, QUARANTINE.c.run_id != by_run)
    )
    if delivery_id is not None:
        earlier = earlier.where(QUARANTINE.c.delivery_id == delivery_id)
    own_run = select(RUN.c.id).where(RUN.c.run_id == by_run, RUN.c.dataset_urn == urn, RUN.c.stage == stage.value)
    run = connection.execute(own_run).scalar_one_or_none()
    if run is not None:  # repeated after a later run, the call must not close that run's entries
        earlier = earlier.where(QUARANTINE.c.run < run)
    closing = earlier.values(status=QuarantineStatus.SUPERSEDED.value, closed_by=by_run, closed_at=now)
    return connection.execute(closing).rowcount


def find_entries(connection: Connection, urn: str | None, *, include_closed: bool) -> tuple[QuarantineEntry, ...]:
    query = select(QUARANTINE).order_by(QUARANTINE.c.id.desc())
    if urn is not None:
        query = query.where(QUARANTINE.c.dataset_urn == urn)
    if not include_closed:
        query = query.where(QUARANTINE.c.status == QuarantineStatus.OPEN.value)
    return tuple(entry_of_row(row) for row in connection.execute(query))


def find_entry(connection: Connection, name: str) -> QuarantineEntry | None:
    row = connection.execute(select(QUARANTINE).where(QUARANTINE.c.name == name)).one_or_none()
    return None if row is None else entry_of_row(row)


def entry_of_row(row: Row[Any]) -> QuarantineEntry:
    return QuarantineEntry(
        name=row.name,
        path=row.path,
        dataset_urn=row.dataset_urn,
        stage=Stage(row.stage),
        partition=row.partition,
        run_id=row.run_id,
        level=row.level,
        rows=row.row_count,
        resolved_rows=row.resolved_rows,
        signatures=row.signatures,
        delivery_id=row.delivery_id,
        created_at=row.created_at,
        status=QuarantineStatus(row.status),
        discarded_rows=row.discarded_rows,
        released_rows=row.released_rows,
        assignee=row.assignee,
        closed_by=row.closed_by,
        closed_at=row.closed_at,
        closed_reason=row.closed_reason,
    )
