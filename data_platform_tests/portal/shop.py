"""A small estate for pages: orders with a held day, customers that are late, rates from outside."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from data_platform.catalog import Catalog, open_catalog
from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.evidence import Evidence
from data_platform.model.evidence_key import EvidenceKeys
from data_platform.model.partition_key import PartitionKey
from data_platform.model.quarantine import QuarantineEntry
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict
from data_platform.model.waiver import WAIVERS
from data_platform.model.waiver import waive as waive_verdicts
from data_platform_tests.policies.tree import bundle_yaml, dataset_yaml, write
from data_platform_tests.verdicts import all_gates

ORDERS, CUSTOMERS, RATES = "ds://shop/orders", "ds://shop/customers", "ds://market/rates"
NOW = datetime(2026, 2, 15, 12, 0, tzinfo=UTC)
"""07:00 in New York."""
TODAY = PartitionKey("2026-02-15")
PARTITION = "partition: {key: day, start: 2026-01-01, time_zone: America/New_York}"


def slo(deadline: str) -> str:
    return f"slo: {{freshness: {{expected_update_by: '{deadline} America/New_York daily', grace_period: 30m}}}}"


def shop_policies(folder: Path) -> Path:
    files = {}
    for name, deadline in (("orders", "05:00"), ("customers", "06:00")):
        source = f"source: {{format: csv, path: '{name}/{{partition}}', producer: shop}}"
        text = dataset_yaml(f"ds://shop/{name}", PARTITION, source, slo(deadline), "description: 'All <b>of them</b>.'")
        files[f"datasets/shop/{name}/dataset.yaml"] = text + "owner_email: shop@example.com\n"
        files[f"datasets/shop/{name}/policy_bundle.yaml"] = bundle_yaml("day DATE, id INT")
    files["datasets/market/rates/dataset.yaml"] = dataset_yaml(RATES, PARTITION, slo("09:00")).replace("shop", "market")
    return write(folder, files)


def register(catalog: Catalog, *urns: str) -> None:
    for urn in urns:
        catalog.registry.save_dataset(
            urn,
            table=urn.rsplit("/", 1)[-1],
            owner_team="shop",
            tier="TIER_2",
            description="All <b>of them</b>.",
            policy_fingerprint="p",
            owner_email="shop@example.com",
            now=NOW,
        )


def certify(catalog: Catalog, urn: str, day: PartitionKey, version: int, *, rows: int = 100) -> None:
    """All stages of the day passed an hour before its deadline in New York."""
    at = datetime.combine(day.next.value, datetime.min.time(), UTC) + timedelta(hours=8)
    run = f"run_{urn[-4:]}_{version}"
    for stage in (Stage.BRONZE, Stage.SILVER, Stage.GOLD):
        catalog.runs.record(_report(urn, day, stage, run, at, version, rows), [])
    catalog.certifications.certify(
        Certification(
            dataset_urn=urn,
            status=CertificationStatus.CERTIFIED,
            version=version,
            path="lake/gold/orders",
            certified_at=at,
            run_id=run,
            partition=day,
            schema_fingerprint="s",
            policy_fingerprint="p",
        ),
        expected=version - 1 or None,
        evidence=[Evidence(run_id=run, dataset_urn=urn, gate="CERTIFICATION", result="PASS", timestamp=at)],
        report=_report(urn, day, Stage.CERTIFIED, run, at, version, rows),
    )


def hold(catalog: Catalog, urn: str, day: PartitionKey, reason: str = "too few rows keep the contract") -> None:
    at = NOW - timedelta(hours=1)
    broken = RuleResult.failed("INVARIANT:total", "broken", rows=60)
    failed = Verdict(gate=Gate.G4_CONTRACT, outcome=Outcome.FAILED, results=(broken,), compliance=0.4, reason=reason)
    passed = [one for one in all_gates(Stage.SILVER) if one.gate is not Gate.G4_CONTRACT]
    report = _report(urn, day, Stage.SILVER, "run_held", at, 9, 100)
    values = {**vars(report), "verdicts": (*passed, failed), "version": None}
    catalog.runs.record(StageReport(**values), [], held_reason=reason)


def quarantine(
    catalog: Catalog,
    urn: str = ORDERS,
    run_id: str = "run_bad",
    *,
    day: PartitionKey = TODAY,
    age: timedelta = timedelta(hours=1),
    **changes: Any,
) -> str:
    """Two rows of the day are quarantined at silver; returns the name of their table."""
    name, at = f"{urn.rsplit('/', 1)[-1]}_{run_id}", NOW - age
    broken = {"UNKNOWN_ENUM:status:C1": 2, "TYPE_MISMATCH:total": 1}
    values: dict[str, Any] = {
        "name": name, "path": f"lake/quarantine/{name}", "dataset_urn": urn, "stage": Stage.SILVER, "partition": day,
        "run_id": run_id, "level": "row", "rows": 2, "resolved_rows": 0, "signatures": broken,
        "delivery_id": "delivery_1", "created_at": at,
    }  # fmt: skip
    places = [{"_file": "orders.csv", "_line": 7, "_violations": ["UNKNOWN_ENUM:status:C1"]}]
    report = _report(urn, day, Stage.SILVER, run_id, at, 9, 100)
    report = replace(report, metadata={"samples": places}, quarantine_table=f"quarantine.{name}")
    catalog.runs.record(report, [], quarantine=QuarantineEntry(**{**values, **changes}))
    return name


def waive(catalog: Catalog, number: int, urn: str = ORDERS, *, day: PartitionKey, version: int) -> None:
    """The contract of the day fails again, the waiver covers it, and gold is certified with it."""
    waiver, at = catalog.waivers.get(number, now=NOW), NOW - timedelta(minutes=30)
    broken = RuleResult.failed("INVARIANT:total", "broken", rows=60)
    failed = Verdict(gate=Gate.G4_CONTRACT, outcome=Outcome.FAILED, results=(broken,), compliance=0.4)
    passed = [one for one in all_gates(Stage.SILVER) if one.gate is not Gate.G4_CONTRACT]
    for stage in (Stage.SILVER, Stage.GOLD):
        report = _report(urn, day, stage, "run_waived", at, version, 100)
        verdicts = waive_verdicts((*passed, failed), (waiver,), day) if stage is Stage.SILVER else report.verdicts
        catalog.runs.record(replace(report, verdicts=verdicts, metadata={WAIVERS: [waiver.use]}), [])
    pointer = catalog.certifications.get(urn)
    assert pointer is not None
    moved = {
        "status": CertificationStatus.CERTIFIED, "version": version, "judged_version": version, "certified_at": at,
        "run_id": "run_waived", "partition": day, "reason": "",
    }  # fmt: skip
    catalog.certifications.certify(
        Certification(**{**vars(pointer), **moved}),
        expected=pointer.version,
        evidence=[],
        report=_report(urn, day, Stage.CERTIFIED, "run_waived", at, version, 100),
    )


def _report(urn: str, day: PartitionKey, stage: Stage, run: str, at: datetime, version: int, rows: int) -> StageReport:
    return StageReport(
        dataset=DatasetId.parse(urn),
        stage=stage,
        partition=day,
        run_id=run,
        path=f"lake/{stage}/x",
        version=version,
        rows=RowCounts(read=rows, accepted=rows),
        verdicts=all_gates(stage),
        started_at=at - timedelta(minutes=1),
        finished_at=at,
    )


def fill(url: str, folder: Path) -> None:
    with open_catalog(url, EvidenceKeys(folder / "evidence.key")) as catalog:
        record_shop(catalog)


def record_shop(catalog: Catalog) -> None:
    """Orders were certified until yesterday, and today's delivery is held; customers miss their last day."""
    register(catalog, ORDERS, CUSTOMERS, RATES)
    for number in range(1, 11):
        certify(catalog, ORDERS, TODAY.shifted(number - 11), number, rows=100 + number)
    for number in range(1, 10):
        certify(catalog, CUSTOMERS, TODAY.shifted(number - 11), number)
    hold(catalog, ORDERS, TODAY)
