"""Old runs, reported when they happened; and the content of a catalog's tables and folder, to compare."""

import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from sqlalchemy import func, select

from data_platform.catalog import Catalog
from data_platform.catalog.database import open_database
from data_platform.catalog.lineage_table import ARCHIVE_FILE, PROCESS_RUN, RUN_DATASET, RUN_EVENT, RUN_ROLLUP
from data_platform.openlineage.event import read_event

START = datetime(2026, 1, 5, 6, 30, tzinfo=UTC)
NOW = START + timedelta(days=200)
OLD = timedelta(days=90)
TABLES = (PROCESS_RUN, RUN_EVENT, RUN_DATASET)


def uuid_of(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def event(run: str, kind: str, at: datetime, *, job: str = "load", **more: Any) -> dict[str, Any]:
    return {
        "eventType": kind,
        "eventTime": at.isoformat(),
        "producer": "https://example.com/p",
        "run": {"runId": uuid_of(run)},
        "job": {"namespace": "AUTOSYS", "name": job},
        "inputs": [{"namespace": "ds://ops", "name": "orders"}],
        "outputs": [{"namespace": "ds://ops", "name": f"{job}_out"}],
        **more,
    }


def tell(catalog: Catalog, *documents: dict[str, Any], heard: datetime | None = None) -> None:
    """Received when it happened, by default."""
    for document in documents:
        told = read_event(document)
        catalog.events.ingest([told], now=heard or told.time)


def run(catalog: Catalog, name: str, at: datetime, *, job: str = "load", end: str | None = "COMPLETE") -> None:
    """Of ten minutes, if it ended."""
    tell(catalog, event(name, "START", at, job=job))
    if end is not None:
        tell(catalog, event(name, end, at + timedelta(minutes=10), job=job))


def fill(catalog: Catalog, days: int = 3) -> None:
    """On each day one that completed and one that failed; one without end, one of a dataset alone, one of today."""
    for day in range(days):
        run(catalog, f"good {day}", START + timedelta(days=day))
        run(catalog, f"bad {day}", START + timedelta(days=day, hours=1), job="check", end="FAIL")
    run(catalog, "endless", START, end=None)
    said = {"dataset": {"namespace": "ds://ops", "name": "orders"}, "producer": "p", "schemaURL": "s"}
    tell(catalog, {**said, "eventTime": START.isoformat()})
    run(catalog, "today", NOW - timedelta(hours=1))


def counts(url: str) -> dict[str, int]:
    """Of rows in the hot tables."""
    database = open_database(url)
    with database.reading() as connection:
        found = {t.name: connection.execute(select(func.count()).select_from(t)).scalar_one() for t in TABLES}
    database.close()
    return found


def rollups(url: str) -> dict[tuple[str, str, str], tuple[int, float, float]]:
    """By grain, bucket and status, over all processes."""
    database = open_database(url)
    found: dict[tuple[str, str, str], tuple[int, float, float]] = {}
    with database.reading() as connection:
        for row in connection.execute(select(RUN_ROLLUP)):
            key = (row.grain, f"{row.bucket:%m-%d %H}", row.status)
            count, total, longest = found.get(key, (0, 0.0, 0.0))
            found[key] = (count + row.run_count, total + row.seconds_sum, max(longest, row.seconds_max))
    database.close()
    return found


def registered(url: str) -> list[Any]:
    database = open_database(url)
    with database.reading() as connection:
        found = list(connection.execute(select(ARCHIVE_FILE).order_by(ARCHIVE_FILE.c.path)).all())
    database.close()
    return found


def archived(url: str) -> dict[str, list[str]]:
    """Keys of rows in registered files, by table."""
    keys = {"process_run": "run_uuid", "run_event": "digest", "run_dataset": "run_uuid"}
    found: dict[str, list[str]] = {name: [] for name in keys}
    for file in registered(url):
        found[file.kind] += pq.read_table(file.path)[keys[file.kind]].to_pylist()
    return found


def files(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*") if path.is_file() and path.name != ".archive.lock"}
