"""What consumers saw at an instant, and each change of a pointer.

Lines of the history are in the order in which they were written. Clocks of two machines may differ, so the state at an
instant is the last line with an earlier time.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from data_platform.catalog import cursor as cursors
from data_platform.catalog.certification import certification_of, with_origin
from data_platform.catalog.publication_table import PUBLICATION, PUBLICATION_MEMBER
from data_platform.catalog.table import CERTIFICATION_HISTORY as HISTORY
from data_platform.errors import NotCertifiedError
from data_platform.model.certification import CertificationStatus, PastCertification, PointerChange, PointerEvent
from data_platform.model.page import Page

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row


_PUBLISHED = (PUBLICATION.c.group_name, PUBLICATION.c.id.label("publication"))


def find_past(connection: Connection, urn: str, moment: datetime) -> PastCertification:
    """Raises: NotCertifiedError, if no version was certified at ``moment``."""
    of_dataset = HISTORY.c.dataset_urn == urn
    query = select(HISTORY).where(of_dataset, HISTORY.c.changed_at <= moment)
    row = connection.execute(query.order_by(HISTORY.c.id.desc()).limit(1)).one_or_none()
    if row is None or row.version is None:
        raise NotCertifiedError(_never(connection, urn, moment))
    others = (of_dataset, HISTORY.c.version.is_distinct_from(row.version))
    before = select(func.max(HISTORY.c.id)).where(*others, HISTORY.c.id < row.id).scalar_subquery()
    first = select(func.min(HISTORY.c.id)).where(of_dataset, HISTORY.c.id > func.coalesce(before, 0))
    next_ = select(func.min(HISTORY.c.id)).where(*others, HISTORY.c.id > row.id)
    pointer = with_origin(connection, certification_of(row), until=row.id)
    seen_from = _time_of(connection, first)
    assert seen_from is not None, "the line itself is the first one at the latest"  # noqa: S101
    return PastCertification(
        **asdict(pointer), as_of=moment, seen_from=seen_from, seen_until=_time_of(connection, next_)
    )


def _time_of(connection: Connection, line: Any) -> datetime | None:
    found: datetime | None = connection.execute(
        select(HISTORY.c.changed_at).where(HISTORY.c.id == line.scalar_subquery())
    ).scalar_one_or_none()
    return found


def _never(connection: Connection, urn: str, moment: datetime) -> str:
    certified = (HISTORY.c.dataset_urn == urn, HISTORY.c.version.is_not(None))
    first = _time_of(connection, select(func.min(HISTORY.c.id)).where(*certified))
    if first is None:
        return f"{urn} has no certified version yet: run it until its gates pass"
    return (
        f"{urn} had no certified version at {moment:%Y-%m-%d %H:%M:%S} UTC: its first one was certified at "
        f"{first:%Y-%m-%d %H:%M:%S} UTC"
    )


def find_changes(connection: Connection, urn: str, *, limit: int, cursor: str | None) -> Page[PointerChange]:
    """Newest first. Raises: InputError, if ``cursor`` or ``limit`` is wrong."""
    size, key = cursors.page_size(limit), cursors.decode(cursor, int)
    earlier = HISTORY.alias("earlier")
    previous = (
        select(earlier.c.version)
        .where(earlier.c.dataset_urn == HISTORY.c.dataset_urn, earlier.c.id < HISTORY.c.id)
        .order_by(earlier.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = select(HISTORY, previous.label("previous_version"), *_PUBLISHED).where(HISTORY.c.dataset_urn == urn)
    query = query.outerjoin(PUBLICATION_MEMBER, PUBLICATION_MEMBER.c.history == HISTORY.c.id)
    query = query.outerjoin(PUBLICATION, PUBLICATION.c.id == PUBLICATION_MEMBER.c.publication_id)
    if key is not None:
        query = query.where(HISTORY.c.id < key[0])
    rows = connection.execute(query.order_by(HISTORY.c.id.desc()).limit(size + 1)).all()
    more = cursors.encode(rows[size - 1].id) if len(rows) > size else None
    return Page(tuple(_change(row) for row in rows[:size]), more)


def _change(row: Row[Any]) -> PointerChange:
    event = _event(row)
    of_attempt = event is not PointerEvent.MOVED
    return PointerChange(
        dataset_urn=row.dataset_urn,
        at=row.changed_at,
        event=event,
        version=row.version,
        previous_version=row.previous_version,
        partition=row.partition if of_attempt else None,
        run_id=row.run_id if of_attempt else "",
        reason=row.reason,
        policy_fingerprint=row.policy_fingerprint,
        schema_fingerprint=row.schema_fingerprint,
        group=row.group_name or "",
        publication=row.publication or "",
    )


def _event(row: Row[Any]) -> PointerEvent:
    """A certification has no reason, a hold leaves the version as it is, and every other change is a move."""
    if row.status == CertificationStatus.CERTIFIED.value and row.reason == "":
        return PointerEvent.CERTIFIED
    return PointerEvent.HELD if row.version == row.previous_version else PointerEvent.MOVED
