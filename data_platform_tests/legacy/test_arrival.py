"""An arrival is built as a value, and its payload is the event from which OpenLineage's reader reads the same value."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from data_platform.legacy.arrival import arrival_event
from data_platform.model.partition_key import PartitionKey
from data_platform.openlineage.event import read_event

NOW = datetime(2025, 6, 1, 3, 0, 0, 250_000, tzinfo=UTC)
RUN = "00000000-0000-4000-8000-000000000001"
LOAD = "AUTOSYS/NIGHT/LOAD"


@pytest.mark.parametrize(
    ("partition", "more"),
    [
        pytest.param(None, {}, id="of a dataset alone"),
        pytest.param("2025-06-01", {}, id="of a day"),
        pytest.param("2025-06-01", {"process": LOAD}, id="with a derived run"),
        pytest.param(None, {"process": "LOAD", "run": RUN}, id="of a run that was reported"),
        pytest.param(
            "2025-06-01",
            {"process": LOAD, "rows": 20, "size": 400, "path": "/in/positions", "metadata": {"files": 2, "none": None}},
            id="with counts, a path and metadata",
        ),
        pytest.param(
            None, {"rows": 0, "description": "asked by ann@example.com", "metadata": {"by": "Ann <ann@example.com>"}},
            id="with personal values",
        ),
        pytest.param(None, {"path": "/in/" + "x" * 3000}, id="with a long path"),
    ],
)  # fmt: skip
def test_the_payload_of_an_arrival_reads_as_the_same_event(partition: str | None, more: dict[str, Any]) -> None:
    day = PartitionKey(partition) if partition is not None else None

    event = arrival_event("ds://legacy/positions", "v1", day, time=NOW, **more)

    assert read_event(json.loads(event.payload)) == event


def test_personal_values_are_redacted() -> None:
    event = arrival_event("ds://legacy/positions", "v1", None, time=NOW, description="asked by ann@example.com")

    assert "ann@example.com" not in event.payload
    assert "ann@example.com" not in str(event.datasets)


def test_the_same_arrival_has_the_same_derived_run() -> None:
    first, again = (arrival_event("ds://a/b", "v1", None, time=NOW, process=LOAD) for _ in range(2))
    other = arrival_event("ds://a/b", "v2", None, time=NOW, process=LOAD)

    assert first.run_uuid == again.run_uuid
    assert first.run_uuid != other.run_uuid
