"""A catalog of a few datasets and processes, reported as events; a test names only what it is about."""

import uuid
from typing import Any

from data_platform.catalog import Catalog
from data_platform.openlineage.event import read_event
from data_platform_tests.catalog.example import NOW


def dataset(
    name: str,
    *,
    namespace: str = "ds://ops",
    description: str = "",
    team: str | None = None,
    columns: tuple[str, ...] = (),
) -> dict[str, Any]:
    facets: dict[str, Any] = {}
    if description:
        facets["documentation"] = {"description": description}
    if team:
        facets["ownership"] = {"owners": [{"name": f"team:{team}"}]}
    if columns:
        facets["schema"] = {"fields": [{"name": column, "type": "string"} for column in columns]}
    return {"namespace": namespace, "name": name, "facets": facets}


def tell(
    catalog: Catalog,
    *outputs: dict[str, Any],
    job: str = "load",
    namespace: str = "AUTOSYS",
    inputs: tuple[dict[str, Any], ...] = (),
    description: str = "",
) -> None:
    """One run of ``job`` that wrote ``outputs``."""
    facets = {"documentation": {"description": description}} if description else {}
    event = {
        "eventType": "COMPLETE",
        "eventTime": NOW.isoformat(),
        "producer": "https://example.com/producer",
        "run": {"runId": str(uuid.uuid4())},
        "job": {"namespace": namespace, "name": job, "facets": facets},
        "inputs": list(inputs),
        "outputs": list(outputs),
    }
    catalog.events.ingest([read_event(event)], now=NOW)
