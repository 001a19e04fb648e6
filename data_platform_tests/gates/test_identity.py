"""G2_IDENTITY: a batch without a producer, or of another one, does not pass."""

import pytest

from data_platform.gates import identity
from data_platform.model.verdict import Outcome


@pytest.mark.parametrize(
    ("declared", "named", "outcome", "confidence"),
    [
        pytest.param("app", "app", Outcome.PASSED, 1.0, id="both agree"),
        pytest.param("app", None, Outcome.PASSED, 0.6, id="only the policy says"),
        pytest.param(None, "app", Outcome.PASSED, 0.5, id="only the manifest says"),
        pytest.param("app", "other", Outcome.FAILED, None, id="they differ"),
        pytest.param(None, None, Outcome.FAILED, None, id="nobody says"),
    ],
)
def test_a_producer_is_recognized_with_a_confidence(
    declared: str | None, named: str | None, outcome: Outcome, confidence: float | None
) -> None:
    verdict = identity.judge(declared=declared, named=named)

    assert verdict.outcome is outcome
    assert verdict.metadata.get("confidence") == confidence
