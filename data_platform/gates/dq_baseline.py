"""DQ against earlier batches: is this one like them? Differences are warnings, and hold nothing.

The deliveries before this one judge the row count (``gates.volume``). Until there are enough of them, it is unusual if
it is more than ``slo.volume.anomaly_threshold_pct`` away from the baseline's mean, and outside two standard deviations.
The metrics of columns are judged likewise (``gates.drift``). Until there are enough deliveries, a null rate is unusual
if it is more than twice the profiled one and five points above it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from data_platform.gates.drift.judgement import judge_fields, judged_null_rates
from data_platform.model.delivery_history import FieldMetrics
from data_platform.model.verdict import Outcome, RuleResult, Severity, Verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from data_platform.gates.volume.judgement import VolumeJudgement
    from data_platform.model.baseline import Baseline
    from data_platform.model.delivery_history import DeliveredFields
    from data_platform.model.policy import Volume

NULL_RATE_MARGIN = 0.05


@dataclass(frozen=True)
class EarlierDeliveries:
    """``volume`` is None if there are too few to judge the row count by; ``fields`` are in the order of partitions."""

    volume: VolumeJudgement | None
    fields: Sequence[DeliveredFields]


def with_earlier(
    before: Verdict, baseline: Baseline | None, volume: Volume | None, earlier: EarlierDeliveries | None = None
) -> Verdict:
    """The verdict of ``dq.judge``, with differences from earlier batches as warnings."""
    rows = before.metadata.get("rows")
    counted = earlier.volume if earlier else None
    delivered = earlier.fields if earlier else ()
    results = [] if counted is None else [_by_history(counted)]
    metadata = before.metadata if counted is None else {**before.metadata, "volume": counted.document}
    if baseline is not None and rows:
        results += _by_baseline(rows, baseline, volume) if counted is None else ()
        results += _null_rates(before, baseline, judged_null_rates(delivered))
    if rows:
        fields = before.metadata.get("fields", {}).items()
        results += judge_fields(rows, {name: FieldMetrics.of_document(one) for name, one in fields}, delivered)
    return replace(before, results=(*before.results, *results), metadata=metadata)


def _by_history(history: VolumeJudgement) -> RuleResult:
    return _result("VOLUME_ANOMALY", history.reason if history.is_unusual and history.monitorable else "")


def _by_baseline(rows: int, baseline: Baseline, volume: Volume | None) -> Iterator[RuleResult]:
    if volume is None or baseline.row_count is None or not baseline.row_count.mean:
        return
    mean, stddev = baseline.row_count.mean, baseline.row_count.stddev
    percent = 100 * abs(rows - mean) / mean
    is_usual = percent <= volume.anomaly_threshold_pct or abs(rows - mean) <= 2 * stddev
    of = f" of {baseline.partitions} partitions" if baseline.partitions else ""
    reason = f"{rows} rows are {percent:.0f} % away from the mean{of}, {mean:.0f}"
    yield _result("VOLUME_ANOMALY", "" if is_usual else f"{reason}; usual is up to {volume.anomaly_threshold_pct:g} %")


def _null_rates(before: Verdict, baseline: Baseline, judged: Collection[str]) -> Iterator[RuleResult]:
    """By the baseline, for columns that no earlier deliveries have ``judged``."""
    null_rates = {name.lower(): field.get("null_rate") for name, field in before.metadata.get("fields", {}).items()}
    for name, usual in (baseline.null_rates or {}).items():
        rate = null_rates.get(name.lower())
        if rate is not None and name.lower() not in judged:
            unusual = rate > 2 * usual and rate > usual + NULL_RATE_MARGIN
            yield _result(f"NULL_RATE_DRIFT:{name}", f"{rate:.1%} are NULL, usual is {usual:.1%}" if unusual else "")


def _result(signature: str, reason: str) -> RuleResult:
    found = RuleResult.failed(signature, reason, severity=Severity.WARN)
    return found if reason else replace(found, outcome=Outcome.PASSED)
