"""The last verdict of each gate for the newest days, as the page of a dataset shows them."""

from typing import Any

from data_platform.catalog import Catalog
from data_platform.model.dataset import Stage
from data_platform.model.gate_day import RowBand
from data_platform.model.verdict import Gate, Outcome, Verdict
from data_platform_tests.catalog.example import FAILED, ORDERS, later, report

VOLUME = {"volume": {"expected": 100, "low": 60, "high": 140, "rule": "rolling"}}


def record(catalog: Catalog, run_id: str, day: str, *verdicts: Verdict, **changes: Any) -> None:
    catalog.runs.record(report(run_id, stage=Stage.SILVER, partition=day, verdicts=verdicts, **changes), [])


def test_a_later_run_of_a_day_replaces_the_verdicts_of_the_first(catalog: Catalog) -> None:
    record(catalog, "run_1", "2026-02-01", FAILED)
    record(catalog, "run_2", "2026-02-02", Verdict(gate=Gate.DQ, outcome=Outcome.PASSED, metadata=VOLUME))
    record(catalog, "run_3", "2026-02-01", Verdict(gate=Gate.G4_CONTRACT, outcome=Outcome.PASSED, compliance=1.0))

    found = catalog.runs.gate_days(ORDERS, limit=10)

    assert [(one.partition, one.gate, one.outcome, one.run_id) for one in found] == [
        ("2026-02-01", "G4_CONTRACT", Outcome.PASSED, "run_3"),
        ("2026-02-02", "DQ", Outcome.PASSED, "run_2"),
    ]
    assert [one.usual_rows for one in found] == [None, RowBand(expected=100, low=60, high=140)]
    assert found[0].compliance == 1.0


def test_only_the_newest_days_are_returned(catalog: Catalog) -> None:
    for number in range(1, 6):
        record(catalog, f"run_{number}", f"2026-02-0{number}", FAILED, finished_at=later(number))

    found = catalog.runs.gate_days(ORDERS, limit=2)

    assert [one.partition for one in found] == ["2026-02-04", "2026-02-05"]
    assert catalog.runs.gate_days("ds://no/such", limit=2) == ()
