"""A run is found by what it did: the last of a slice, and the verdict on exactly one version."""

import pytest

from data_platform.catalog import Catalog
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.run import RowCounts, RunRow
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform_tests.catalog.example import DAY, FAILED, NOW, ORDERS, PASSED, SCHEMA, later, report


def test_a_report_comes_back_short(catalog: Catalog) -> None:
    said = report(
        verdicts=(FAILED, PASSED),
        schema=SCHEMA,
        quarantine_table="quarantine.orders_20260215_run_1",
        quarantine_path="lake/quarantine/orders_20260215_run_1",
        delivery_id="delivery_1",
        policy_fingerprint="0123456789abcdef",
        input_versions={"ds://raw/orders": 7},
        metadata={"files": ["a.csv"], "day": NOW.date()},
    )

    catalog.runs.record(said, [])

    assert catalog.runs.recent() == (
        RunRow(
            run_id="run_1",
            dataset_urn=ORDERS,
            stage=Stage.GOLD,
            partition=DAY,
            outcome=Outcome.FAILED,
            path="lake/gold/orders",
            version=1,
            rows=RowCounts(read=8, accepted=3, quarantined=5),
            started_at=NOW,
            finished_at=later(1),
            reason="G4_CONTRACT: too few rows keep the contract",
            signatures={"MISSING_FIELD:id": 5, "INVARIANT:positive": 2, "INVARIANT:day": None},
            verdicts={"G4_CONTRACT": Outcome.FAILED, "DQ": Outcome.PASSED},
            quarantine_table="quarantine.orders_20260215_run_1",
            quarantine_path="lake/quarantine/orders_20260215_run_1",
            delivery_id="delivery_1",
            policy_fingerprint="0123456789abcdef",
            schema_fingerprint=SCHEMA.fingerprint,
            input_versions={"ds://raw/orders": 7},
            metadata={"files": ["a.csv"], "day": "2026-02-15"},
        ),
    )
    assert not catalog.runs.recent()[0].passed


def test_signatures_come_with_the_most_rows_first_also_of_a_run_that_passed(catalog: Catalog) -> None:
    rules = tuple(
        RuleResult(rule=name, signature=name, outcome=Outcome.FAILED, severity=Severity.WARN, rows=rows)
        for name, rows in [("few", 1), ("many", 9), ("unknown", None)]
    )

    catalog.runs.record(report(verdicts=(Verdict(gate=Gate.DQ, outcome=Outcome.PASSED, results=rules),)), [])

    assert list(catalog.runs.recent()[0].signatures.items()) == [("many", 9), ("few", 1), ("unknown", None)]


def test_the_latest_report_is_of_exactly_this_slice(catalog: Catalog) -> None:
    for run_id, changes in [
        ("run_1", {}),
        ("run_2", {"verdicts": (FAILED,), "version": None}),
        ("run_3", {"stage": Stage.SILVER}),
        ("run_4", {"partition": "2026-02-16"}),
        ("run_5", {"partition": None}),
        ("run_6", {"dataset": DatasetId("curated", "items")}),
    ]:
        catalog.runs.record(report(run_id, **changes), [])

    latest = [catalog.runs.latest(ORDERS, Stage.GOLD, partition) for partition in (DAY, None, "2026-02-17")]
    assert [run and run.run_id for run in latest] == ["run_2", "run_5", None]


def test_the_latest_is_the_last_recorded_even_if_a_clock_was_wrong(catalog: Catalog) -> None:
    catalog.runs.record(report("run_1", finished_at=later(10)), [])
    catalog.runs.record(report("run_2", finished_at=later(5)), [])

    latest = catalog.runs.latest(ORDERS, Stage.GOLD, DAY)
    assert latest is not None
    assert latest.run_id == "run_2"


def test_runs_come_newest_first_up_to_a_limit(catalog: Catalog) -> None:
    for number in range(4):
        catalog.runs.record(report(f"run_{number}"), [])
    catalog.runs.record(report("run_items", dataset=DatasetId("curated", "items")), [])

    assert [run.run_id for run in catalog.runs.recent(ORDERS, limit=3)] == ["run_3", "run_2", "run_1"]
    assert catalog.runs.recent(limit=1)[0].run_id == "run_items"


def test_a_run_is_found_by_its_own_id_and_stage(catalog: Catalog) -> None:
    catalog.runs.record(report("run_1", version=43, verdicts=(FAILED,)), [])
    catalog.runs.record(report("run_2", version=43), [])

    found = catalog.runs.get("run_1", ORDERS, Stage.GOLD)

    assert found is not None
    assert (found.run_id, found.version, found.outcome) == ("run_1", 43, Outcome.FAILED)
    assert catalog.runs.get("run_1", ORDERS, Stage.SILVER) is None


def test_a_run_that_committed_nothing_judged_no_version(catalog: Catalog) -> None:
    catalog.runs.record(report(version=None, verdicts=(FAILED,)), [])

    assert catalog.runs.recent()[0].version is None


@pytest.mark.parametrize(
    ("later_runs", "held"),
    [
        pytest.param([], ["run_held"], id="nothing came after"),
        pytest.param([("2026-02-16", Stage.CERTIFIED)], ["run_held"], id="another day was certified"),
        pytest.param([(None, Stage.CERTIFIED)], ["run_held"], id="certified without a partition"),
        pytest.param([(DAY, Stage.GOLD)], ["run_held"], id="the day passed a stage"),
        pytest.param([(DAY, Stage.CERTIFIED)], [], id="the day was certified"),
    ],
)
def test_a_held_day_stays_held_until_it_is_certified(
    catalog: Catalog, later_runs: list[tuple[str | None, Stage]], held: list[str]
) -> None:
    catalog.runs.record(report("run_before", stage=Stage.CERTIFIED), [])
    catalog.runs.record(report("run_first", verdicts=(FAILED,), version=None), [])
    catalog.runs.record(report("run_held", verdicts=(FAILED,), version=None, stage=Stage.SILVER), [])
    for number, (partition, stage) in enumerate(later_runs):
        catalog.runs.record(report(f"run_later_{number}", partition=partition, stage=stage), [])

    assert [(run.run_id, run.dataset_urn, run.partition) for run in catalog.runs.held()] == [
        (r, ORDERS, DAY) for r in held
    ]


def test_a_dataset_without_days_is_held_until_it_is_certified(catalog: Catalog) -> None:
    catalog.runs.record(report("run_held", partition=None, verdicts=(FAILED,), version=None), [])
    before = [run.run_id for run in catalog.runs.held()]

    catalog.runs.record(report("run_passed", partition=None, stage=Stage.CERTIFIED), [])

    assert (before, catalog.runs.held()) == (["run_held"], ())
