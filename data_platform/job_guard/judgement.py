"""What the gates say of a frame, and the rows of it that may be written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from data_platform.gates.dq import judge as judge_metrics
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict, worst

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from data_platform.policies import Dataset

GATES = (Gate.G3_SCHEMA, Gate.G4_CONTRACT, Gate.G5_PII, Gate.DQ)
"""The gates that judge a frame; the others judge a delivery, or the certified view."""

_COLUMNS_FIRST = "not judged: the columns are not those of the policy"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """``rows`` is the number of rows of the frame. ``accepted`` has its columns, ``rejected`` also ``_violations``."""

    rows: int
    rejected_rows: int
    verdicts: tuple[Verdict, ...]
    accepted: Any
    rejected: Any


def of_columns(changes: Sequence[str]) -> Verdict:
    """G3_SCHEMA's verdict; ``changes`` are the signatures of changes that the policy does not allow."""
    results = tuple(RuleResult.failed(signature) for signature in changes)
    return Verdict(gate=Gate.G3_SCHEMA, outcome=Outcome.FAILED if results else Outcome.PASSED, results=results)


def unjudged(columns: Verdict) -> tuple[Verdict, ...]:
    """All verdicts on a frame whose columns are wrong: no rule can be judged."""
    skipped = (Verdict(gate=gate, outcome=Outcome.SKIPPED, reason=_COLUMNS_FIRST) for gate in GATES[1:])
    return (columns, *skipped)


def merged(parts: Sequence[Verdict]) -> Verdict:
    """One verdict of one gate on the rows that are kept: ``contract_lite`` first, whose share of rows it has."""
    results: dict[str, RuleResult] = {}
    for result in (result for part in parts for result in part.results):
        if result.signature not in results or results[result.signature].outcome is Outcome.PASSED:
            results[result.signature] = result
    return replace(
        parts[0],
        outcome=worst(part.outcome for part in parts),
        results=tuple(results.values()),
        reason="; ".join(part.reason for part in parts if part.reason),
    )


def of_metrics(dataset: Dataset, rows: int, measured: Mapping[Hashable, Any]) -> Verdict:
    """DQ's verdict on ``rows`` accepted rows. Earlier deliveries are not compared: a job does not have them."""
    volume, policy = dataset.policy.slo.volume, dataset.bundle.dq
    min_rows = max(policy.min_rows, volume.min_rows_per_partition if volume else 0)
    return judge_metrics(policy, rows=rows, measured=measured, min_rows=min_rows)
