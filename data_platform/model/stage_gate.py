"""Which gates judge which stage, and whether all of them gave a verdict.

Stages, Dagster's checks and the docs use this one table, which follows from the registry, ``Gate``. A registered gate
without a verdict holds its stage, so no gate is left out by mistake. ``data_platform.gates`` has the gates themselves.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict, worst

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

STAGE_GATES: Mapping[Stage, tuple[Gate, ...]] = {
    stage: tuple(gate for gate in Gate if stage in gate.stages) for stage in Stage
}
"""The gates of a landed dataset, in the order in which people read them."""

DERIVED_STAGE_GATES: Mapping[Stage, tuple[Gate, ...]] = {
    stage: tuple(gate for gate in Gate if stage in gate.derived_stages) for stage in Stage if stage is not Stage.BRONZE
}
"""The gates of a dataset that a process makes; it has no bronze stage."""

_NOT_ASKED = "not judged: an earlier gate held the batch"
_RUN_AGAIN = "run the stage again; if this recurs, the platform's code omits the gate"


def gates_of(stage: Stage, *, derived: bool) -> tuple[Gate, ...]:
    """The gates that must all pass for ``stage``; none if such a dataset does not have the stage."""
    return (DERIVED_STAGE_GATES if derived else STAGE_GATES).get(stage, ())


def with_skipped(verdicts: Iterable[Verdict], stage: Stage, *, derived: bool) -> tuple[Verdict, ...]:
    """``verdicts``, and if they hold the batch, a skipped verdict for each gate that therefore did not run."""
    existing = tuple(verdicts)
    answered = {verdict.gate for verdict in existing}
    if worst(verdict.outcome for verdict in existing).qualifies:
        return existing
    skipped = (
        Verdict(gate=gate, outcome=Outcome.SKIPPED, reason=_NOT_ASKED)
        for gate in gates_of(stage, derived=derived)
        if gate not in answered
    )
    return (*existing, *skipped)


def complete(verdicts: Iterable[Verdict], stage: Stage, *, derived: bool) -> tuple[Verdict, ...]:
    """Exactly one verdict for each gate of ``stage``, in the registry's order.

    A gate that has no verdict or two, or that the stage does not have, is errored, and so holds the stage.
    """
    received = tuple(verdicts)
    expected = gates_of(stage, derived=derived)
    unexpected = dict.fromkeys(verdict.gate for verdict in received if verdict.gate not in expected)
    return tuple(_one_verdict(gate, [v for v in received if v.gate is gate], stage) for gate in expected) + tuple(
        _errored(gate, f"UNEXPECTED_VERDICT:{gate}", f"{stage} has no gate {gate}, and there is a verdict of it")
        for gate in unexpected
    )


def outcome_of(verdicts: Sequence[Verdict], stage: Stage, *, derived: bool) -> Outcome:
    """The worst outcome; ERRORED if none failed, but they are not exactly those of the gates of ``stage``."""
    outcome = worst(verdict.outcome for verdict in verdicts)
    counted = Counter(verdict.gate for verdict in verdicts)
    if outcome.qualifies and counted != Counter(gates_of(stage, derived=derived)):
        return Outcome.ERRORED
    return outcome


def unjudged(outcomes: Mapping[str, Outcome], stage: Stage, *, derived: bool) -> tuple[Gate, ...]:
    """The gates of a recorded stage that, by its ``outcomes``, have no verdict, or one without a judgement."""
    without = (None, Outcome.ERRORED, Outcome.SKIPPED)
    return tuple(gate for gate in gates_of(stage, derived=derived) if outcomes.get(gate.value) in without)


def _one_verdict(gate: Gate, verdicts: Collection[Verdict], stage: Stage) -> Verdict:
    if len(verdicts) == 1:
        return next(iter(verdicts))
    if not verdicts:
        return _errored(gate, f"NO_VERDICT:{gate}", f"{gate} gave no verdict on {stage}")
    doubled = _errored(gate, f"TWO_VERDICTS:{gate}", f"{gate} gave {len(verdicts)} verdicts on {stage}, expected one")
    results = (*doubled.results, *_broken(verdicts))
    return Verdict(gate=gate, outcome=Outcome.ERRORED, results=results, reason=doubled.reason)


def _broken(verdicts: Iterable[Verdict]) -> Iterator[RuleResult]:
    for verdict in verdicts:
        yield from (result for result in verdict.results if result.outcome is not Outcome.PASSED)


def _errored(gate: Gate, signature: str, reason: str) -> Verdict:
    result = RuleResult.errored(signature, reason, rule="registry")
    return Verdict(gate=gate, outcome=Outcome.ERRORED, results=(result,), reason=f"{reason}: {_RUN_AGAIN}")
