"""What each enforcement mode holds, and what holds in every mode."""

import pytest

from data_platform.model.dataset import Stage
from data_platform.model.enforcement import Enforcement, Mode, holds, holds_early
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform_tests.verdicts import all_gates

WEAKEST = Enforcement(Mode.VISIBILITY, "production")


def with_one(gate: Gate, outcome: Outcome, *results: RuleResult) -> tuple[Verdict, ...]:
    """The verdicts of silver, all passed but one."""
    other = Verdict(gate=gate, outcome=outcome, results=results)
    return tuple(other if verdict.gate is gate else verdict for verdict in all_gates(Stage.SILVER))


def is_held(verdicts: tuple[Verdict, ...], enforcement: Enforcement = WEAKEST) -> bool:
    return holds(verdicts, Stage.SILVER, derived=False, enforcement=enforcement)


@pytest.mark.parametrize(
    ("mode", "environment", "held"),
    [
        (Mode.VISIBILITY, "production", False),
        (Mode.VISIBILITY, "staging", False),
        (Mode.WARN, "production", False),
        (Mode.WARN, "staging", False),
        (Mode.SOFT_FAIL, "production", False),
        (Mode.SOFT_FAIL, "staging", True),
        (Mode.SOFT_FAIL, "prod", True),
        (Mode.HARD_FAIL, "production", True),
        (Mode.HARD_FAIL, "staging", True),
    ],
)
def test_a_failed_gate_holds_its_stage_by_mode_and_environment(mode: Mode, environment: str, held: bool) -> None:
    enforcement = Enforcement(mode, environment)

    assert is_held(with_one(Gate.DQ, Outcome.FAILED), enforcement) is held
    assert is_held(all_gates(Stage.SILVER), enforcement) is False
    assert is_held(with_one(Gate.DQ, Outcome.WAIVED), enforcement) is False


@pytest.mark.parametrize(
    "verdicts",
    [
        pytest.param(with_one(Gate.DQ, Outcome.ERRORED), id="a gate that raised"),
        pytest.param(with_one(Gate.DQ, Outcome.SKIPPED), id="a gate that did not run"),
        pytest.param(with_one(Gate.G5_PII, Outcome.FAILED), id="raw personal values"),
        pytest.param(with_one(Gate.DQ, Outcome.FAILED, RuleResult.errored("MEAN:x", "?")), id="one rule that raised"),
        pytest.param(
            (*all_gates(Stage.SILVER)[1:], with_one(Gate.DQ, Outcome.FAILED)[-1]), id="two verdicts of a gate"
        ),
        pytest.param(all_gates(Stage.SILVER)[1:], id="a gate without a verdict"),
        pytest.param((), id="no verdict at all"),
    ],
)
def test_what_nobody_knows_or_nobody_may_see_holds_in_every_mode(verdicts: tuple[Verdict, ...]) -> None:
    assert all(is_held(verdicts, Enforcement(mode, "production")) for mode in Mode)


def test_a_rule_that_only_warns_and_raised_does_not_hold() -> None:
    warned = RuleResult(rule="r", signature="R", outcome=Outcome.ERRORED, severity=Severity.WARN)

    assert not is_held(with_one(Gate.DQ, Outcome.FAILED, warned))


def test_early_verdicts_hold_like_those_after_the_write() -> None:
    failed = Verdict(gate=Gate.G1_RESOLUTION, outcome=Outcome.FAILED)
    passed = Verdict(gate=Gate.G2_IDENTITY, outcome=Outcome.PASSED)

    assert not holds_early([failed, passed], WEAKEST)
    assert holds_early([failed, passed], Enforcement())
    assert not holds_early([passed], Enforcement())
    assert holds_early([Verdict(gate=Gate.G1_RESOLUTION, outcome=Outcome.ERRORED)], WEAKEST)


def test_modes_are_ordered_from_the_weakest() -> None:
    assert Mode.WARN.is_weaker_than(Mode.SOFT_FAIL)
    assert not Mode.HARD_FAIL.is_weaker_than(Mode.HARD_FAIL)
    assert [Enforcement(mode).fails_run for mode in Mode] == [False, False, True, True]
