"""G2_IDENTITY: which producer made this, and with what confidence?

Confidence is 1.0 if policy and manifest name the same producer, 0.6 if only the policy does (the landing folder is then
the only evidence), 0.5 if only the manifest does and nothing confirms it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates.batch import BronzeBatch
from data_platform.gates.plan import GatePlan
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict

if TYPE_CHECKING:
    from data_platform.gates.batch import Batch


def planned(batch: Batch) -> GatePlan:
    assert isinstance(batch, BronzeBatch), "deliveries are bronze"  # noqa: S101
    return IdentityPlan(batch)


class IdentityPlan(GatePlan):
    """The verdict from the policy and the manifest, before a row is read."""

    gate = Gate.G2_IDENTITY

    def __init__(self, batch: BronzeBatch) -> None:
        assert batch.policy.source is not None  # noqa: S101
        self.early = judge(declared=batch.policy.source.producer, named=batch.producer)


def judge(*, declared: str | None, named: str | None) -> Verdict:
    """``declared`` is the policy's producer, ``named`` the one in the manifest."""
    if declared and named and declared != named:
        return _failed("WRONG_PRODUCER", "the manifest names another producer than dataset.yaml does")
    producer = declared or named
    if not producer:
        return _failed("UNKNOWN_PRODUCER", "name source.producer in dataset.yaml, or have the sender name itself")
    confidence = 1.0 if declared == named else 0.6 if declared else 0.5
    return Verdict(
        gate=Gate.G2_IDENTITY,
        outcome=Outcome.PASSED,
        results=(RuleResult(rule="producer", signature="PRODUCER", outcome=Outcome.PASSED),),
        metadata={"producer_urn": producer, "confidence": confidence},
    )


def _failed(signature: str, reason: str) -> Verdict:
    result = RuleResult.failed(signature, reason, rule="producer")
    return Verdict(gate=Gate.G2_IDENTITY, outcome=Outcome.FAILED, results=(result,), reason=reason)
