"""Verdicts of a whole stage, for tests of what comes after the gates."""

from data_platform.model.dataset import Stage
from data_platform.model.stage_gate import gates_of
from data_platform.model.verdict import Outcome, Verdict


def all_gates(stage: Stage, outcome: Outcome = Outcome.PASSED, *, derived: bool = False) -> tuple[Verdict, ...]:
    """One verdict a gate of ``stage``, each with ``outcome``."""
    return tuple(Verdict(gate=gate, outcome=outcome) for gate in gates_of(stage, derived=derived))
