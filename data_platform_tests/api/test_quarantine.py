"""Quarantine over HTTP: read by those who produce data, decided by the dataset's team, released by a second person."""

from typing import Any

import pytest

from data_platform.model.access import Role
from data_platform.model.dataset import Stage
from data_platform_tests.api.service_client import NOW, ServiceClient
from data_platform_tests.catalog.example import ORDERS, entry, report

OWNER, STEWARD, ADMIN = Role.DATA_OWNER, Role.DATA_STEWARD, Role.PLATFORM_ADMIN
QUARANTINE = "/api/v1/quarantine"
NAME = "orders_20260215_run_1"
ONE = f"{QUARANTINE}/{NAME}"


@pytest.fixture
def held(service: ServiceClient) -> ServiceClient:
    """Five rows of orders, which belong to the team sales, are in quarantine."""
    declare(service, "sales")
    set_aside(service, "run_1")
    return service


def declare(service: ServiceClient, team: str) -> None:
    service.catalog.registry.save_dataset(
        ORDERS, table="orders", owner_team=team, tier="TIER_3", description="", policy_fingerprint="f", now=NOW
    )


def set_aside(service: ServiceClient, run_id: str, **changes: Any) -> None:
    aside = entry(run_id, stage=Stage.SILVER, signatures={"UNKNOWN_ENUM:status:C1": 5}, **changes)
    service.catalog.runs.record(report(run_id, stage=Stage.SILVER, partition=aside.partition), [], quarantine=aside)


def test_entries_are_listed_in_pages_with_owner_and_advice(held: ServiceClient) -> None:
    set_aside(held, "run_2", partition="2026-02-14")

    first = held.get(QUARANTINE, params={"limit": 1}).json()
    second = held.get(QUARANTINE, params={"limit": 1, "cursor": first["cursor"]}).json()

    [card] = first["items"]
    assert (card["entry"]["name"], card["owner"], card["stale"]) == ("orders_20260215_run_2", "sales", False)
    assert card["suggestions"] == ["add the value to the column's enum and replay, or fix it upstream"]
    assert [c["entry"]["name"] for c in second["items"]] == [NAME]
    assert second["cursor"] is None
    assert held.get(QUARANTINE, params={"partition": "2026-02-14"}).json()["items"][0]["entry"]["rows"] == 5
    assert held.get(QUARANTINE, params={"dataset": "ds://none/none"}).json()["items"] == []
    assert held.get(QUARANTINE, params={"older_than_days": 1}).json()["items"] == []
    assert held.get(QUARANTINE, params={"cursor": "none"}).status_code == 422
    assert held.get(QUARANTINE, params={"partition": "soon"}).status_code == 422


def test_a_step_of_a_person_is_in_the_entry_and_in_the_audit_log(held: ServiceClient) -> None:
    assigned = held.post(f"{ONE}/assign", as_=OWNER, json={"to": "carla"})
    discarded = held.post(f"{ONE}/discard", as_=OWNER, json={"reason": "test records"})

    assert assigned.json()["assignee"] == "carla"
    assert (discarded.json()["status"], discarded.json()["open_rows"]) == ("DISCARDED", 0)
    page = held.get(ONE).json()
    assert [(a["actor"], a["action"]) for a in page["actions"]] == [
        ("data_owner", "assign"), ("data_owner", "discard")
    ]  # fmt: skip
    audited = held.get("/api/v1/audit", params={"subject": NAME}).json()["items"]
    assert [item["action"] for item in audited] == ["quarantine.discard", "quarantine.assign"]
    assert held.post(f"{ONE}/discard", as_=OWNER, json={"reason": "again"}).status_code == 409


def test_a_release_is_approved_by_a_steward_who_did_not_request_it(held: ServiceClient) -> None:
    requested = held.post(f"{ONE}/release", as_=STEWARD, json={"reason": "agreed"})

    own = held.post(f"{ONE}/release/approve", as_=STEWARD)
    approved = held.post(f"{ONE}/release/approve", as_=ADMIN)
    withdrawn = held.post(f"{ONE}/release/withdraw", as_=OWNER)

    assert (requested.status_code, requested.json()["status"]) == (201, "REQUESTED")
    assert (own.status_code, approved.status_code) == (400, 200)
    assert (approved.json()["status"], approved.json()["decided_by"]) == ("APPROVED", "platform_admin")
    assert withdrawn.json()["status"] == "WITHDRAWN"
    assert [d["status"] for d in held.get(ONE).json()["decisions"]] == ["WITHDRAWN"]


def test_a_replay_is_requested_and_the_answer_says_who_starts_it(held: ServiceClient) -> None:
    asked = held.post(f"{ONE}/replay", as_=OWNER)

    assert asked.status_code == 202
    assert asked.json() == {
        "entry": NAME,
        "status": "OPEN",
        "started_by": "quarantine_replays",
        "command": f"data-platform quarantine replay {NAME}",
    }
    [request] = held.catalog.quarantine.requested_replays(after=0, limit=10)
    assert (request.entry, request.actor) == (NAME, "data_owner")
    assert held.catalog.quarantine.requested_replays(after=request.id, limit=10) == ()


@pytest.mark.parametrize("verb", ["assign", "replay", "discard", "release", "release/withdraw"])
def test_an_owner_decides_about_datasets_of_its_teams_only(held: ServiceClient, verb: str) -> None:
    declare(held, "stock")
    bodies = {"assign": {"to": "x"}, "discard": {"reason": "x"}, "release": {"reason": "x"}}

    refused = held.post(f"{ONE}/{verb}", as_=OWNER, json=bodies.get(verb, {}))

    assert (refused.status_code, refused.json()["type"].rsplit(":", 1)[-1]) == (403, "foreign-team")
    assert held.get(ONE).json()["actions"] == []


def test_an_unknown_entry_is_404(held: ServiceClient) -> None:
    assert held.get(f"{QUARANTINE}/none").status_code == 404
    assert held.post(f"{QUARANTINE}/none/assign", json={"to": "x"}).status_code == 404
