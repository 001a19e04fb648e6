"""The facts of a health score, on both databases: by partition, from the last run of each stage."""

from dataclasses import replace
from datetime import timedelta

from data_platform.catalog import Catalog
from data_platform.model.dataset import Stage
from data_platform.model.health import GateScore
from data_platform.model.partition_key import PartitionKey
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform_tests.catalog.example import NOW, ORDERS, report
from data_platform_tests.verdicts import all_gates

WARNING = RuleResult.failed("ROW_COUNT_DRIFT", severity=Severity.WARN)
FIRST, SECOND, BEFORE = PartitionKey("2026-02-01"), PartitionKey("2026-02-02"), PartitionKey("2026-01-31")


def record(catalog: Catalog, run_id: str, stage: Stage, day: PartitionKey, *changed: Verdict, hours: int = 0) -> None:
    others = {one.gate: one for one in changed}
    verdicts = tuple(others.get(one.gate, one) for one in all_gates(stage))
    version = 1 if all(one.outcome.qualifies for one in verdicts) else None
    written = report(run_id=run_id, stage=stage, partition=day, verdicts=verdicts, version=version)
    at = NOW + timedelta(hours=hours)
    catalog.runs.record(replace(written, started_at=at, finished_at=at), [])


def test_gates_are_scored_by_partition(catalog: Catalog) -> None:
    failed = Verdict(gate=Gate.G4_CONTRACT, outcome=Outcome.FAILED, compliance=0.5)
    warned = Verdict(gate=Gate.DQ, outcome=Outcome.PASSED, results=(WARNING,))
    record(catalog, "run_1", Stage.SILVER, FIRST, failed)
    record(
        catalog, "run_2", Stage.SILVER, FIRST, Verdict(gate=Gate.G4_CONTRACT, outcome=Outcome.PASSED, compliance=1.0)
    )
    record(catalog, "run_2", Stage.GOLD, FIRST, failed)
    record(catalog, "run_3", Stage.SILVER, SECOND, warned)
    record(catalog, "run_4", Stage.SILVER, BEFORE, failed)

    found = catalog.timeliness.gate_scores([ORDERS, "ds://sales/none"], since=FIRST)

    assert set(found) == {ORDERS}
    assert found[ORDERS][Gate.G4_CONTRACT] == GateScore(days=2, passed=1, warned=0, compliance=0.75)
    assert found[ORDERS][Gate.DQ] == GateScore(days=2, passed=2, warned=1, compliance=None)


def test_the_first_certificate_of_a_partition_counts(catalog: Catalog) -> None:
    record(catalog, "run_1", Stage.CERTIFIED, FIRST, hours=2)
    record(catalog, "run_2", Stage.CERTIFIED, FIRST, hours=9)
    record(catalog, "run_3", Stage.CERTIFIED, BEFORE)
    record(catalog, "run_4", Stage.SILVER, SECOND)

    found = catalog.timeliness.first_certified([ORDERS], since=FIRST)

    assert found == {ORDERS: {FIRST: NOW + timedelta(hours=2)}}
