"""A backtest of a dataset's row counts on its own history: what a threshold would have reported, and missed."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from data_platform.gates.volume.backtest import (
    DROPS,
    SEASONAL_FROM,
    Backtest,
    backtest,
    floor_of,
    judge_history,
    score_thresholds,
)
from data_platform.model.holiday import holidays_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.gates.volume.backtest import Judged, Score
    from data_platform.model.policy import Volume
    from data_platform.model.volume import DeliveredRows

RowCountBacktest: TypeAlias = Backtest
TESTED_DROPS = DROPS
"""Per cent of the rows that are taken away from each delivery."""
LEAST_DELIVERIES = SEASONAL_FROM
"""A backtest needs more deliveries than these."""
MOST_DELIVERIES = 100_000


def backtest_deliveries(
    deliveries: Iterable[DeliveredRows],
    volume: Volume,
    *,
    calendar: str | None = None,
    threshold_pct: float | None = None,
) -> RowCountBacktest:
    """``calendar`` and ``threshold_pct``, over 0 and under 100, are tried instead of the policy's.

    Raises:
        ValueError: The calendar is unknown.
    """
    steps, thresholds = _judged(tuple(deliveries), calendar or volume.calendar, volume.anomaly_threshold_pct)
    floor = floor_of(threshold_pct or volume.seasonal_threshold_pct)
    return backtest(steps, rolling_pct=volume.anomaly_threshold_pct, floor=floor, thresholds=thresholds)


@lru_cache(maxsize=32)
def _judged(
    deliveries: tuple[DeliveredRows, ...], calendar: str | None, rolling_pct: float
) -> tuple[tuple[Judged, ...], tuple[Score, ...]]:
    """Kept, since people try one threshold after the other on the same history."""
    steps = judge_history(deliveries, holidays_of(calendar), rolling_pct=rolling_pct)
    return steps, score_thresholds(steps)
