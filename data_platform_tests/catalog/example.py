"""Reports, evidence and certifications of one dataset, orders; a test names only what it is about."""

from datetime import UTC, datetime, timedelta
from typing import Any

from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.evidence import Evidence
from data_platform.model.intent import Intent
from data_platform.model.quarantine import QuarantineEntry
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.schema import Column, Schema
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform_tests.verdicts import all_gates

ORDERS = "ds://curated/orders"
NOW = datetime(2026, 2, 15, 7, 15, 32, 123456, tzinfo=UTC)
DAY = "2026-02-15"

PASSED = Verdict(gate=Gate.DQ, outcome=Outcome.PASSED, compliance=1.0)
FAILED = Verdict(
    gate=Gate.G4_CONTRACT,
    outcome=Outcome.FAILED,
    compliance=0.75,
    reason="too few rows keep the contract",
    results=(
        RuleResult(rule="total > 0", signature="INVARIANT:positive", outcome=Outcome.FAILED, rows=2, reason="broken"),
        RuleResult(rule="id", signature="MISSING_FIELD:id", outcome=Outcome.FAILED, rows=5, severity=Severity.BLOCK),
        RuleResult(rule="day", signature="INVARIANT:day", outcome=Outcome.ERRORED, rows=None),
        RuleResult(rule="kept", signature="INVARIANT:kept", outcome=Outcome.PASSED),
    ),
    metadata={"share": 0.75},
)
SCHEMA = Schema.of([Column(name="order_id", type="bigint", nullable=False), Column(name="total", type="decimal(10,2)")])


def later(minutes: int) -> datetime:
    return NOW + timedelta(minutes=minutes)


def report(run_id: str = "run_1", **changes: Any) -> StageReport:
    values: dict[str, Any] = {
        "dataset": DatasetId.parse(ORDERS),
        "stage": Stage.GOLD,
        "partition": DAY,
        "run_id": run_id,
        "path": "lake/gold/orders",
        "version": 1,
        "rows": RowCounts(read=8, accepted=3, quarantined=5),
        "verdicts": all_gates(changes.get("stage", Stage.GOLD)),
        "started_at": NOW,
        "finished_at": later(1),
    }
    return StageReport(**{**values, **changes})


def evidence(run_id: str = "run_1", **changes: Any) -> Evidence:
    values: dict[str, Any] = {"dataset_urn": ORDERS, "gate": "DQ", "result": "PASS", "timestamp": NOW}
    return Evidence(run_id=run_id, **{**values, **changes})


def entry(run_id: str = "run_1", **changes: Any) -> QuarantineEntry:
    values: dict[str, Any] = {
        "name": f"orders_20260215_{run_id}",
        "path": "lake/quarantine/orders",
        "dataset_urn": ORDERS,
        "stage": Stage.GOLD,
        "partition": DAY,
        "level": "row",
        "rows": 5,
        "resolved_rows": 0,
        "signatures": {"MISSING_FIELD:id": 5, "INVARIANT:day": None},
        "delivery_id": "delivery_1",
        "created_at": NOW,
    }
    return QuarantineEntry(run_id=run_id, **{**values, **changes})


def intent(run_id: str = "run_1", **changes: Any) -> Intent:
    values: dict[str, Any] = {
        "dataset_urn": ORDERS,
        "stage": Stage.GOLD,
        "partition": DAY,
        "path": "lake/gold/orders",
        "before": 41,
        "note": {"run_id": run_id, "inputs": {"ds://raw/orders": 7}},
        "opened_at": NOW,
    }
    return Intent(run_id=run_id, **{**values, **changes})


def shown(version: int, run_id: str = "run_1", **changes: Any) -> Certification:
    """``certification`` as the catalog answers with it: the last attempt was the one that certified it."""
    values = {"judged_version": version, "attempt_run_id": run_id, "attempt_partition": DAY, **changes}
    return certification(version, run_id, **values)


def certification(version: int | None, run_id: str = "run_1", **changes: Any) -> Certification:
    values: dict[str, Any] = {
        "dataset_urn": ORDERS,
        "status": CertificationStatus.CERTIFIED,
        "path": "lake/gold/orders",
        "certified_at": NOW,
        "partition": DAY,
        "schema_fingerprint": SCHEMA.fingerprint,
        "policy_fingerprint": "0123456789abcdef",
    }
    return Certification(version=version, run_id=run_id, **{**values, **changes})
