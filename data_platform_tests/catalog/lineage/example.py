"""OpenLineage events of one job, ``etl/load``; a test names only what it is about."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from data_platform.catalog import Catalog
from data_platform.catalog.lineage.ingest import Receipt
from data_platform.openlineage.event import read_event

CASES = Path(__file__).parents[2] / "cases"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
BEGAN = datetime(2026, 2, 15, 7, tzinfo=UTC)
RUN = "00000000-0000-4000-8000-000000000001"


def run_id(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def event(
    kind: str | None = "COMPLETE", *, minute: float = 0, run: str = RUN, job: str = "load", **changes: Any
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "eventType": kind,
        "eventTime": (BEGAN + timedelta(minutes=minute)).isoformat(),
        "producer": "https://example.net/producer/1.0",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run},
        "job": {"namespace": "etl", "name": job},
        "inputs": [],
        "outputs": [],
    }
    return {**document, **changes}


def dataset(name: str, **facets: Any) -> dict[str, Any]:
    return {"namespace": "s3://lake", "name": name, "facets": facets}


def schema(*columns: tuple[str, str]) -> dict[str, Any]:
    return {"fields": [{"name": name, "type": kind} for name, kind in columns]}


def from_columns(**sources: list[tuple[str, str]]) -> dict[str, Any]:
    """``total=[("orders", "amount")]``: column total comes from column amount of orders."""
    return {
        "fields": {
            column: {
                "inputFields": [{"namespace": "s3://lake", "name": name, "field": field} for name, field in listed]
            }
            for column, listed in sources.items()
        }
    }


def send(catalog: Catalog, *documents: dict[str, Any], historical: bool = False) -> tuple[Receipt, ...]:
    """Each in a transaction of its own, as they come over HTTP one by one."""
    return tuple(
        receipt
        for document in documents
        for receipt in catalog.events.ingest([read_event(document, historical=historical)], now=NOW)
    )


def lines(case: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / case / "events.jsonl").read_text().splitlines()]
