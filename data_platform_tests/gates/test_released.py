"""A verdict passes although a rule is broken only if people allowed exactly that rule, for as many rows."""

from typing import Any

import pytest

from data_platform.gates.plan import GatePlan, GatePlans, Measured
from data_platform.gates.released import RELEASED, release
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict

ALLOWED: dict[str, int | None] = {"NOT_UNIQUE:id": 2, "NULL_RATE:note": None}


def verdict(*results: RuleResult, outcome: Outcome = Outcome.FAILED, gate: Gate = Gate.G4_CONTRACT) -> Verdict:
    return Verdict(gate=gate, outcome=outcome, results=results, reason="too many", metadata={"rows_read": 9})


def broken(signature: str, rows: int | None, **changes: Any) -> RuleResult:
    return RuleResult.failed(signature, rows=rows, **changes)


@pytest.mark.parametrize(
    ("results", "passes"),
    [
        pytest.param([broken("NOT_UNIQUE:id", 2)], True, id="the allowed rule with the allowed rows"),
        pytest.param([broken("NOT_UNIQUE:id", 1)], True, id="fewer rows"),
        pytest.param([broken("NOT_UNIQUE:id", 3)], False, id="more rows"),
        pytest.param([broken("NOT_UNIQUE:id", None)], False, id="an unknown number of rows"),
        pytest.param([broken("NULL_RATE:note", None)], True, id="a rule that counts no rows"),
        pytest.param([broken("NULL_RATE:note", 1)], False, id="rows where none were counted"),
        pytest.param([broken("NOT_UNIQUE:id", 2), broken("INVARIANT:x", 1)], False, id="another rule beside it"),
        pytest.param([broken("NOT_UNIQUE:id", 2), broken("W", 9, severity=Severity.WARN)], True, id="a warning beside"),
        pytest.param([RuleResult.errored("NOT_UNIQUE:id", "no table")], False, id="a rule that could not be judged"),
        pytest.param([], False, id="no rule is named"),
    ],
)
def test_only_what_was_allowed_is_let_through(results: list[RuleResult], passes: bool) -> None:
    found = release(verdict(*results), ALLOWED)

    assert found.passed is passes
    assert (RELEASED in found.metadata) is passes
    assert found.results == tuple(results)  # what is broken is still on record


@pytest.mark.parametrize("gate", [Gate.G3_SCHEMA, Gate.G5_PII, Gate.G1_RESOLUTION])
def test_columns_personal_values_and_deliveries_are_never_let_through(gate: Gate) -> None:
    held = verdict(broken("NOT_UNIQUE:id", 1), gate=gate)

    assert release(held, ALLOWED) is held


@pytest.mark.parametrize("outcome", [Outcome.ERRORED, Outcome.SKIPPED, Outcome.PASSED])
def test_only_a_failed_verdict_changes(outcome: Outcome) -> None:
    other = verdict(broken("NOT_UNIQUE:id", 1), outcome=outcome)

    assert release(other, ALLOWED) is other


class _Plan(GatePlan):
    def __init__(self, gate: Gate) -> None:
        self.gate = gate

    def judge(self, measured: Measured) -> Verdict:
        del measured
        return verdict(broken("NOT_UNIQUE:id", 1), gate=self.gate)


def test_released_rules_change_the_verdict_of_its_gate_only() -> None:
    plans = GatePlans((_Plan(Gate.G4_CONTRACT), _Plan(Gate.G5_PII)))
    nothing: Any = None
    measured = Measured(read=1, accepted=1, rejected=0, measures={}, broken={}, written=nothing)

    assert [found.passed for found in plans.releasing(ALLOWED).judge(measured)] == [True, False]
    assert plans.releasing({}) is plans
