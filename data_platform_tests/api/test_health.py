"""Alive is the process, ready is the catalog, and the figures count what was done."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from data_platform.catalog import Catalog, open_catalog
from data_platform.errors import SourceUnavailableError
from data_platform.model.alert import ClaimedMessage
from data_platform.model.watcher import Watcher
from data_platform_tests.api.service_client import NOW, ServiceClient, event
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.catalog.example import evidence
from data_platform_tests.catalog.incident.example_finding import finding, group, look
from data_platform_tests.signals.outbox import change


def figures(service: ServiceClient) -> dict[tuple[str, ...], float]:
    """By name and label values."""
    families = text_string_to_metric_families(service.get("/metrics", as_=None).text)
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def test_the_process_is_alive_and_the_catalog_is_ready(service: ServiceClient) -> None:
    assert service.get("/healthz", as_=None).json() == {"status": "alive"}
    assert service.get("/readyz", as_=None).json() == {"status": "ready"}


def test_without_its_catalog_it_is_alive_and_not_ready(service: ServiceClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(catalog: Catalog) -> Any:  # noqa: ARG001 - a method
        raise SourceUnavailableError("at db.internal")

    monkeypatch.setattr(Catalog, "is_current", away)

    assert service.get("/healthz", as_=None).status_code == 200
    answer = service.get("/readyz", as_=None)
    assert answer.status_code == 503
    assert "db.internal" not in answer.text


def test_with_the_schema_of_other_code_it_is_not_ready(service: ServiceClient) -> None:
    with service.catalog._database.writing() as connection:
        connection.exec_driver_sql("UPDATE catalog_revision SET version_num = 'later'")

    assert service.get("/readyz", as_=None).status_code == 503


def test_the_figures_count_events_by_what_became_of_them(service: ServiceClient) -> None:
    service.post("/api/v1/lineage", json=event())
    service.post("/api/v1/lineage/batch", json=[event(), event("START"), {"run": {}}])

    found = figures(service)

    assert found["data_platform_events_total", "ingested"] == 2
    assert found["data_platform_events_total", "duplicate"] == 1
    assert found["data_platform_events_total", "refused"] == 1
    assert found["data_platform_ingest_seconds_count",] == 2
    assert found["data_platform_ingest_queue_events",] == 0


def test_an_event_that_is_refused_by_itself_is_counted(service: ServiceClient) -> None:
    service.post("/api/v1/lineage", json={"run": {}})

    assert figures(service)["data_platform_events_total", "refused"] == 1


def test_requests_are_counted_by_route_and_not_by_path(service: ServiceClient) -> None:
    for number in range(3):
        service.get(f"/api/v1/dataset/{number}")
    service.get("/made/up")

    found = figures(service)

    assert found["data_platform_requests_total", "GET", "/api/v1/dataset/{reference}", "404"] == 3
    assert found["data_platform_requests_total", "GET", "none", "404"] == 1


def test_two_services_do_not_count_together(service: ServiceClient, tmp_path: Any) -> None:
    service.post("/api/v1/lineage", json=event())
    with ServiceClient(f"sqlite:///{tmp_path / 'other.db'}") as other:
        assert figures(other)["data_platform_events_total", "ingested"] == 0


def test_the_page_for_people_names_every_route_and_fetches_nothing(service: ServiceClient) -> None:
    page = service.get("/docs", as_=None)

    assert page.status_code == 200
    for path in service.get("/openapi.json", as_=None).json()["paths"]:
        assert path in page.text
    assert "http://" not in page.text
    assert "https://" not in page.text
    assert "<script" not in page.text


def test_evidence_that_kafka_does_not_have_is_counted_with_its_age(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'catalog.db'}"
    with ServiceClient(url, evidence_topic="evidence") as service, open_catalog(url, KEYS) as catalog:
        before = figures(service)
        catalog.evidence.add([evidence(timestamp=NOW - timedelta(minutes=1)), evidence(timestamp=NOW)])

        after = figures(service)

    assert before["data_platform_evidence_waiting_records",] == 0
    assert after["data_platform_evidence_waiting_records",] == 2
    assert after["data_platform_evidence_waiting_seconds",] == 60


def test_alerts_that_wait_are_counted_with_their_age(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'catalog.db'}"
    with ServiceClient(url) as service, open_catalog(url, KEYS) as catalog:
        before = figures(service)
        change(catalog, at=NOW - timedelta(minutes=2))

        after = figures(service)

    assert before["data_platform_alerts_waiting_messages",] == 0
    assert after["data_platform_alerts_waiting_messages",] == 1
    assert after["data_platform_alerts_waiting_seconds",] == 120


def test_alerts_that_nobody_received_for_certain_are_counted_by_outcome(service: ServiceClient) -> None:
    change(service.catalog, at=NOW)
    service.catalog.alerts.route({1: ["pager", "chat"]}, now=NOW)
    message = ClaimedMessage(id="m1", channel="pager", shape="SINGLE", by="a sender")
    service.catalog.alerts.claim([1], message, now=NOW, ttl=timedelta(minutes=2), per_hour=None)
    service.catalog.alerts.give_up(message, now=NOW, error="refused")

    found = figures(service)

    assert found["data_platform_alerts_undelivered_messages", "FAILED"] == 1
    assert found["data_platform_alerts_undelivered_messages", "UNKNOWN"] == 0


def test_the_figures_have_the_incidents_and_when_somebody_last_looked(service: ServiceClient) -> None:
    look(service.catalog, group(finding(occurred_at=NOW - timedelta(minutes=3))), at=NOW)
    service.catalog.incidents.save_watcher(
        Watcher(name="watch", looked_at=NOW - timedelta(seconds=20), every_seconds=30)
    )

    found = figures(service)

    assert found["data_platform_incidents_active", "CRITICAL"] == 1
    assert found["data_platform_incidents_active", "WARNING"] == 0
    assert found["data_platform_incident_seconds", "0.5", "detect"] == 180
    assert found["data_platform_look_age_seconds",] == 20
