"""Lists of quarantine entries, a page at a time, with the team of each dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import case, func, select

from data_platform.catalog.cursor import page_size
from data_platform.catalog.quarantine import entry_of_row
from data_platform.catalog.quarantine_table import QUARANTINE
from data_platform.catalog.registry_table import DATASET
from data_platform.errors import InputError
from data_platform.model.page import Page
from data_platform.model.quarantine import QuarantineStatus
from data_platform.model.quarantine_filter import OwnedEntry, QuarantineOwner

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection

    from data_platform.model.quarantine_filter import QuarantineFilter

_DECLARED = (
    select(DATASET.c.owner_team)
    .where(DATASET.c.full_name == QUARANTINE.c.dataset_urn, DATASET.c.policy_fingerprint.is_not(None))
    .limit(1)
    .scalar_subquery()
)
_TEAM = func.coalesce(_DECLARED, "").label("team")
_OWNER = func.coalesce(QUARANTINE.c.assignee, _DECLARED, "").label("owner")


def find_page(
    connection: Connection, wanted: QuarantineFilter, *, oldest_first: bool, cursor: str | None, limit: int
) -> Page[OwnedEntry]:
    """``cursor`` is the name of the last entry of the page before.

    Raises:
        InputError: No entry has the name in ``cursor``, or ``limit`` is out of range.
    """
    conditions, number = _conditions(wanted), QUARANTINE.c.id
    if cursor is not None:
        last = _number_of(connection, cursor)
        conditions.append(number > last if oldest_first else number < last)
    query = select(QUARANTINE, _TEAM).where(*conditions).order_by(number if oldest_first else number.desc())
    rows = connection.execute(query.limit(page_size(limit) + 1)).all()
    found = tuple(OwnedEntry(entry=entry_of_row(row), team=row.team) for row in rows[:limit])
    return Page(found, found[-1].entry.name if len(rows) > limit else None)


def find_owners(connection: Connection, *, stale_before: datetime) -> tuple[QuarantineOwner, ...]:
    """The owners of open entries, the one with the oldest entry first."""
    columns = QUARANTINE.c
    settled = columns.resolved_rows + columns.discarded_rows + columns.released_rows
    oldest = func.min(columns.created_at)
    query = (
        select(
            _OWNER,
            func.count().label("batches"),
            func.sum(case((columns.created_at < stale_before, 1), else_=0)).label("stale"),
            func.sum(columns.row_count - settled).label("open_rows"),
            oldest.label("oldest"),
        )
        .where(columns.status == QuarantineStatus.OPEN.value)
        .group_by(_OWNER)
        .order_by(oldest, _OWNER)
    )
    return tuple(
        QuarantineOwner(
            owner=row.owner, batches=row.batches, stale=int(row.stale), rows=int(row.open_rows), oldest=row.oldest
        )
        for row in connection.execute(query)
    )


def _conditions(wanted: QuarantineFilter) -> list[ColumnElement[bool]]:
    columns, found = QUARANTINE.c, list["ColumnElement[bool]"]()
    if wanted.dataset_urn is not None:
        found.append(columns.dataset_urn == wanted.dataset_urn)
    if wanted.partition is not None:
        found.append(columns.partition == wanted.partition)
    if wanted.status is not None:
        found.append(columns.status == wanted.status.value)
    if wanted.owner is not None:
        found.append(_OWNER.in_([wanted.owner]))
    if wanted.created_before is not None:
        found.append(columns.created_at < wanted.created_before)
    return found


def _number_of(connection: Connection, name: str) -> int:
    """Raises: InputError, if no entry has this name."""
    number = connection.execute(select(QUARANTINE.c.id).where(QUARANTINE.c.name == name)).scalar_one_or_none()
    if number is None:
        raise InputError("cursor", "not a cursor of this list: expected the one of the page before, or none")
    return int(number)
