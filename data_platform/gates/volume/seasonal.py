"""The seasonal rule: level x weekday x special day, learned from deliveries before the one that is judged.

- The factor of a weekday is the median of its last eight ratios to the median of the seven deliveries around it.
  Where each second Friday, say, has clearly more rows than the Fridays between, the two have a factor each.
- The level is the median of the last ten deliveries without their factors, so it follows growth, and one wrong delivery
  does not change it.
- A delivery is unusual if its logarithm differs by more than the tolerance: four times the median deviation of the last
  sixty deliveries, at least ``FLOOR``, which is a drop by a quarter.

All ratios count one more row than there is, so that they exist for empty deliveries too.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from data_platform.gates.volume.special_day import SpecialDays
from data_platform.model.volume import UsualRows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

FLOOR = 0.29
"""The least tolerance, in log units: exp(-0.29) is 0.75."""

LEAST_DELIVERIES = 28
_WEEKDAY_RATIOS, _LEVELS, _RESIDUALS, _AROUND = 8, 10, 60, 7
_DEVIATIONS = 4
_FORTNIGHT_RATIOS, _LEAST_FORTNIGHTS, _FORTNIGHT_EFFECT = 6, 4, 1.3
_WEEK = 7
_LEAST_RATIOS = 2
_SMALLEST_FACTOR = 0.02


@dataclass(frozen=True)
class Expectation:
    """``rows``, and what widens the tolerance, in log units: ``noise`` of this dataset, ``slack`` of an unseen day."""

    rows: float
    noise: float
    slack: float

    def usual(self, floor: float = FLOOR) -> UsualRows:
        width = math.exp(max(self.noise, floor) + self.slack)
        return UsualRows(self.rows, (self.rows + 1) / width - 1, (self.rows + 1) * width - 1)


@dataclass
class SeasonalRule:
    """Give it deliveries in the order of their days: ``expect`` the next one, then ``learn`` it."""

    special_days: SpecialDays = field(default_factory=SpecialDays)
    _deliveries: deque[tuple[date, int]] = field(default_factory=lambda: deque(maxlen=_AROUND))
    _weekdays: dict[int, deque[float]] = field(default_factory=dict)
    _fortnights: dict[tuple[int, int], deque[float]] = field(default_factory=dict)
    _levels: deque[float] = field(default_factory=lambda: deque(maxlen=_LEVELS))
    _residuals: deque[float] = field(default_factory=lambda: deque(maxlen=_RESIDUALS))
    _count: int = 0

    def expect(self, day: date) -> Expectation | None:
        """None while fewer than ``LEAST_DELIVERIES`` were learned."""
        if self._count < LEAST_DELIVERIES:
            return None
        effect = self.special_days.effect(day)
        expected = self._usual(day) * effect.ratio
        return Expectation(expected - 1, self._noise(expected), effect.slack)

    def learn(self, day: date, rows: int) -> None:
        self._deliveries.append((day, rows))
        self._learn_weekday()
        ratio = 1.0
        if self._count >= LEAST_DELIVERIES:
            usual = self._usual(day)
            ratio = self.special_days.effect(day).ratio
            self._residuals.append(math.log((rows + 1) / (usual * ratio)))
            self.special_days.learn(day, (rows + 1) / usual)
        factor = self._factor(day)
        if factor >= _SMALLEST_FACTOR:
            self._levels.append((rows + 1) / factor / ratio)
        self._count += 1

    def _usual(self, day: date) -> float:
        """The rows of a day of this weekday that is not special, and one more; at least 1."""
        return max(median(self._levels) * self._factor(day), 1.0) if self._levels else 1.0

    def _factor(self, day: date) -> float:
        ratios = self._weekdays.get(day.weekday(), ())
        if len(ratios) < _LEAST_RATIOS:
            return 1.0
        return median(self._of_fortnight(day) or ratios)

    def _of_fortnight(self, day: date) -> Sequence[float]:
        """The ratios of each second of these weekdays; none if they do not differ from the others."""
        key = _fortnight(day)
        own, others = self._fortnights.get(key, ()), self._fortnights.get((key[0], 1 - key[1]), ())
        if min(len(own), len(others)) < _LEAST_FORTNIGHTS:
            return ()
        (_, high), (low, _) = sorted((_range(own), _range(others)))
        return own if low > _FORTNIGHT_EFFECT * high else ()

    def _learn_weekday(self) -> None:
        if len(self._deliveries) < _AROUND:
            return
        day, rows = self._deliveries[_AROUND // 2]
        around = median(count for _, count in self._deliveries)
        if around > 0 and not self.special_days.is_holiday(day):
            ratios = self._weekdays.setdefault(day.weekday(), deque(maxlen=_WEEKDAY_RATIOS))
            ratio = (rows + 1) / (around + 1)
            ratios.append(ratio)
            self._fortnights.setdefault(_fortnight(day), deque(maxlen=_FORTNIGHT_RATIOS)).append(ratio)

    def _noise(self, expected: float) -> float:
        """The tolerance by this dataset's own noise. A few rows vary by chance, if they vary at all."""
        if not self._residuals:
            return 0.0
        middle = median(self._residuals)
        deviation = median(abs(one - middle) for one in self._residuals)
        by_chance = 3 / math.sqrt(expected) if deviation > 0 else 0.0
        return max(_DEVIATIONS * deviation, by_chance)


def _fortnight(day: date) -> tuple[int, int]:
    """The weekday, and which of two weeks in turn it is in."""
    return day.weekday(), day.toordinal() // _WEEK % 2


def _range(ratios: Sequence[float]) -> tuple[float, float]:
    """The least and the greatest; of many, one on each side may be wrong."""
    ordered = sorted(ratios)
    return (ordered[1], ordered[-2]) if len(ordered) == _FORTNIGHT_RATIOS else (ordered[0], ordered[-1])
