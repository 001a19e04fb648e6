"""A gate that is left out holds its stage, whichever gate and stage it is; so does one that answers twice."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.stage_gate import (
    DERIVED_STAGE_GATES,
    STAGE_GATES,
    complete,
    gates_of,
    unjudged,
    with_skipped,
)
from data_platform.model.verdict import Gate, Outcome, Verdict
from data_platform_tests.verdicts import all_gates

NOON = datetime(2025, 1, 6, 12, tzinfo=UTC)
EVERY_GATE = [
    pytest.param(stage, derived, gate, id=f"{gate} of {'derived' if derived else 'landed'} {stage}")
    for derived, table in ((False, STAGE_GATES), (True, DERIVED_STAGE_GATES))
    for stage, gates in table.items()
    for gate in gates
]


def report(stage: Stage, verdicts: tuple[Verdict, ...], *, derived: bool = False) -> StageReport:
    return StageReport(
        dataset=DatasetId("sales", "orders"), stage=stage, partition=None, run_id="run_20250106_1", path="lake",
        version=1, rows=RowCounts(), verdicts=verdicts, started_at=NOON, finished_at=NOON, derived=derived,
    )  # fmt: skip


@pytest.mark.parametrize(("stage", "derived", "gate"), EVERY_GATE)
def test_a_stage_passes_only_with_a_verdict_of_each_of_its_gates(stage: Stage, derived: bool, gate: Gate) -> None:
    every = all_gates(stage, derived=derived)
    without = tuple(verdict for verdict in every if verdict.gate is not gate)

    completed = {verdict.gate: verdict for verdict in complete(without, stage, derived=derived)}

    assert report(stage, every, derived=derived).passed
    assert not report(stage, without, derived=derived).passed
    assert completed[gate].outcome is Outcome.ERRORED
    assert completed[gate].signatures == (f"NO_VERDICT:{gate}",)
    assert unjudged({verdict.gate.value: verdict.outcome for verdict in without}, stage, derived=derived) == (gate,)


@pytest.mark.parametrize(("stage", "derived", "gate"), EVERY_GATE)
def test_a_second_verdict_of_a_gate_holds_the_stage(stage: Stage, derived: bool, gate: Gate) -> None:
    doubled = (*all_gates(stage, derived=derived), Verdict(gate=gate, outcome=Outcome.PASSED))

    completed = {verdict.gate: verdict for verdict in complete(doubled, stage, derived=derived)}

    assert not report(stage, doubled, derived=derived).passed
    assert completed[gate].signatures == (f"TWO_VERDICTS:{gate}",)


def test_a_verdict_of_a_gate_that_the_stage_does_not_have_holds_it() -> None:
    more = (*all_gates(Stage.GOLD), Verdict(gate=Gate.DQ, outcome=Outcome.PASSED))

    completed = complete(more, Stage.GOLD, derived=False)

    assert not report(Stage.GOLD, more).passed
    assert completed[-1].signatures == ("UNEXPECTED_VERDICT:DQ",)
    assert completed[-1].outcome is Outcome.ERRORED


@pytest.mark.parametrize("stage", list(Stage))
def test_a_report_without_any_verdict_does_not_pass(stage: Stage) -> None:
    assert not report(stage, ()).passed
    assert not report(stage, (), derived=True).passed


def test_the_gates_of_a_landed_dataset_are_not_those_of_a_derived_one() -> None:
    assert not report(Stage.SILVER, all_gates(Stage.SILVER), derived=True).passed
    assert not report(Stage.SILVER, all_gates(Stage.SILVER, derived=True), derived=False).passed
    assert gates_of(Stage.BRONZE, derived=True) == ()


def test_gates_that_an_earlier_one_kept_from_judging_are_skipped_and_not_errored() -> None:
    held = Verdict(gate=Gate.G3_SCHEMA, outcome=Outcome.FAILED)

    verdicts = complete(with_skipped([held], Stage.SILVER, derived=True), Stage.SILVER, derived=True)

    assert [verdict.outcome for verdict in verdicts] == [Outcome.FAILED, *[Outcome.SKIPPED] * 3]
    assert [verdict.judged for verdict in verdicts] == [True, False, False, False]
    assert report(Stage.SILVER, verdicts, derived=True).outcome is Outcome.FAILED


def test_verdicts_that_all_pass_cannot_have_kept_another_gate_from_judging() -> None:
    passed = all_gates(Stage.GOLD)[:1]

    assert with_skipped(passed, Stage.GOLD, derived=False) == passed


def test_what_a_doubled_gate_found_is_kept() -> None:
    first, *others = all_gates(Stage.GOLD)
    failed = complete((first, *others[:1]), Stage.GOLD, derived=False)[-1]
    doubled = (first, *others, replace(failed, gate=others[-1].gate))

    found = complete(doubled, Stage.GOLD, derived=False)[-1]

    assert set(found.signatures) == {f"TWO_VERDICTS:{others[-1].gate}", *failed.signatures}


def test_each_gate_is_described_and_asked_somewhere() -> None:
    asked = {gate for table in (STAGE_GATES, DERIVED_STAGE_GATES) for gates in table.values() for gate in gates}

    assert asked == set(Gate)
    assert all(gate.description for gate in Gate)
