"""The root cause of an incident over HTTP, for every reader."""

import pytest

from data_platform.model.access import Role
from data_platform.model.signal import SignalKind
from data_platform_tests.api.service_client import ServiceClient
from data_platform_tests.catalog.incident.example_finding import DAY, ORDERS, finding, group, look


@pytest.mark.parametrize(
    ("signature", "kind", "cause"),
    [
        pytest.param("JOB_NOT_TRIGGERED", SignalKind.FRESHNESS, "JOB_NOT_TRIGGERED", id="nothing has started"),
        pytest.param("INVARIANT:total", SignalKind.CONTRACT, None, id="no cause in evidence"),
    ],
)
def test_every_reader_gets_the_root_cause(
    service: ServiceClient, signature: str, kind: SignalKind, cause: str | None
) -> None:
    look(service.catalog, group(finding(signature=signature, kind=kind)))

    found = service.get("/api/v1/incidents/1/rca", as_=Role.DATA_CONSUMER)

    document = found.json()
    assert (found.status_code, document["dataset"], document["partition"]) == (200, ORDERS, DAY)
    assert (document["cause"] and document["cause"]["kind"]) == cause
    assert document["summary"].startswith(cause or "no cause in evidence")
    assert [step["kind"] for step in document["evidence"]][:2] == ["INCIDENT", "SIGNAL"]


def test_an_incident_that_does_not_exist_is_not_found(service: ServiceClient) -> None:
    assert service.get("/api/v1/incidents/77/rca").status_code == 404
