"""Judges the metrics of columns by those of the deliveries before: which differ from what was usual.

A delivery is compared with the last ninety earlier partitions, from seven on, each with the metrics of its last run
that passed; it is never part of what it is judged by. Usual is what lies near the median, by the deviations of these
deliveries (``usual``). Each metric has a least width too, so that a column that never changes is not reported for a
trifle, and a small delivery not for chance.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from data_platform.gates.drift.usual import STRAYS, Usual
from data_platform.model.verdict import RuleResult, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from data_platform.model.delivery_history import DeliveredFields, FieldMetrics

LEAST = 7
DELIVERIES = 90
NULL_POINTS = 0.05
"""A null rate that differs by less than five points is usual."""
MIX_SHARE = 0.1
"""A mix of codes is usual if it differs by less than a tenth of the values."""
_DISTINCT_RATIO = 1.5
_FEW = 3
"""Is added to counts of distinct values before they are compared: of two codes to three is no drift."""
_MEAN_DEVIATIONS = 0.25
"""A mean that moves by less than a quarter of the column's standard deviation is usual."""


def judge_fields(
    rows: int, fields: Mapping[str, FieldMetrics], before: Sequence[DeliveredFields]
) -> Iterator[RuleResult]:
    """A warning for each metric that differs, by the order of ``fields``. ``before`` is in the order of partitions.

    A column that was measured in fewer than ``LEAST`` of ``before`` is not judged.
    """
    if not rows:
        return
    for name, metrics in fields.items():
        key = name.lower()
        earlier = [one.fields[key] for one in before[-DELIVERIES:] if one.rows and key in one.fields]
        if len(earlier) >= LEAST:
            for kind, reason in _drifts(rows, metrics, earlier):
                yield RuleResult.failed(f"{kind}:{name}", reason, severity=Severity.WARN)


def judged_null_rates(before: Sequence[DeliveredFields]) -> frozenset[str]:
    """The columns, in lower case, whose null rates are judged by history, and so not by the baseline."""
    counted: dict[str, int] = {}
    for one in before[-DELIVERIES:]:
        for name, metrics in one.fields.items():
            if one.rows and metrics.null_rate is not None:
                counted[name] = counted.get(name, 0) + 1
    return frozenset(name for name, times in counted.items() if times >= LEAST)


def _drifts(rows: int, metrics: FieldMetrics, earlier: Sequence[FieldMetrics]) -> Iterator[tuple[str, str]]:
    for kind, judge in (
        ("NULL_RATE_DRIFT", _null_rate),
        ("MEAN_DRIFT", _mean),
        ("RANGE_DRIFT", _range),
        ("DISTINCT_DRIFT", _distinct),
        ("MIX_DRIFT", _mix),
    ):
        if reason := judge(rows, metrics, earlier):
            yield kind, reason


def _null_rate(rows: int, metrics: FieldMetrics, earlier: Sequence[FieldMetrics]) -> str:
    rates = [one.null_rate for one in earlier if one.null_rate is not None]
    if metrics.null_rate is None or len(rates) < LEAST:
        return ""
    usual = Usual.of(rates)
    chance = math.sqrt(usual.middle * (1 - usual.middle) / rows)
    if abs(metrics.null_rate - usual.middle) <= usual.width(NULL_POINTS, STRAYS * chance):
        return ""
    return f"{metrics.null_rate:.1%} are NULL, usual is {usual.middle:.1%}"


def _mean(rows: int, metrics: FieldMetrics, earlier: Sequence[FieldMetrics]) -> str:
    means = [one.mean for one in earlier if one.mean is not None]
    spreads = [one.stddev for one in earlier if one.stddev is not None]
    if metrics.mean is None or len(means) < LEAST or len(spreads) < LEAST:
        return ""
    usual, spread = Usual.of(means), Usual.of(spreads).middle
    width = usual.width(_MEAN_DEVIATIONS * spread, STRAYS * spread / math.sqrt(rows))
    if abs(metrics.mean - usual.middle) <= width:
        return ""
    low, high = usual.middle - width, usual.middle + width
    return f"the mean is {metrics.mean:.6g}, usual is {low:.6g} to {high:.6g}"


def _range(_: int, metrics: FieldMetrics, earlier: Sequence[FieldMetrics]) -> str:
    """A value as far outside what was ever seen as that is wide: another unit, or a filler such as 9999."""
    ranges = [(one.min, one.max) for one in earlier if one.min is not None and one.max is not None]
    if metrics.min is None or metrics.max is None or len(ranges) < LEAST:
        return ""
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    if low - (high - low) <= metrics.min and metrics.max <= high + (high - low):
        return ""
    return f"values are {metrics.min:.6g} to {metrics.max:.6g}, and were {low:.6g} to {high:.6g} before"


def _distinct(_: int, metrics: FieldMetrics, earlier: Sequence[FieldMetrics]) -> str:
    counts = [one.distinct for one in earlier if one.distinct is not None]
    if metrics.distinct is None or len(counts) < LEAST:
        return ""
    usual = Usual.of([math.log(count + _FEW) for count in counts])
    distance = abs(math.log(metrics.distinct + _FEW) - usual.middle)
    if distance <= usual.width(math.log(_DISTINCT_RATIO)):
        return ""
    return f"some {metrics.distinct:.0f} distinct values, usual are {math.exp(usual.middle) - _FEW:.0f}"


def _mix(rows: int, metrics: FieldMetrics, earlier: Sequence[FieldMetrics]) -> str:
    mixes = [one.shares for one in earlier if one.shares]
    values = rows * (1 - (metrics.null_rate or 0))
    if not metrics.shares or not values or len(mixes) < LEAST:
        return ""
    codes = sorted({code for mix in (*mixes, metrics.shares) for code in mix})
    usual = {code: Usual.of([mix.get(code, 0.0) for mix in mixes]).middle for code in codes}
    strayed = Usual.of([_distance(mix, usual) for mix in mixes])
    width = strayed.middle + strayed.width(MIX_SHARE, math.sqrt(len(codes) / values))
    if _distance(metrics.shares, usual) <= width:
        return ""
    code = max(codes, key=lambda one: abs(metrics.shares.get(one, 0.0) - usual[one]))
    return f"{code} has {metrics.shares.get(code, 0.0):.1%} of the values, usual is {usual[code]:.1%}"


def _distance(mix: Mapping[str, float], usual: Mapping[str, float]) -> float:
    """The share of values that would have to have another code: 0 for the same mix, 1 for one without common codes."""
    return sum(abs(mix.get(code, 0.0) - share) for code, share in usual.items()) / 2
