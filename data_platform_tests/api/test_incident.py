"""Incidents and signals over HTTP: read by everybody, acknowledged and resolved by the teams that they concern."""

import pytest

from data_platform.model.access import Role
from data_platform_tests.api.service_client import NOW, ServiceClient
from data_platform_tests.catalog.incident.example_finding import CUSTOMERS, ORDERS, finding, group, look

INCIDENTS = "/api/v1/incidents"
OWNER = Role.DATA_OWNER


@pytest.fixture
def service(service: ServiceClient) -> ServiceClient:
    """Incident 1 is of orders and team sales, incident 2 of customers and team risk."""
    look(
        service.catalog,
        group(finding(ORDERS), owner_team="sales"),
        group(finding(CUSTOMERS), owner_team="risk"),
        at=NOW,
    )
    return service


def test_incidents_are_listed_newest_first_in_pages(service: ServiceClient) -> None:
    first = service.get(INCIDENTS, as_=Role.DATA_CONSUMER, params={"limit": 1}).json()
    rest = service.get(INCIDENTS, params={"limit": 1, "cursor": first["cursor"]}).json()
    of_orders = service.get(INCIDENTS, params={"dataset_urn": ORDERS, "state": ["OPEN"]}).json()

    assert [one["number"] for one in (*first["items"], *rest["items"])] == [2, 1]
    assert [one["dataset"] for one in of_orders["items"]] == [ORDERS]
    assert service.get(INCIDENTS, params={"state": "RESOLVED"}).json()["items"] == []


def test_an_incident_has_its_signals_and_its_history(service: ServiceClient) -> None:
    page = service.get(f"{INCIDENTS}/1").json()

    assert (page["incident"]["dataset"], page["incident"]["state"]) == (ORDERS, "OPEN")
    assert [signal["finding"]["signature"] for signal in page["signals"]] == ["JOB_NOT_TRIGGERED"]
    assert [event["what"] for event in page["history"]] == ["OPENED"]
    assert service.get(f"{INCIDENTS}/77").status_code == 404


def test_its_owner_acknowledges_and_resolves_it(service: ServiceClient) -> None:
    seen = service.post(f"{INCIDENTS}/1/acknowledge", as_=OWNER, json={"comment": "on it"})
    too_early = service.post(f"{INCIDENTS}/1/resolve", as_=OWNER, json={"reason": "FIXED"})
    ended = service.post(f"{INCIDENTS}/1/resolve", as_=OWNER, json={"reason": "ACCEPTED"})
    again = service.post(f"{INCIDENTS}/1/acknowledge", as_=OWNER, json={})

    assert (seen.json()["acknowledged_by"], ended.json()["resolution"]) == ("data_owner", "ACCEPTED")
    assert (too_early.status_code, again.status_code) == (409, 409)
    assert "still found" in too_early.json()["detail"]


def test_another_team_may_not(service: ServiceClient) -> None:
    refused = service.post(f"{INCIDENTS}/2/acknowledge", as_=OWNER, json={})

    assert (refused.status_code, refused.json()["detail"]) == (
        403,
        "the token data_owner may edit datasets of sales",
    )
    assert service.post(f"{INCIDENTS}/2/acknowledge", as_=Role.DATA_STEWARD, json={}).status_code == 200


def test_a_team_that_an_incident_concerns_may(service: ServiceClient) -> None:
    service.catalog.registry.save_dataset(
        ORDERS, table="orders", owner_team="sales", tier="TIER_1", description="", policy_fingerprint="f",
        partitioning="day", now=NOW,
    )  # fmt: skip
    look(service.catalog, group(finding(CUSTOMERS), finding(ORDERS), owner_team="risk"), at=NOW)

    assert service.post(f"{INCIDENTS}/1/acknowledge", as_=OWNER, json={}).status_code == 200


def test_signals_are_those_of_now_unless_all_are_asked_for(service: ServiceClient) -> None:
    look(service.catalog, group(finding(CUSTOMERS)), at=NOW)

    now = service.get("/api/v1/signals").json()["items"]
    ever = service.get("/api/v1/signals", params={"active": False}).json()["items"]

    assert [signal["finding"]["dataset"] for signal in now] == [CUSTOMERS]
    assert len(ever) == 2
