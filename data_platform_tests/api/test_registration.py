"""Registration over HTTP: asked for by owners for their teams, decided by a steward who is not the one who asked."""

from typing import Any

import pytest

from data_platform.model.access import Role
from data_platform_tests.api.service_client import ServiceClient, event

ORDERS = {"namespace": "ds://sales", "name": "orders"}
OWNER, STEWARD = Role.DATA_OWNER, Role.DATA_STEWARD
REGISTER, REGISTRATIONS = "/api/v1/dataset/register", "/api/v1/registrations"


def ask(service: ServiceClient, as_: Role = OWNER, **changes: Any) -> Any:
    return service.post(REGISTER, as_=as_, json={**ORDERS, "owner_team": "sales", **changes})


def owned_by(service: ServiceClient, team: str) -> None:
    """The dataset as an event reported it."""
    facets = {"ownership": {"owners": [{"name": f"team:{team}"}]}}
    assert service.post("/api/v1/lineage", json=event(outputs=[{**ORDERS, "facets": facets}])).status_code == 201


def test_a_request_waits_is_approved_and_the_dataset_is_active(service: ServiceClient) -> None:
    asked = ask(service, description="Orders of the web shop", tags=["daily"])
    waiting = service.get(REGISTRATIONS).json()["entries"]
    number = asked.json()["id"]

    decided = service.post(f"{REGISTRATIONS}/{number}/approve", as_=STEWARD, json={"comment": "fine"})

    assert asked.status_code == 201
    assert [(entry["id"], entry["status"], entry["submitted_by"]) for entry in waiting] == [
        (number, "PENDING", "data_owner")
    ]
    assert (decided.json()["status"], decided.json()["reviewer"]) == ("APPROVED", "data_steward")
    dataset = service.get("/api/v1/dataset", params={"urn": "ds://sales/orders"}).json()["dataset"]
    assert (dataset["status"], dataset["owner_team"], dataset["tags"]) == ("ACTIVE", "sales", ["daily"])
    assert service.get(REGISTRATIONS).json()["entries"] == []
    assert len(service.get(REGISTRATIONS, params={"any": "true"}).json()["entries"]) == 1


def test_a_rejected_request_leaves_a_draft(service: ServiceClient) -> None:
    number = ask(service).json()["id"]

    decided = service.post(f"{REGISTRATIONS}/{number}/reject", as_=STEWARD, json={"comment": "not ours"})

    assert decided.json()["status"] == "REJECTED"
    assert service.get("/api/v1/dataset", params={"urn": "ds://sales/orders"}).json()["dataset"]["status"] == "DRAFT"


def test_a_requester_cannot_approve_the_request(service: ServiceClient) -> None:
    number = ask(service, STEWARD).json()["id"]

    assert service.post(f"{REGISTRATIONS}/{number}/approve", as_=STEWARD, json={}).status_code == 400
    assert service.post(f"{REGISTRATIONS}/{number}/approve", json={}).status_code == 200


def test_what_was_decided_is_a_conflict_and_what_is_not_there_is_404(service: ServiceClient) -> None:
    number = ask(service).json()["id"]
    service.post(f"{REGISTRATIONS}/{number}/approve", as_=STEWARD, json={})

    assert service.post(f"{REGISTRATIONS}/{number}/reject", as_=STEWARD, json={}).status_code == 409
    assert service.post(f"{REGISTRATIONS}/99/approve", as_=STEWARD, json={}).status_code == 404


@pytest.mark.parametrize("team", ["stock", None, "", "  "])
def test_an_owner_asks_for_datasets_of_its_teams_only(service: ServiceClient, team: str | None) -> None:
    refused = ask(service, owner_team=team)

    assert refused.status_code == 403
    assert "datasets of sales" in refused.json()["detail"]
    assert service.get("/api/v1/dataset", params={"urn": "ds://sales/orders"}).status_code == 404


def test_an_owner_takes_no_dataset_from_another_team_and_gives_none_away(service: ServiceClient) -> None:
    owned_by(service, "stock")
    taken = ask(service)
    owned_by(service, "sales")

    assert taken.status_code == 403
    assert ask(service, owner_team="stock").status_code == 403


def test_an_owner_of_the_dataset_need_not_name_its_team(service: ServiceClient) -> None:
    owned_by(service, "sales")

    assert ask(service, owner_team=None, description="Orders").status_code == 201


def test_a_steward_of_teams_decides_for_those_only(service: ServiceClient) -> None:
    number = ask(service).json()["id"]
    tokens = {team: service.token(f"steward of {team}", STEWARD, teams=(team,)) for team in ("stock", "sales")}

    codes = [
        service.call(
            "POST",
            f"{REGISTRATIONS}/{number}/approve",
            as_=None,
            json={},
            headers={"Authorization": f"Bearer {tokens[team]}"},
        ).status_code
        for team in ("stock", "sales")
    ]

    assert codes == [403, 200]


def test_a_dataset_is_deprecated_by_its_owner_and_not_by_another(service: ServiceClient) -> None:
    owned_by(service, "sales")
    asked = {"full_name": "ds://sales/orders", "comment": "see orders_v2"}
    other = {"Authorization": f"Bearer {service.token('stock', OWNER, teams=('stock',))}"}

    refused = service.call("POST", "/api/v1/dataset/deprecate", as_=None, json=asked, headers=other)
    done = service.post("/api/v1/dataset/deprecate", as_=OWNER, json=asked)

    assert (refused.status_code, done.status_code, done.json()["status"]) == (403, 200, "DEPRECATED")
    assert service.post("/api/v1/dataset/deprecate", json={"full_name": "none/such"}).status_code == 404


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        pytest.param({"owner_email": "nobody"}, "owner_email", id="no address"),
        pytest.param({"namespace": ""}, "dataset.namespace", id="no namespace"),
        pytest.param({"colour": "red"}, "colour", id="unknown field"),
        pytest.param({"tags": "daily"}, "tags", id="tags that are no list"),
        pytest.param({"sla_window_seconds": 0}, "sla_window_seconds", id="no time"),
    ],
)
def test_a_wrong_field_is_named(service: ServiceClient, changes: dict[str, Any], field: str) -> None:
    refused = ask(service, STEWARD, **changes)

    assert refused.status_code == 422
    assert [error["field"] for error in refused.json()["errors"]] == [field]


def test_each_step_is_in_the_audit_log(service: ServiceClient) -> None:
    number = ask(service).json()["id"]
    service.post(f"{REGISTRATIONS}/{number}/approve", as_=STEWARD, json={})

    page = service.get("/api/v1/audit", params={"subject": "ds://sales/orders"}).json()

    assert [(row["actor"], row["role"], row["action"]) for row in page["items"]] == [
        ("data_steward", "DATA_STEWARD", "registration.approve"),
        ("data_owner", "DATA_OWNER", "registration.request"),
    ]
