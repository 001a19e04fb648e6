"""The score of a dataset is made of parts that apply, and each part of the last run of each of its days."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from data_platform.catalog import Catalog
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.health import DatasetHealth, HealthPart
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform.policies import Policies
from data_platform.signals.health import find_health, rolled_up
from data_platform_tests.catalog.template import filled_catalog
from data_platform_tests.verdicts import all_gates

FLIGHTS, DELAYS = "ds://ops/flights", "ds://ops/delays"
NOW = datetime(2025, 6, 11, 15, 0, tzinfo=UTC)
"""11:00 in New York: the deadlines of the day before are all over."""
DAY = PartitionKey("2025-06-10")
WARNING = RuleResult.failed("NULL_RATE_DRIFT:id", severity=Severity.WARN)


def run(catalog: Catalog, stage: Stage, day: PartitionKey, *changed: Verdict, hours_late: int = 0) -> None:
    """One stage of flights at 04:00 in New York of the next day, with all gates passed but those ``changed``."""
    others = {one.gate: one for one in changed}
    verdicts = tuple(others.get(one.gate, one) for one in all_gates(stage))
    passed = all(one.outcome.qualifies for one in verdicts)
    at = datetime.fromisoformat(f"{day.next}T08:00:00+00:00") + timedelta(hours=hours_late)
    report = StageReport(
        dataset=DatasetId.parse(FLIGHTS), stage=stage, partition=day, run_id=f"run_{uuid4().hex[:8]}",
        path=str(stage), version=1 if passed else None, rows=RowCounts(read=10, accepted=10), verdicts=verdicts,
        started_at=at - timedelta(minutes=10), finished_at=at,
    )  # fmt: skip
    catalog.runs.record(report, [])


def whole_day(catalog: Catalog, day: PartitionKey, *changed: Verdict, hours_late: int = 0) -> None:
    for stage in (Stage.BRONZE, Stage.SILVER, Stage.GOLD, Stage.CERTIFIED):
        run(catalog, stage, day, *changed, hours_late=hours_late)


def judged(gate: Gate, *, outcome: Outcome = Outcome.PASSED, compliance: float | None = None,
           results: tuple[RuleResult, ...] = ()) -> Verdict:  # fmt: skip
    return Verdict(gate=gate, outcome=outcome, compliance=compliance, results=results)


def flights(policies: Policies, catalog: Catalog) -> DatasetHealth:
    [found] = find_health(policies, catalog, NOW, datasets=[FLIGHTS])
    return found


def scores(found: DatasetHealth) -> dict[str, float]:
    return {part.part.value: round(part.score, 3) for part in found.parts}


def record_ten_days(catalog: Catalog) -> None:
    for back in range(10):
        whole_day(catalog, DAY.shifted(-back))


@pytest.fixture
def ten_days(tmp_path: Path) -> Iterator[Catalog]:
    with filled_catalog(tmp_path, record_ten_days) as opened:
        yield opened


def test_a_dataset_whose_days_are_certified_in_time_has_all_points(policies: Policies, ten_days: Catalog) -> None:
    found = flights(policies, ten_days)

    assert (found.score, found.worst) == (100.0, None)
    assert set(scores(found)) == {part.value for part in HealthPart}
    assert {part.part: (part.good, part.of) for part in found.parts}[HealthPart.ON_TIME] == (10, 10)


def test_a_day_that_is_held_costs_its_certificate_its_time_and_its_gate(policies: Policies, ten_days: Catalog) -> None:
    whole_day(ten_days, DAY.shifted(-10))
    run(ten_days, Stage.BRONZE, DAY.next)
    run(ten_days, Stage.SILVER, DAY.next, judged(Gate.G4_CONTRACT, outcome=Outcome.FAILED, compliance=0.4))

    found = scores(flights(policies, ten_days))

    assert found["certified"] == round(11 / 12, 3)
    assert found["on_time"] == 1.0  # the held day is not due yet
    assert found["contract"] < 1
    assert found["personal_data"] == 1.0


def test_a_day_in_time_and_one_that_came_late(policies: Policies, ten_days: Catalog) -> None:
    for back in range(10, 14):
        whole_day(ten_days, DAY.shifted(-back))
    late = DAY.shifted(-2)

    assert scores(flights(policies, ten_days))["on_time"] == 1.0
    with_late_day = find_health(policies, ten_days, NOW + timedelta(days=1), datasets=[FLIGHTS])
    assert with_late_day[0].worst is not None
    assert with_late_day[0].worst.part is HealthPart.ON_TIME  # the next day is missing
    whole_day(ten_days, late, hours_late=48)
    assert scores(flights(policies, ten_days))["on_time"] == 1.0  # a rerun makes no day late that was there in time


def test_a_day_that_was_certified_after_its_grace_was_not_in_time(policies: Policies, catalog: Catalog) -> None:
    for back in range(10):
        whole_day(catalog, DAY.shifted(-back), hours_late=5 if back == 3 else 0)

    assert scores(flights(policies, catalog))["on_time"] == 0.9


def test_a_warning_costs_half_of_its_day(policies: Policies, catalog: Catalog) -> None:
    for back in range(10):
        changed = [judged(Gate.DQ, results=(WARNING,))] if back == 0 else []
        whole_day(catalog, DAY.shifted(-back), *changed)

    assert scores(flights(policies, catalog))["quality"] == 0.95


def test_the_last_run_of_a_day_counts(policies: Policies, ten_days: Catalog) -> None:
    run(ten_days, Stage.SILVER, DAY, judged(Gate.G5_PII, outcome=Outcome.FAILED, compliance=0.0))
    assert scores(flights(policies, ten_days))["personal_data"] < 1

    run(ten_days, Stage.SILVER, DAY)

    assert flights(policies, ten_days).score == 100.0


def test_without_any_run_or_deadline_nothing_is_known(policies: Policies, catalog: Catalog) -> None:
    no_deadline = [replace(one, policy=one.policy.model_copy(update={"slo": type(one.policy.slo)()}))
                   for one in policies.datasets]  # fmt: skip

    [found] = find_health(replace(policies, datasets=tuple(no_deadline)), catalog, NOW, datasets=[FLIGHTS])

    assert (found.score, found.parts, found.worst) == (None, (), None)
    assert flights(policies, catalog).score == 0.0  # with a deadline, every day is missing


def test_groups_have_the_mean_and_their_worst_dataset(policies: Policies, ten_days: Catalog) -> None:
    found = find_health(policies, ten_days, NOW)

    [group] = rolled_up(found, lambda one: one.owner_team)

    by_dataset = {one.dataset: one.score for one in found}
    known = [score for score in by_dataset.values() if score is not None]
    assert (group.datasets, group.score) == (3, round(sum(known) / len(known), 1))
    assert (group.worst, group.worst_score) == (DELAYS, 0.0)
    assert [one.dataset for one in found][-1] == FLIGHTS
