"""Records in which scans each job of the legacy scheduler was, to show when a missing job was last seen.

A job's row covers consecutive scans; a job that came back after a gap has several rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from data_platform.catalog.legacy_table import LEGACY_SCAN_LOG, LEGACY_SIGHTING
from data_platform.catalog.upsert import WANTED, chunks, rows_of
from data_platform.model.legacy import TECHNOLOGY
from data_platform.model.process_page import Sighting

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

_SEEN = select(LEGACY_SIGHTING.c.process_id).where(LEGACY_SIGHTING.c.process_id.in_(WANTED))
_NEWEST = LEGACY_SCAN_LOG.c.scan_number.desc()


def log_scan(
    connection: Connection, processes: Iterable[int], *, digest: str, files: Sequence[str], by: str, now: datetime
) -> int:
    """Logs a scan with its jobs ``processes``; returns the number of the scan."""
    numbers = sorted(set(processes))
    before = connection.execute(select(LEGACY_SCAN_LOG.c.scan_number).order_by(_NEWEST).limit(1)).scalar()
    row = {"scheduler": TECHNOLOGY, "digest": digest, "jobs": len(numbers), "files": list(files)}
    logged = insert(LEGACY_SCAN_LOG).values(**row, applied_by=by, applied_at=now)
    number: int = connection.execute(logged.returning(LEGACY_SCAN_LOG.c.scan_number)).scalar_one()
    continuing = update(LEGACY_SIGHTING).where(LEGACY_SIGHTING.c.last_scan == before)
    for part in chunks(numbers):
        connection.execute(continuing.where(LEGACY_SIGHTING.c.process_id.in_(part)).values(last_scan=number))
    continued = {
        row.process_id for row in rows_of(connection, _SEEN.where(LEGACY_SIGHTING.c.last_scan == number), numbers)
    }
    fresh = [
        {"process_id": process_id, "first_scan": number, "last_scan": number}
        for process_id in numbers
        if process_id not in continued
    ]
    if fresh:
        connection.execute(insert(LEGACY_SIGHTING), fresh)
    return number


def find_sightings(connection: Connection, process_id: int) -> tuple[Sighting, ...]:
    """Newest first."""
    first, last = LEGACY_SCAN_LOG.alias("first"), LEGACY_SCAN_LOG.alias("last")
    query = (
        select(LEGACY_SIGHTING, first.c.applied_at.label("first_at"), last.c.applied_at.label("last_at"))
        .join(first, first.c.scan_number == LEGACY_SIGHTING.c.first_scan)
        .join(last, last.c.scan_number == LEGACY_SIGHTING.c.last_scan)
        .where(LEGACY_SIGHTING.c.process_id == process_id)
        .order_by(LEGACY_SIGHTING.c.first_scan.desc())
    )
    return tuple(
        Sighting(first_scan=row.first_scan, first_at=row.first_at, last_scan=row.last_scan, last_at=row.last_at)
        for row in connection.execute(query)
    )
