"""Deployments are recorded once each, with their time in UTC and without secrets."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from data_platform.catalog import Catalog
from data_platform.errors import InputError
from data_platform.model.deployment import Deployment
from data_platform.model.registration import Actor
from data_platform_tests.catalog.example import NOW, later

CI = Actor(name="ci", role="DATA_OWNER")
JOB = "AUTOSYS/NIGHT/LOAD"


def deployment(**changes: Any) -> Deployment:
    values: dict[str, Any] = {"deploy_ref": "4f1c9e2", "target": JOB, "at": NOW, "by": "ann"}
    return Deployment(**{**values, **changes})


def test_a_deployment_is_recorded_once_and_audited_once(catalog: Catalog) -> None:
    recorded = catalog.deployments.add(deployment(), by=CI, now=later(1))
    again = catalog.deployments.add(deployment(at=later(1), target=f"{JOB}/"), by=CI, now=later(2))
    catalog.deployments.add(deployment(target="AUTOSYS/NIGHT"), by=CI, now=later(3))

    assert recorded == (deployment(), True)
    assert again == (deployment(), False)
    assert [one.target for one in catalog.deployments.find()] == ["AUTOSYS/NIGHT", JOB]
    assert catalog.deployments.find(JOB) == (deployment(),)
    audited = [entry.subject for entry in catalog.access.audit().items if entry.action == "deployment.add"]
    assert sorted(audited) == ["AUTOSYS/NIGHT", JOB]


def test_the_time_is_an_instant_whatever_its_zone(catalog: Catalog) -> None:
    in_tokyo = datetime(2026, 2, 15, 8, 0, tzinfo=timezone(timedelta(hours=9)))

    recorded, _ = catalog.deployments.add(deployment(at=in_tokyo), by=CI, now=NOW)

    assert recorded.at == datetime(2026, 2, 14, 23, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        pytest.param({"at": datetime(2026, 2, 15)}, "at", id="no zone"),
        pytest.param({"at": later(10)}, "at", id="in the future"),
        pytest.param({"deploy_ref": " "}, "deploy_ref", id="no reference"),
        pytest.param({"target": "a\nb"}, "target", id="a control character"),
        pytest.param({"url": "file:///etc"}, "url", id="no web address"),
    ],
)
def test_a_wrong_field_is_named(catalog: Catalog, changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as raised:
        catalog.deployments.add(deployment(**changes), by=CI, now=NOW)

    assert raised.value.field == field
    assert catalog.deployments.find() == ()


def test_a_password_in_the_address_is_not_stored(catalog: Catalog) -> None:
    recorded, _ = catalog.deployments.add(
        deployment(url="https://ann:hunter2@ci.example.com/job?token=abc123def456ghi789"), by=CI, now=NOW
    )

    assert "hunter2" not in str(recorded.url)


@pytest.mark.parametrize(
    ("target", "concerns"),
    [
        pytest.param(JOB, True, id="the job"),
        pytest.param("AUTOSYS/NIGHT", True, id="its box"),
        pytest.param("AUTOSYS", True, id="its scheduler"),
        pytest.param("ds://ops/rates", True, id="the dataset"),
        pytest.param("AUTOSYS/NIG", False, id="the start of a name only"),
        pytest.param(f"{JOB}/STEP", False, id="a part of the job"),
        pytest.param("ds://ops/rate", False, id="another dataset"),
    ],
)
def test_a_target_concerns_the_jobs_whose_keys_it_begins(target: str, concerns: bool) -> None:
    assert deployment(target=target).concerns("ds://ops/rates", frozenset({JOB})) is concerns
