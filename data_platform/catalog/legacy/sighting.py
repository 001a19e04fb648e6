"""In which scans each job of the legacy scheduler was: so that one that vanished says when it was seen last.

A job's row covers scans that follow each other; a job that vanished and came back has a row for each stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from data_platform.catalog.legacy_table import LEGACY_SCAN_LOG, LEGACY_SIGHTING
from data_platform.catalog.upsert import WANTED, chunks, rows_of
from data_platform.model.catalog import Sighting
from data_platform.model.legacy import TECHNOLOGY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

_SEEN = select(LEGACY_SIGHTING.c.process_id).where(LEGACY_SIGHTING.c.process_id.in_(WANTED))
_NEWEST = LEGACY_SCAN_LOG.c.scan_number.desc()


def log_scan(
    connection: Connection, processes: Iterable[int], *, digest: str, files: Sequence[str], by: str, now: datetime
) -> int:
    """The number of the scan; ``processes`` are the jobs that it has."""
    wanted = sorted(set(processes))
    before = connection.execute(select(LEGACY_SCAN_LOG.c.scan_number).order_by(_NEWEST).limit(1)).scalar()
    row = {"scheduler": TECHNOLOGY, "digest": digest, "jobs": len(wanted), "files": list(files)}
    logged = insert(LEGACY_SCAN_LOG).values(**row, applied_by=by, applied_at=now)
    number: int = connection.execute(logged.returning(LEGACY_SCAN_LOG.c.scan_number)).scalar_one()
    stays = update(LEGACY_SIGHTING).where(LEGACY_SIGHTING.c.last_scan == before)
    for part in chunks(wanted):
        connection.execute(stays.where(LEGACY_SIGHTING.c.process_id.in_(part)).values(last_scan=number))
    known = {row.process_id for row in rows_of(connection, _SEEN.where(LEGACY_SIGHTING.c.last_scan == number), wanted)}
    fresh = [{"process_id": one, "first_scan": number, "last_scan": number} for one in wanted if one not in known]
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
