"""Tokens over HTTP: shown once, listed without their text, revoked at once, and audited under the caller's name."""

from datetime import timedelta
from typing import Any

import pytest

from data_platform_tests.api.service_client import NOW, ServiceClient


def test_a_token_is_shown_in_the_answer_that_makes_it_and_works(service: ServiceClient) -> None:
    made = service.post(
        "/api/v1/token", json={"name": "dbt", "role": "DATA_OWNER", "teams": ["sales"], "expires_in_days": 1}
    )

    token = made.json()["token"]
    assert made.status_code == 201
    assert made.json()["expires_at"] == "2026-02-16T07:15:32Z"
    assert service.get("/api/v1/sla/status", as_=None, headers={"Authorization": f"Bearer {token}"}).status_code == 200
    assert token not in service.get("/api/v1/token").text
    service.moment = NOW + timedelta(days=1)
    assert service.get("/api/v1/sla/status", as_=None, headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_the_list_shows_which_tokens_are_valid(service: ServiceClient) -> None:
    service.revoked_token()
    service.expired_token()

    listed = {row["name"]: row for row in service.get("/api/v1/token").json()}

    assert [listed[name]["valid"] for name in ("platform_admin", "revoked", "expired")] == [True, False, False]
    assert not {"token", "token_hash"} & set(listed["revoked"])


@pytest.mark.parametrize(
    ("document", "field"),
    [
        pytest.param({"role": "DATA_OWNER"}, "name", id="no name"),
        pytest.param({"name": "x", "role": "ROOT"}, "role", id="no such role"),
        pytest.param({"name": "x", "role": "DATA_OWNER", "expires_in_days": 0}, "expires_in_days", id="no time"),
        pytest.param({"name": "x", "role": "DATA_OWNER", "teams": [""]}, "teams[0]", id="empty team"),
        pytest.param({"name": "x", "role": "DATA_OWNER", "expires": 3}, "expires", id="unknown field"),
    ],
)
def test_a_wrong_request_names_the_field(service: ServiceClient, document: dict[str, Any], field: str) -> None:
    answer = service.post("/api/v1/token", json=document)

    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_a_name_that_is_taken_is_refused(service: ServiceClient) -> None:
    answer = service.post("/api/v1/token", json={"name": "data_owner", "role": "DATA_OWNER"})

    assert answer.status_code == 400
    assert "choose another name" in answer.json()["detail"]


def test_revoking_what_is_not_there_is_404_and_again_changes_nothing(service: ServiceClient) -> None:
    assert service.post("/api/v1/token/nobody/revoke").status_code == 404
    assert service.post("/api/v1/token/data_owner/revoke").json()["revoked"] is True
    assert service.post("/api/v1/token/data_owner/revoke").json()["revoked"] is False


def test_the_audit_log_names_who_made_and_revoked_it(service: ServiceClient) -> None:
    service.post("/api/v1/token", json={"name": "dbt", "role": "DATA_CONSUMER"})
    service.post("/api/v1/token/dbt/revoke")

    page = service.get("/api/v1/audit", params={"subject": "dbt"}).json()

    assert [(row["actor"], row["role"], row["action"]) for row in page["items"]] == [
        ("platform_admin", "PLATFORM_ADMIN", "token.revoke"),
        ("platform_admin", "PLATFORM_ADMIN", "token.create"),
    ]


def test_the_audit_log_is_paged(service: ServiceClient) -> None:
    first = service.get("/api/v1/audit", params={"limit": 3}).json()
    second = service.get("/api/v1/audit", params={"limit": 3, "cursor": first["cursor"]}).json()

    assert [row["subject"] for row in first["items"] + second["items"]] == [
        "data_consumer",
        "data_owner",
        "data_steward",
        "platform_admin",
    ]
    assert second["cursor"] is None
    assert service.get("/api/v1/audit", params={"cursor": "x"}).json()["errors"][0]["field"] == "cursor"
