"""A backtest as a page shows it: alerts a year and recall by threshold, the verdict, and the history with its band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.portal.chart import Chart, Series
from data_platform.signals.row_count_backtest import LEAST_DELIVERIES, TESTED_DROPS

if TYPE_CHECKING:
    from data_platform.model.partition_key import PartitionKey
    from data_platform.signals.row_count_backtest import RowCountBacktest

MOST_DAYS = 400
MOST_ALERTS = 20


@dataclass(frozen=True, kw_only=True)
class ScoreLine:
    """A rule at a threshold in per cent. ``recall`` has a share of 0..1 for each of the tested drops."""

    rule: str
    threshold_pct: float
    alerts_per_year: float
    recall: tuple[float, ...]
    fits: bool
    is_tried: bool


@dataclass(frozen=True, kw_only=True)
class AlertLine:
    """Unusual deliveries in a row, from ``first`` to ``last``; the numbers are those of the first."""

    first: PartitionKey
    last: PartitionKey
    rows: int
    expected: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class BacktestView:
    """``tried_pct`` is the threshold that the verdict is about, ``policy_pct`` the policy's.

    ``is_monitorable`` is None with too few deliveries: more than ``needed`` are wanted. ``suggested_pct`` fits best, if
    one fits. ``alerts`` are the newest of ``alerts_total``.
    """

    dataset: str
    tried_pct: float
    policy_pct: float
    deliveries: int
    judged: int
    needed: int
    years: float
    drops: tuple[int, ...]
    fits: bool
    is_monitorable: bool | None
    suggested_pct: float | None
    scores: tuple[ScoreLine, ...]
    charts: tuple[Chart, ...]
    alerts: tuple[AlertLine, ...]
    alerts_total: int


def backtest_view(dataset: str, result: RowCountBacktest, *, tried_pct: float, policy_pct: float) -> BacktestView:
    return BacktestView(
        dataset=dataset,
        tried_pct=tried_pct,
        policy_pct=policy_pct,
        deliveries=result.deliveries,
        judged=result.judged,
        needed=LEAST_DELIVERIES,
        years=round(result.years, 2),
        drops=TESTED_DROPS,
        fits=result.seasonal is not None and result.seasonal.fits,
        is_monitorable=result.monitorable,
        suggested_pct=result.suggested_pct,
        scores=_scores(result),
        charts=_charts(result) if result.judged else (),
        alerts=tuple(AlertLine(**vars(one)) for one in reversed(result.alerts[-MOST_ALERTS:])),
        alerts_total=len(result.alerts),
    )


def _scores(result: RowCountBacktest) -> tuple[ScoreLine, ...]:
    tried = [one for one in (result.rolling, result.seasonal) if one is not None]
    return tuple(
        ScoreLine(
            rule=one.rule.value,
            threshold_pct=one.threshold_pct,
            alerts_per_year=round(one.alerts_per_year, 1),
            recall=tuple(round(one.recall[drop], 3) for drop in TESTED_DROPS),
            fits=one.fits,
            is_tried=one is result.seasonal,
        )
        for one in (*tried, *result.thresholds)
    )


def _charts(result: RowCountBacktest) -> tuple[Chart, ...]:
    thresholds = tuple(f"{one.threshold_pct:g}" for one in result.thresholds)
    alerts = Series(label="alerts a year", numbers=tuple(round(one.alerts_per_year, 1) for one in result.thresholds))
    recall = tuple(
        Series(label=f"of -{drop} %", numbers=tuple(round(one.recall[drop], 3) for one in result.thresholds))
        for drop in TESTED_DROPS
    )
    return (
        _by_threshold("alerts", "Alerts a year by threshold", "alerts", thresholds, (alerts,)),
        _by_threshold("recall", "Share of drops found by threshold", "share", thresholds, recall),
        _history(result),
    )


def _by_threshold(name: str, title: str, unit: str, thresholds: tuple[str, ...], series: tuple[Series, ...]) -> Chart:
    return Chart(name=name, title=title, unit=unit, days=thresholds, step="threshold", series=series)


def _history(result: RowCountBacktest) -> Chart:
    steps, bounds = result.steps[-MOST_DAYS:], result.bounds[-MOST_DAYS:]
    series = Series(
        label="rows",
        numbers=tuple(step.rows for step in steps),
        low=tuple(round(max(one.low, 0)) if one else None for one in bounds),
        high=tuple(round(one.high) if one else None for one in bounds),
    )
    days = tuple(step.partition for step in steps)
    return Chart(name="history", title="Rows by day, with what was usual", unit="rows", days=days, series=(series,))
