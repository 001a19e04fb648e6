"""Waivers over HTTP: requested by owners for their teams, approved by a steward who is not the author."""

from datetime import timedelta
from typing import Any

import pytest

from data_platform.model.access import Role
from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import RowCounts, StageReport
from data_platform_tests.api.service_client import NOW, ServiceClient
from data_platform_tests.verdicts import all_gates

ORDERS = "ds://sales/orders"
WAIVERS = "/api/v1/waivers"
OWNER, STEWARD = Role.DATA_OWNER, Role.DATA_STEWARD


def declare(service: ServiceClient, team: str = "sales") -> None:
    service.catalog.registry.save_dataset(
        ORDERS, table="orders", owner_team=team, tier="TIER_1", description="", policy_fingerprint="f",
        partitioning="day", now=NOW,
    )  # fmt: skip


def ask(service: ServiceClient, as_: Role = OWNER, **changes: Any) -> Any:
    wanted = {
        "dataset_urn": ORDERS, "gate": "DQ", "signature": "EMPTY_BATCH", "partition": "2025-01-06",
        "reason": "a holiday", "expires_at": (NOW + timedelta(days=5)).isoformat(),
    }  # fmt: skip
    return service.post(WAIVERS, as_=as_, json={**wanted, **changes})


def test_a_waiver_is_requested_approved_listed_and_revoked(service: ServiceClient) -> None:
    declare(service)
    asked = ask(service)
    number = asked.json()["number"]

    approved = service.post(f"{WAIVERS}/{number}/approve", as_=STEWARD, json={"comment": "agreed"})
    listed = service.get(WAIVERS, params={"dataset_urn": ORDERS, "status": "APPROVED"}).json()
    revoked = service.post(f"{WAIVERS}/{number}/revoke", as_=STEWARD, json={})

    assert (asked.status_code, asked.json()["status"], asked.json()["last"]) == (201, "PENDING", "2025-01-06")
    assert (approved.status_code, approved.json()["approver"]) == (200, "data_steward")
    assert [waiver["number"] for waiver in listed] == [number]
    assert revoked.json()["status"] == "REVOKED"


def test_neither_the_author_nor_an_owner_approves(service: ServiceClient) -> None:
    declare(service)
    number = ask(service, STEWARD).json()["number"]

    assert service.post(f"{WAIVERS}/{number}/approve", as_=STEWARD, json={}).status_code == 400
    assert service.post(f"{WAIVERS}/{number}/approve", as_=OWNER, json={}).status_code == 403


def test_an_owner_asks_for_datasets_of_its_teams_only(service: ServiceClient) -> None:
    declare(service, team="risk")

    assert ask(service).status_code == 403


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        pytest.param({"gate": "G5_PII"}, "gate", id="personal data"),
        pytest.param({"partition": "2025-13-01"}, "partition", id="no day"),
        pytest.param({"expires_at": "2035-01-01T00:00:00Z"}, "expires_at", id="years from now"),
    ],
)
def test_a_wrong_field_is_named(service: ServiceClient, changes: dict[str, Any], field: str) -> None:
    declare(service)

    refused = ask(service, **changes)

    assert refused.status_code == 422 or refused.status_code == 400
    assert [problem["field"] for problem in refused.json()["errors"]] == [field]


def test_consumers_are_told_the_mode_and_the_waivers_of_what_they_see(service: ServiceClient) -> None:
    declare(service)
    ask(service)
    use = {"number": 3, "gate": "DQ", "signature": "EMPTY_BATCH", "first": "2025-01-06", "last": "2025-01-06",
           "approver": "bob", "expires_at": "2026-02-20T00:00:00+00:00", "reason": "a holiday"}  # fmt: skip
    report = StageReport(
        dataset=DatasetId.parse(ORDERS), stage=Stage.GOLD, partition=PartitionKey("2025-01-06"), run_id="run_1",
        path="gold", version=4, rows=RowCounts(), verdicts=all_gates(Stage.GOLD), started_at=NOW, finished_at=NOW,
        metadata={"enforcement": "WARN", "waivers": [use]},
    )  # fmt: skip
    service.catalog.runs.record(report, [])
    pointer = Certification(
        dataset_urn=ORDERS, status=CertificationStatus.CERTIFIED, version=4, path="gold", certified_at=NOW
    )
    service.catalog.certifications.certify(pointer, expected=None, evidence=[])

    seen = service.get(f"/api/v1/dataset/{ORDERS}/certified", as_=Role.DATA_CONSUMER).json()

    assert (seen["version"], seen["enforcement"], seen["waivers"]) == (4, "WARN", [use])
