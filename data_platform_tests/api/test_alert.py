"""Alerts and announced work over HTTP: read by everybody, announced by the teams that they concern."""

from datetime import timedelta
from typing import Any

import pytest

from data_platform.model.access import Role
from data_platform_tests.api.service_client import NOW, ServiceClient
from data_platform_tests.signals.outbox import Channel, change, send

MAINTENANCE = "/api/v1/maintenance"
OWNER, STEWARD = Role.DATA_OWNER, Role.DATA_STEWARD


def announce(service: ServiceClient, as_: Role = OWNER, **changes: Any) -> Any:
    asked = {
        "subject": "sales", "starts_at": NOW.isoformat(), "ends_at": (NOW + timedelta(hours=2)).isoformat(),
        "reason": "new disks",
    }  # fmt: skip
    return service.post(MAINTENANCE, as_=as_, json={**asked, **changes})


def test_alerts_are_listed_newest_first(service: ServiceClient) -> None:
    change(service.catalog, incident=1)
    change(service.catalog, incident=2)
    send(service.catalog, Channel())

    found = service.get("/api/v1/alerts", as_=Role.DATA_CONSUMER).json()
    of_one = service.get("/api/v1/alerts", params={"incident": 1}).json()

    assert [one["notification"]["incident"] for one in found] == [2, 2, 1, 1]
    assert {(one["channel"], one["status"]) for one in of_one} == {("log", "SENT"), ("pager", "SENT")}


def test_work_is_announced_listed_and_ended(service: ServiceClient) -> None:
    asked = announce(service)
    ended = service.post(f"{MAINTENANCE}/{asked.json()['number']}/end", as_=OWNER)
    again = service.post(f"{MAINTENANCE}/{asked.json()['number']}/end", as_=OWNER)

    assert (asked.status_code, asked.json()["author"]) == (201, "data_owner")
    assert (ended.status_code, ended.json()["ended_by"]) == (200, "data_owner")
    assert again.status_code == 409
    assert service.get(MAINTENANCE).json() == [ended.json()]


@pytest.mark.parametrize(
    ("as_", "subject", "status"),
    [
        pytest.param(OWNER, "sales", 201, id="its own team"),
        pytest.param(OWNER, "risk", 403, id="another team"),
        pytest.param(OWNER, "*", 403, id="everything, as an owner"),
        pytest.param(STEWARD, "*", 201, id="everything, as a steward"),
        pytest.param(Role.DATA_CONSUMER, "sales", 403, id="a consumer"),
    ],
)
def test_a_token_announces_work_of_its_teams_only(service: ServiceClient, as_: Role, subject: str, status: int) -> None:
    assert announce(service, as_, subject=subject).status_code == status


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        pytest.param({"ends_at": "2013-01-01T00:00:00"}, "ends_at", id="no zone"),
        pytest.param({"ends_at": "0001-01-01T00:00:00+14:00"}, "ends_at", id="before the first day"),
        pytest.param({"ends_at": (NOW + timedelta(days=40)).isoformat()}, "ends_at", id="too long"),
        pytest.param({"reason": "two\nlines"}, "reason", id="two lines"),
        pytest.param({"subject": "a b"}, "subject", id="no name"),
    ],
)
def test_a_wrong_window_is_refused(service: ServiceClient, changes: dict[str, str], field: str) -> None:
    refused = announce(service, STEWARD, **changes)

    assert refused.status_code == 422
    assert field in refused.text


def test_a_window_that_does_not_exist_is_not_found(service: ServiceClient) -> None:
    assert service.post(f"{MAINTENANCE}/77/end", as_=STEWARD).status_code == 404
