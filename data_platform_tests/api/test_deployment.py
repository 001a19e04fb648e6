"""Deployments over HTTP: a repeated report changes nothing, and datasets belong to their teams."""

from typing import Any

from data_platform.model.access import Role
from data_platform_tests.api.service_client import NOW, ServiceClient
from data_platform_tests.api.test_waiver import ORDERS, declare

DEPLOYMENTS = "/api/v1/deployments"
JOB = "AUTOSYS/NIGHT/LOAD"


def post(service: ServiceClient, as_: Role = Role.DATA_OWNER, **changes: Any) -> Any:
    told = {"deploy_ref": "4f1c9e2", "target": JOB, "at": "2026-02-15T02:00:00-05:00"}
    return service.post(DEPLOYMENTS, as_=as_, json={**told, **changes})


def test_a_deployment_is_recorded_once_and_listed(service: ServiceClient) -> None:
    first, again = post(service), post(service, by="someone else")
    post(service, target=ORDERS, as_=Role.DATA_STEWARD, at=None)

    listed = service.get(DEPLOYMENTS, params={"target": JOB}).json()

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json() == listed[0]
    assert (first.json()["at"], first.json()["by"]) == ("2026-02-15T07:00:00+00:00", "data_owner")
    assert [one["at"][:10] for one in service.get(DEPLOYMENTS).json()] == [f"{NOW:%Y-%m-%d}", "2026-02-15"]


def test_an_owner_reports_datasets_of_its_teams_only(service: ServiceClient) -> None:
    declare(service, team="risk")

    assert post(service, target=ORDERS).status_code == 403
    assert post(service, target=ORDERS, as_=Role.DATA_STEWARD).status_code == 201
    assert post(service, as_=Role.DATA_CONSUMER).status_code == 403


def test_a_time_without_an_offset_is_refused(service: ServiceClient) -> None:
    refused = post(service, at="2026-02-15T02:00:00")

    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "at")
