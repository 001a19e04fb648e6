"""Verdicts of stages that cannot be judged, because a baseline or an input is missing: errored, never a pass.

The stage is held in every enforcement mode, with one record of evidence that names what is missing. Nothing is read or
written, so rows that an earlier run quarantined stay open.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from data_platform.gates.plan import GatePlans, JudgedEarly
from data_platform.model.dataset import Stage
from data_platform.model.number_text import number_of
from data_platform.model.policy_bundle import BaselineRule
from data_platform.model.run import BASELINE
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict
from data_platform.stage.candidate import Candidate, QuarantinePlan
from data_platform.stage.prerequisite import delivery_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data_platform.installation import Platform
    from data_platform.policies import Dataset
    from data_platform.stage.candidate import Attempt

BASELINE_GATES: Mapping[Stage, Gate] = {Stage.BRONZE: Gate.G3_SCHEMA, Stage.SILVER: Gate.DQ}
"""The gates that compare with ``baseline.json``."""
OTHERS_NAMED = 3


def without_baseline(platform: Platform, attempt: Attempt) -> Candidate | None:
    """A candidate that is held because ``baseline.json`` is missing or wrong; None if the stage can be judged."""
    gate = BASELINE_GATES.get(attempt.stage)
    reason = _why_no_baseline(platform, attempt.dataset, attempt.stage) if gate else ""
    if gate is None or not reason:
        return None
    result = RuleResult.errored("BASELINE_MISSING:baseline.json", f"baseline.json of {attempt.dataset.urn}: {reason}")
    return _held(platform, attempt, gate, result, {BASELINE: True})


def without_inputs(platform: Platform, attempt: Attempt, missing: Sequence[str], error: Exception) -> Candidate:
    """A candidate that is held by the stage's first gate, because ``missing`` vanished before it was read."""
    first, *others = missing or ("a file",)
    more = f" ({number_of(len(others), 'other input')} too: {', '.join(others[:OTHERS_NAMED])})" if others else ""
    result = RuleResult.errored(f"INPUT_VANISHED:{first}", f"{first} was there, and is gone{more}. {error}")
    return _held(platform, attempt, attempt.dataset.gates(attempt.stage)[0], result)


def with_damaged_inputs(platform: Platform, candidate: Candidate, damaged: Mapping[str, str]) -> Candidate:
    """A candidate that is held by the stage's first gate, because files cannot be read; each maps to the reason."""
    results = [RuleResult.failed(f"UNREADABLE:{name}", f"{name}: {reason}") for name, reason in damaged.items()]
    gate = candidate.dataset.gates(candidate.stage)[0]
    verdict = Verdict(gate=gate, outcome=Outcome.FAILED, results=tuple(results), reason=results[0].reason)
    held = _held(platform, candidate.attempt, gate, results[0], candidate.metadata)
    return replace(held, gates=GatePlans((JudgedEarly(verdict),)), delivery_id=candidate.delivery_id)


def _held(
    platform: Platform, attempt: Attempt, gate: Gate, result: RuleResult, metadata: dict[str, Any] | None = None
) -> Candidate:
    verdict = Verdict(gate=gate, outcome=Outcome.ERRORED, results=(result,), reason=result.reason)
    landed = attempt.stage is not Stage.BRONZE  # of bronze itself, the delivery is not known
    return Candidate(
        attempt=attempt,
        gates=GatePlans((JudgedEarly(verdict),)),
        split=None,
        quarantine=QuarantinePlan(),
        delivery_id=delivery_id(platform, attempt.dataset, Stage.BRONZE, attempt.partition) if landed else "",
        metadata=metadata or {},
        is_read=False,
    )


def _why_no_baseline(platform: Platform, dataset: Dataset, stage: Stage) -> str:
    """Empty if there is one, or none is needed."""
    if dataset.baseline_problem or dataset.baseline is not None:
        return dataset.baseline_problem
    if dataset.bundle.baseline is BaselineRule.OPTIONAL:
        return ""
    if not platform.catalog.runs.last_metadata(dataset.urn, stage).get(BASELINE):
        return ""
    return "it is gone, and the last run compared with it; restore it, or set `baseline: optional`"
