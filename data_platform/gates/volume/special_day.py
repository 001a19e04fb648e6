"""Days on which the rhythm of the week does not hold: holidays with the days beside them, and places in the month.

A kind of day, such as the last business day of a month, changes the volume of some datasets only. So what a kind does
to a dataset is learned from its own deliveries, and a kind whose days differ much from each other teaches nothing.
"""

from __future__ import annotations

import calendar
import math
from dataclasses import dataclass, field
from datetime import date, timedelta
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

UNSEEN_HOLIDAY, UNSEEN_NEIGHBOUR = 0.35, 0.1
"""How much wider the tolerance is, in log units, on a holiday and on a day beside one, until it was seen twice."""

_LEAST_SEEN, _WELL_KNOWN, _NEWEST = 2, 4, 12
_MONTH_EFFECT = math.log(1.15)
_MONTH_SPREAD = 0.15
_DAYS = 3
_ONE = timedelta(days=1)


@dataclass(frozen=True)
class Effect:
    """``ratio`` multiplies the usual rows of the weekday; ``slack`` widens the tolerance, in log units."""

    ratio: float = 1.0
    slack: float = 0.0


@dataclass
class SpecialDays:
    """What each kind of day has done to a dataset. ``holidays`` maps a date to the holiday's name."""

    holidays: Mapping[date, str] = field(default_factory=dict)
    _seen: dict[str, list[float]] = field(default_factory=dict)

    def is_holiday(self, day: date) -> bool:
        """Whether ``day`` is a holiday or beside one."""
        return self._holiday(day) is not None

    def effect(self, day: date) -> Effect:
        """What to expect of ``day``, by the days of its kinds that were learned."""
        in_month, holiday = self._month_effect(day), self._holiday_effect(day)
        return Effect(in_month.ratio * holiday.ratio, max(in_month.slack, holiday.slack))

    def learn(self, day: date, ratio: float) -> None:
        """``ratio`` is the day's volume by the usual one of its weekday; more than 0."""
        for kind in (self._holiday(day), *_month_kinds(day)):
            if kind is not None:
                self._seen.setdefault(kind, []).append(math.log(ratio))

    def _logs(self, kind: str) -> list[float]:
        return self._seen.get(kind, [])[-_NEWEST:]

    def _holiday(self, day: date) -> str | None:
        for offset, suffix in ((0, ""), (-1, " + 1 day"), (1, " - 1 day")):
            if name := self.holidays.get(day + offset * _ONE):
                return f"{name}{suffix}"
        return None

    def _holiday_effect(self, day: date) -> Effect:
        holiday = self._holiday(day)
        if holiday is None:
            return Effect()
        logs = self._logs(holiday)
        if len(logs) < _LEAST_SEEN:
            return Effect(slack=UNSEEN_HOLIDAY if day in self.holidays else UNSEEN_NEIGHBOUR)
        usual = median(logs)
        spread = max(abs(one - usual) for one in logs[-_WELL_KNOWN:])
        return Effect(math.exp(usual), min(spread, UNSEEN_HOLIDAY) if len(logs) < 2 * _WELL_KNOWN else 0.0)

    def _month_effect(self, day: date) -> Effect:
        """The strongest effect of the day's places in its month that is the same each time.

        The first days of a kind are of other kinds too, and one of those may be the reason. So until a kind is well
        known, the rows of a day without its effect are usual too.
        """
        strongest, seen = 0.0, 0
        for kind in _month_kinds(day):
            logs = self._logs(kind)
            if len(logs) >= _LEAST_SEEN and abs(effect := _steady(logs)) > abs(strongest):
                strongest, seen = effect, len(logs)
        return Effect(math.exp(strongest), 0.0 if seen >= _WELL_KNOWN else abs(strongest))


def _steady(logs: Sequence[float]) -> float:
    """The median, or 0 if it is small, or if the values differ: one in ten may."""
    usual = median(logs)
    others = sum(abs(one - usual) > _MONTH_SPREAD for one in logs)
    return usual if abs(usual) >= _MONTH_EFFECT and others <= len(logs) // 10 else 0.0


def _month_kinds(day: date) -> Iterator[str]:
    length = calendar.monthrange(day.year, day.month)[1]
    yield f"day {day.day} of the month"
    if length - day.day < _DAYS:
        yield f"day {length - day.day + 1} from the end of the month"
    if day.weekday() < 5:
        after = sum((day + n * _ONE).weekday() < 5 for n in range(1, length - day.day + 1))
        before = sum((day - n * _ONE).weekday() < 5 for n in range(1, day.day))
        if after < _DAYS:
            yield f"business day {after + 1} from the end of the month"
            if day.month % 3 == 0:
                yield f"business day {after + 1} from the end of the quarter"
        if before < _DAYS:
            yield f"business day {before + 1} of the month"
