"""A backtest: which deliveries of a dataset's history a rule would have reported, and which drops it would have missed.

Each delivery is judged by those before it, as it would have been on its day. Then the same is asked for the delivery
with a share of its rows taken away; the share of days on which that is noticed is the recall of the drop. Unusual
deliveries that follow each other in the same direction are one alert, since people get one message for them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from data_platform.gates.volume.rolling import RollingRule
from data_platform.gates.volume.seasonal import FLOOR, SeasonalRule
from data_platform.gates.volume.special_day import SpecialDays
from data_platform.model.volume import UsualRows, VolumeRule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from data_platform.gates.volume.seasonal import Expectation
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.volume import DeliveredRows

SEASONAL_FROM = 60
"""From this many deliveries on, the seasonal rule judges; before, the rolling one."""

DROPS = (30, 40, 50)
"""Per cent of the rows of a delivery that are taken away to see whether it is noticed."""

THRESHOLDS = (15, 20, 25, 30, 35, 40, 50, 60)
"""Per cent of the expected rows; what differs less is never reported."""

MOST_ALERTS = 12
LEAST_RECALL = 0.85
_TESTED_DROP = 40
_DAYS_OF_YEAR = 365.25


@dataclass(frozen=True)
class Judged:
    """A delivery, and what each rule expected before it came; None during the rule's first deliveries."""

    partition: PartitionKey
    rows: int
    rolling: UsualRows | None
    seasonal: Expectation | None


@dataclass(frozen=True)
class Alert:
    """Unusual deliveries in a row, all too small or all too large. The numbers are those of the first one."""

    first: PartitionKey
    last: PartitionKey
    rows: int
    expected: float
    low: float
    high: float


@dataclass(frozen=True)
class Score:
    """``recall`` maps a drop in per cent to the share of days on which it would have been noticed, 0 to 1."""

    rule: VolumeRule
    threshold_pct: float
    alerts_per_year: float
    recall: dict[int, float]

    @property
    def fits(self) -> bool:
        """Whether people would trust it: it notices most drops of 40 %, and reports about one day a month at most."""
        return self.alerts_per_year <= MOST_ALERTS and self.recall[_TESTED_DROP] >= LEAST_RECALL


@dataclass(frozen=True)
class Backtest:
    """``thresholds`` are scores of the seasonal rule; ``judged`` counts deliveries from the 61st on."""

    deliveries: int
    judged: int
    years: float
    rolling: Score | None
    seasonal: Score | None
    thresholds: tuple[Score, ...]
    alerts: tuple[Alert, ...]
    steps: tuple[Judged, ...]
    floor: float

    @property
    def bounds(self) -> tuple[UsualRows | None, ...]:
        """What the seasonal rule found usual of each delivery; None for those that it does not judge."""
        judged = _seasonal(self.steps[SEASONAL_FROM:], self.floor)
        return (*(None for _ in self.steps[:SEASONAL_FROM]), *judged)

    @property
    def monitorable(self) -> bool | None:
        """Whether some threshold fits; None if there are too few deliveries to know."""
        return any(score.fits for score in self.thresholds) if self.judged else None

    @property
    def suggested_pct(self) -> float | None:
        """The threshold in use if it fits, else the one with the best recall of those that fit."""
        if self.seasonal and self.seasonal.fits:
            return self.seasonal.threshold_pct
        fitting = [score for score in self.thresholds if score.fits]
        best = min(
            fitting, key=lambda score: (-round(score.recall[_TESTED_DROP], 2), score.alerts_per_year), default=None
        )
        return best.threshold_pct if best else None


def floor_of(threshold_pct: float) -> float:
    """The tolerance, in log units, at which a drop by ``threshold_pct`` per cent becomes unusual."""
    return -math.log(1 - threshold_pct / 100)


def judge_history(
    deliveries: Iterable[DeliveredRows], holidays: Mapping[date, str], *, rolling_pct: float
) -> tuple[Judged, ...]:
    """``deliveries`` are in the order of their partitions; ``rolling_pct`` is ``anomaly_threshold_pct``."""
    rolling, seasonal = RollingRule(rolling_pct), SeasonalRule(SpecialDays(holidays))
    judged = []
    for one in deliveries:
        day = one.partition.value
        judged.append(Judged(one.partition, one.rows, rolling.expect(), seasonal.expect(day)))
        rolling.learn(one.rows)
        seasonal.learn(day, one.rows)
    return tuple(judged)


def score_thresholds(steps: Sequence[Judged]) -> tuple[Score, ...]:
    """Scores the seasonal rule at each of ``THRESHOLDS``, on the deliveries from the 61st on."""
    judged = _scored(steps)
    years = _years(judged)
    return tuple(
        _score(judged, years, VolumeRule.SEASONAL, percent, _seasonal(judged, floor_of(percent)))
        for percent in (THRESHOLDS if judged else ())
    )


def backtest(
    steps: Sequence[Judged], *, rolling_pct: float, floor: float = FLOOR, thresholds: tuple[Score, ...] | None = None
) -> Backtest:
    """Scores both rules on the deliveries from the 61st on; ``thresholds`` are those of ``score_thresholds``."""
    judged = _scored(steps)
    years = _years(judged)
    if not judged:
        return Backtest(len(steps), 0, 0.0, None, None, (), (), tuple(steps), floor)
    shown, usual = 100 * (1 - math.exp(-floor)), _seasonal(judged, floor)
    return Backtest(
        deliveries=len(steps),
        judged=len(judged),
        years=years,
        rolling=_score(judged, years, VolumeRule.ROLLING, rolling_pct, [step.rolling for step in judged]),
        seasonal=_score(judged, years, VolumeRule.SEASONAL, round(shown, 1), usual),
        thresholds=score_thresholds(steps) if thresholds is None else thresholds,
        alerts=_alerts(judged, usual),
        steps=tuple(steps),
        floor=floor,
    )


_Usual: TypeAlias = "Sequence[UsualRows | None]"


def _seasonal(steps: Iterable[Judged], floor: float) -> _Usual:
    return [step.seasonal.usual(floor) if step.seasonal else None for step in steps]


def _scored(steps: Sequence[Judged]) -> list[Judged]:
    return [step for step in steps[SEASONAL_FROM:] if step.seasonal and step.rolling]


def _years(judged: Sequence[Judged]) -> float:
    if not judged:
        return 0.0
    days = (judged[-1].partition.value - judged[0].partition.value).days + 1
    return days / _DAYS_OF_YEAR


def _score(judged: Sequence[Judged], years: float, rule: VolumeRule, percent: float, usual: _Usual) -> Score:
    delivered = [(step.rows, bounds) for step, bounds in zip(judged, usual, strict=True) if step.rows]
    known = [(rows, bounds.low, bounds.high) for rows, bounds in delivered if bounds]
    recall = {}
    for drop in DROPS:
        share = 1 - drop / 100
        noticed = sum(not low <= rows * share <= high for rows, low, high in known)
        recall[drop] = noticed / max(len(delivered), 1)
    return Score(rule, percent, len(_alerts(judged, usual)) / years, recall)


def _alerts(judged: Sequence[Judged], usual: _Usual) -> tuple[Alert, ...]:
    alerts: list[Alert] = []
    before = 0
    for step, bounds in zip(judged, usual, strict=True):
        direction = 0 if bounds is None or bounds.includes(step.rows) else (1 if step.rows > bounds.high else -1)
        if direction and direction == before:
            alerts[-1] = _extended(alerts[-1], step)
        elif direction and bounds is not None:
            alerts.append(Alert(step.partition, step.partition, step.rows, bounds.rows, bounds.low, bounds.high))
        before = direction
    return tuple(alerts)


def _extended(alert: Alert, step: Judged) -> Alert:
    return Alert(alert.first, step.partition, alert.rows, alert.expected, alert.low, alert.high)
