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
    from collections.abc import Callable, Iterable, Mapping, Sequence
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
        usual = _seasonal(self.floor)
        return tuple(usual(step) if place >= SEASONAL_FROM else None for place, step in enumerate(self.steps))

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


def backtest(steps: Sequence[Judged], *, rolling_pct: float, floor: float = FLOOR) -> Backtest:
    """Scores both rules on the deliveries from the 61st on, and the seasonal one at each of ``THRESHOLDS``."""
    judged = [step for step in steps[SEASONAL_FROM:] if step.seasonal and step.rolling]
    years = _years(judged)
    if not judged:
        return Backtest(len(steps), 0, 0.0, None, None, (), (), tuple(steps), floor)
    shown = 100 * (1 - math.exp(-floor))
    return Backtest(
        deliveries=len(steps),
        judged=len(judged),
        years=years,
        rolling=_score(judged, years, VolumeRule.ROLLING, rolling_pct, lambda step: step.rolling),
        seasonal=_score(judged, years, VolumeRule.SEASONAL, round(shown, 1), _seasonal(floor)),
        thresholds=tuple(
            _score(judged, years, VolumeRule.SEASONAL, percent, _seasonal(floor_of(percent))) for percent in THRESHOLDS
        ),
        alerts=_alerts(judged, _seasonal(floor)),
        steps=tuple(steps),
        floor=floor,
    )


_Rule: TypeAlias = "Callable[[Judged], UsualRows | None]"


def _seasonal(floor: float) -> _Rule:
    return lambda step: step.seasonal.usual(floor) if step.seasonal else None


def _years(judged: Sequence[Judged]) -> float:
    if not judged:
        return 0.0
    days = (judged[-1].partition.value - judged[0].partition.value).days + 1
    return days / _DAYS_OF_YEAR


def _score(judged: Sequence[Judged], years: float, rule: VolumeRule, percent: float, usual: _Rule) -> Score:
    bounds = [(step.rows, usual(step)) for step in judged if step.rows]
    recall = {
        drop: sum(not bound.includes(rows * (1 - drop / 100)) for rows, bound in bounds if bound) / max(len(bounds), 1)
        for drop in DROPS
    }
    return Score(rule, percent, len(_alerts(judged, usual)) / years, recall)


def _alerts(judged: Sequence[Judged], usual: _Rule) -> tuple[Alert, ...]:
    alerts: list[Alert] = []
    before = 0
    for step in judged:
        bounds = usual(step)
        direction = 0 if bounds is None or bounds.includes(step.rows) else (1 if step.rows > bounds.high else -1)
        if direction and direction == before:
            alerts[-1] = _extended(alerts[-1], step)
        elif direction and bounds is not None:
            alerts.append(Alert(step.partition, step.partition, step.rows, bounds.rows, bounds.low, bounds.high))
        before = direction
    return tuple(alerts)


def _extended(alert: Alert, step: Judged) -> Alert:
    return Alert(alert.first, step.partition, alert.rows, alert.expected, alert.low, alert.high)
