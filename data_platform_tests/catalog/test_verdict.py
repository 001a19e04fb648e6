"""Verdicts come back as they were judged, with every rule's result."""

from data_platform.catalog import Catalog
from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate, Outcome, Verdict
from data_platform_tests.catalog.example import FAILED, ORDERS, PASSED, report


def test_verdicts_come_back_with_their_rule_results_in_order(catalog: Catalog) -> None:
    catalog.runs.record(report("run_1", verdicts=(FAILED, PASSED)), [])
    catalog.runs.record(report("run_2", verdicts=(PASSED,)), [])

    assert catalog.runs.verdicts("run_1", ORDERS, Stage.GOLD) == (FAILED, PASSED)
    assert catalog.runs.verdicts("run_2", ORDERS, Stage.GOLD) == (PASSED,)


def test_a_run_that_is_not_on_record_has_no_verdicts(catalog: Catalog) -> None:
    catalog.runs.record(report("run_1"), [])

    assert catalog.runs.verdicts("run_1", ORDERS, Stage.SILVER) == ()


def test_of_a_gate_that_spoke_twice_the_worse_counts(catalog: Catalog) -> None:
    early = Verdict(gate=Gate.G3_SCHEMA, outcome=Outcome.FAILED)
    late = Verdict(gate=Gate.G3_SCHEMA, outcome=Outcome.PASSED)

    catalog.runs.record(report(verdicts=(early, late, PASSED)), [])

    (run,) = catalog.runs.recent()
    assert run.verdicts == {"G3_SCHEMA": Outcome.FAILED, "DQ": Outcome.PASSED}


def test_what_a_gate_measured_may_be_no_number(catalog: Catalog) -> None:
    odd = Verdict(gate=Gate.DQ, outcome=Outcome.ERRORED, metadata={"mean": float("inf"), "nul": "a\u0000b"})

    catalog.runs.record(report(verdicts=(odd,)), [])

    assert catalog.runs.verdicts("run_1", ORDERS, Stage.GOLD) == (odd,)
