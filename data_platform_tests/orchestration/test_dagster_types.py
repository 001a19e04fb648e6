"""Verdicts become check results, and deadlines freshness policies; a gate that did not run has not passed."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import dagster as dg
import pytest
from dagster._utils.schedules import schedule_execution_time_iterator

from data_platform.model.dataset import Stage
from data_platform.model.enforcement import Enforcement, Mode
from data_platform.model.freshness import Freshness
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.time_zone import ZONES
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform.orchestration.dagster_types import freshness_policy
from data_platform.orchestration.gate_check import check_results, fails_step
from data_platform.policies import Dataset, load_policies
from data_platform_tests.case import expected
from data_platform_tests.flows.estate import Estate
from data_platform_tests.orchestration.shop import specs
from data_platform_tests.verdicts import all_gates

DEADLINES = expected("C01")["deadlines"]
NOON = datetime(2025, 1, 7, 12, tzinfo=UTC)
ODD_ZONES = (
    "Australia/Lord_Howe",  # half an hour of summer time
    "Antarctica/Troll",  # two hours
    "Africa/Casablanca",  # winter time in Ramadan
    "Pacific/Chatham",
    "America/St_Johns",
    "Pacific/Kiritimati",
    "Asia/Kathmandu",
    "America/Havana",  # clocks change at midnight
)


@pytest.mark.parametrize(
    ("deadline", "grace", "cron", "zone"),
    [
        pytest.param("06:00 ET daily", "30m", "30 6 * * *", "America/New_York", id="grace is added"),
        pytest.param("06:00 ET daily", "0m", "0 6 * * *", "America/New_York", id="no grace"),
        pytest.param("23:30 CET daily", "1h", "30 0 * * *", "Europe/Berlin", id="over midnight"),
        pytest.param("23:30 UTC daily", "30m", "0 0 * * *", "UTC", id="midnight itself"),
        pytest.param("05:00 ET weekdays", "1h", "0 6 * * 1-5", "America/New_York", id="weekdays"),
        pytest.param("23:30 ET weekdays", "1h", "30 0 * * 2,3,4,5,6", "America/New_York", id="weekdays, over midnight"),
        pytest.param("23:30 ET weekdays", "25h", "30 0 * * 3,4,5,6,0", "America/New_York", id="over two midnights"),
        pytest.param("02:30 Australia/Lord_Howe daily", "5m", "35 2 * * *", "Australia/Lord_Howe", id="IANA name"),
    ],
)
def test_a_deadline_and_its_grace_are_one_cron(deadline: str, grace: str, cron: str, zone: str) -> None:
    policy = freshness_policy(Freshness(expected_update_by=deadline, grace_period=grace))

    assert (policy.deadline_cron, policy.timezone) == (cron, zone)
    assert policy.lower_bound_delta == timedelta(hours=23)


@pytest.mark.parametrize("cadence", ["daily", "weekdays"])
@pytest.mark.parametrize("zone", [*ZONES, *ODD_ZONES])
def test_dagster_takes_a_deadline_in_every_zone(zone: str, cadence: str) -> None:
    wanted = Freshness(expected_update_by=f"02:30 {zone} {cadence}", grace_period="23h45m")

    policy = freshness_policy(wanted)

    assert isinstance(policy, dg.FreshnessPolicy)
    assert policy.timezone == wanted.deadline.time_zone


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"expected_update_by": "06:00 ET on day 5 monthly"}, id="once a month"),
        pytest.param({"expected_update_by": "06:00 ET business days", "calendar": "US"}, id="business days"),
        pytest.param({"quiet_days": ["Sunday"]}, id="days without data"),
        pytest.param({"data_days": "weekdays"}, id="data of weekdays only"),
    ],
)
def test_dagster_has_no_tile_for_deadlines_that_no_cron_has(changes: dict) -> None:
    assert freshness_policy(Freshness(**{"expected_update_by": "06:00 ET daily", **changes})) is None


@pytest.mark.parametrize("case", DEADLINES, ids=lambda case: f"{case['sla']} on {case['local_date']}")
def test_dagsters_tile_turns_as_a_partition_is_late_but_for_an_hour_when_clocks_change(case: dict) -> None:  # C01
    said = Freshness(expected_update_by=case["sla"], grace_period=f"{case['grace_minutes']}m")
    policy = freshness_policy(said)
    late = datetime.fromisoformat(case["breach_after_utc"])
    changes = case["local_date"] in ("2025-03-09", "2025-11-02")

    ticks = schedule_execution_time_iterator(
        (late - timedelta(hours=1)).timestamp(), policy.deadline_cron, policy.timezone, ascending=True
    )

    assert abs(next(ticks) - late) <= timedelta(hours=1) * changes


def test_a_dataset_without_a_deadline_has_no_freshness_policy(declared: Estate) -> None:
    found = specs(declared)

    assert found["shop/refunds"].freshness_policy is None
    assert found["shop/orders"].freshness_policy is not None


def judged(dataset: Dataset, *verdicts: Verdict, quarantined: int = 0) -> StageReport:
    rows = RowCounts(read=10, accepted=10 - quarantined, quarantined=quarantined)
    return StageReport(
        dataset=dataset.id, stage=Stage.SILVER, partition="2025-01-06", run_id="run_20250107_1", path="silver/orders",
        version=1, rows=rows, verdicts=verdicts, started_at=NOON, finished_at=NOON,
        quarantine_table="quarantine.orders_20250107_run_1" if quarantined else None,
    )  # fmt: skip


@pytest.fixture
def orders(declared: Estate) -> Dataset:
    return load_policies(declared.settings.policies).dataset("orders")


@pytest.mark.parametrize("outcome", list(Outcome))
def test_only_a_passed_verdict_is_a_passed_check(orders: Dataset, outcome: Outcome) -> None:
    report = judged(orders, Verdict(gate=Gate.DQ, outcome=outcome, reason="because"))

    result = next(r for r in check_results(orders, Stage.SILVER, report) if r.check_name == "DQ")

    assert result.passed is (outcome is Outcome.PASSED)
    assert result.metadata["outcome"].value == outcome.value
    assert result.description == "because"


@pytest.mark.parametrize(
    ("version", "outcome", "severity"),
    [
        pytest.param(None, Outcome.FAILED, dg.AssetCheckSeverity.ERROR, id="held"),
        pytest.param(None, Outcome.ERRORED, dg.AssetCheckSeverity.ERROR, id="errored"),
        pytest.param(1, Outcome.FAILED, dg.AssetCheckSeverity.WARN, id="failed, and its mode did not hold it"),
        pytest.param(1, Outcome.WAIVED, dg.AssetCheckSeverity.WARN, id="waived"),
    ],
)
def test_a_failed_check_blocks_only_if_its_stage_was_held(
    orders: Dataset, version: int | None, outcome: Outcome, severity: dg.AssetCheckSeverity
) -> None:
    verdicts = (*all_gates(Stage.SILVER)[:-1], Verdict(gate=Gate.DQ, outcome=outcome))
    report = replace(judged(orders, *verdicts), version=version, metadata={"enforcement": "WARN"})

    results = {r.check_name: r for r in check_results(orders, Stage.SILVER, report)}

    assert (results["DQ"].passed, results["DQ"].severity) == (False, severity)
    assert results["DQ"].metadata["enforcement"].value == "WARN"
    assert results["G5_PII"].passed


@pytest.mark.parametrize(
    ("mode", "fails"), [(Mode.VISIBILITY, False), (Mode.WARN, False), (Mode.SOFT_FAIL, True), (Mode.HARD_FAIL, True)]
)
def test_a_held_certification_fails_the_run_unless_the_mode_only_warns(
    orders: Dataset, mode: Mode, fails: bool
) -> None:
    held = Verdict(gate=Gate.CERTIFICATION, outcome=Outcome.FAILED)
    report = replace(judged(orders, held), stage=Stage.CERTIFIED, version=None)
    dataset = replace(orders, enforcement=Enforcement(mode))

    [result] = check_results(dataset, Stage.CERTIFIED, report)

    assert fails_step(dataset, report) is fails
    assert (result.severity is dg.AssetCheckSeverity.ERROR) is fails


def test_a_gate_without_a_verdict_is_errored_and_red(orders: Dataset) -> None:
    report = judged(orders, Verdict(gate=Gate.G4_CONTRACT, outcome=Outcome.PASSED))

    results = {r.check_name: r for r in check_results(orders, Stage.SILVER, report)}

    assert list(results) == ["G4_CONTRACT", "G5_PII", "DQ"]
    assert [result.passed for result in results.values()] == [True, False, False]
    assert results["DQ"].metadata["outcome"].value == Outcome.ERRORED.value
    assert "gave no verdict" in (results["DQ"].description or "")


def test_a_check_shows_broken_rules_and_the_quarantine_table(orders: Dataset) -> None:
    broken = RuleResult(
        rule="positive", signature="RULE:positive", outcome=Outcome.FAILED, severity=Severity.QUARANTINE, rows=3
    )
    kept = RuleResult(rule="other", signature="RULE:other", outcome=Outcome.PASSED, severity=Severity.BLOCK, rows=0)
    verdict = Verdict(gate=Gate.G4_CONTRACT, outcome=Outcome.FAILED, results=(broken, kept), compliance=0.7)

    [result, *_] = check_results(orders, Stage.SILVER, judged(orders, verdict, quarantined=3))

    told = result.metadata
    assert (told["rows_read"].value, told["rows_accepted"].value, told["rows_quarantined"].value) == (10, 7, 3)
    assert (told["compliance"].value, told["rules"].value) == (0.7, 2)
    assert told["quarantine_table"].value == "quarantine.orders_20250107_run_1"
    [record] = told["violations"].records
    assert (record.data["signature"], record.data["rows"]) == ("RULE:positive", 3)


def test_a_number_that_json_does_not_have_is_text_in_the_details(orders: Dataset) -> None:
    details = {"mean": float("nan"), "total": Decimal("1.10"), "days": (1, None)}
    report = judged(orders, Verdict(gate=Gate.DQ, outcome=Outcome.PASSED, metadata=details))

    result = next(r for r in check_results(orders, Stage.SILVER, report) if r.check_name == "DQ")

    assert result.metadata["details"].value == {"mean": "nan", "total": "1.10", "days": [1, None]}
