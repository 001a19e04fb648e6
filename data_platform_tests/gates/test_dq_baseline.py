"""What differs from the baseline warns, and holds nothing."""

import pytest

from data_platform.gates.dq_baseline import with_earlier
from data_platform.model.baseline import Baseline
from data_platform.model.policy import Volume
from data_platform.model.verdict import Gate, Outcome, Severity, Verdict

BASELINE = Baseline.model_validate(
    {"row_count": {"mean": 100, "stddev": 10}, "null_rates": {"a": 0.02}, "partitions": 31}
)


def dq(rows: int, null_rate: float = 0.0) -> Verdict:
    fields = {"A": {"null_rate": null_rate}}
    return Verdict(gate=Gate.DQ, outcome=Outcome.PASSED, metadata={"rows": rows, "fields": fields})


@pytest.mark.parametrize(
    ("rows", "threshold", "unusual"),
    [
        pytest.param(100, 40, False, id="the mean"),
        pytest.param(60, 40, False, id="at the threshold"),
        pytest.param(59, 40, True, id="below it"),
        pytest.param(141, 40, True, id="above it"),
        pytest.param(85, 5, False, id="within two standard deviations"),
        pytest.param(60, 30, True, id="another threshold"),
    ],
)
def test_an_unusual_number_of_rows_warns(rows: int, threshold: float, unusual: bool) -> None:
    verdict = with_earlier(dq(rows), BASELINE, Volume(anomaly_threshold_pct=threshold))

    found = verdict.results[0]
    assert (found.outcome is Outcome.FAILED) is unusual
    assert (verdict.outcome, found.severity) == (Outcome.PASSED, Severity.WARN)
    assert ("mean of 31 partitions, 100" in found.reason) is unusual


@pytest.mark.parametrize(("rate", "unusual"), [(0.02, False), (0.069, False), (0.08, True)])
def test_an_unusual_share_of_nulls_warns(rate: float, unusual: bool) -> None:
    verdict = with_earlier(dq(100, rate), BASELINE, None)

    assert verdict.signatures == (("NULL_RATE_DRIFT:a",) if unusual else ())
    assert verdict.outcome is Outcome.PASSED


def test_without_a_baseline_or_rows_nothing_is_compared() -> None:
    assert with_earlier(dq(5), None, Volume()).results == ()
    assert with_earlier(dq(0), BASELINE, Volume()).results == ()
