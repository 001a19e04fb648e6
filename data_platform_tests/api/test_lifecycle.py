"""Lifecycle events over HTTP, without the reasons of failures for consumers."""

from uuid import uuid4

from data_platform.model.access import Role
from data_platform.openlineage.event import read_event
from data_platform.openlineage.legacy_event import run_event
from data_platform_tests.api.service_client import NOW, ServiceClient

EVENTS = "/api/v1/events/lifecycle"


def test_events_are_listed_in_pages(service: ServiceClient) -> None:
    for kind in ("START", "FAIL"):
        document = run_event(kind, "AUTOSYS/NIGHT/LOAD", str(uuid4()), time=NOW, error="x" if kind == "FAIL" else None)
        service.catalog.events.ingest([read_event(document)], now=NOW)

    first = service.get(EVENTS, as_=Role.DATA_CONSUMER, params={"limit": 1}).json()
    rest = service.get(EVENTS, params={"limit": 1, "cursor": first["cursor"]}).json()
    owner = service.get(EVENTS, params={"limit": 1}).json()

    [failed], [started] = first["items"], rest["items"]
    assert (failed["event"], started["event"]) == ("JobRunFailed", "JobRunStarted")
    assert failed["record"] == {"failure_reason": None, "retry_count": 0, "stack_trace": None}
    assert owner["items"][0]["record"]["failure_reason"] == "x"
    assert set(started["record"]) == {"producer_urn", "run_id", "scheduled_time", "code_ref"}
    assert rest["cursor"] is None
    assert service.get(EVENTS, params={"dataset_urn": "ds://no/such"}).json()["items"] == []
