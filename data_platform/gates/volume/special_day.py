"""Days on which the rhythm of the week does not hold: holidays with the days beside them, and places in the month.

A kind of day, such as the last business day of a month, changes the volume of some datasets only. So what a kind does
to a dataset is learned from its own deliveries, and a kind whose days differ much from each other teaches nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import date, timedelta
from statistics import median
from typing import TYPE_CHECKING

from data_platform.gates.volume.calendar_place import calendar_places

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

UNSEEN_HOLIDAY, UNSEEN_NEIGHBOUR = 0.35, 0.1
"""How much wider the tolerance is, in log units, on a holiday and on a day beside one, until it was seen twice."""

_LEAST_SEEN, _WELL_KNOWN, _NEWEST = 2, 4, 12
_MONTH_EFFECT = math.log(1.15)
_MONTH_SPREAD, _SPREAD_OF_EFFECT = 0.15, 0.25
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
    _places: dict[str, frozenset[str]] = field(default_factory=dict)
    """By a place, those that each day of it was in so far."""
    _latest: tuple[date, frozenset[str]] | None = None
    _expected: tuple[date, Effect] | None = None
    """The effect of the latest day, until it is learned."""

    def is_holiday(self, day: date) -> bool:
        """Whether ``day`` is a holiday or beside one."""
        return self._holiday(day) is not None

    def effect(self, day: date) -> Effect:
        """What to expect of ``day``, by the days of its kinds that were learned."""
        if self._expected is None or self._expected[0] != day:
            self._expected = day, self._effect(day)
        return self._expected[1]

    def _effect(self, day: date) -> Effect:
        in_month, kinds = self._month_effect(day), self._holiday(day)
        if kinds is None:
            return in_month
        own, any_holiday = (self._logs(kind) for kind in kinds)
        if len(own) >= _LEAST_SEEN:
            on_holiday = _of_holiday(own)
        else:
            unseen = UNSEEN_HOLIDAY if day in self.holidays else UNSEEN_NEIGHBOUR
            on_holiday = _in_between(own or any_holiday[-_LEAST_SEEN:], unseen)
        return on_holiday if in_month.ratio == 1.0 else _either(in_month, on_holiday)

    def learn(self, day: date, ratio: float) -> None:
        """``ratio`` is the day's volume by the usual one of its weekday; more than 0."""
        self._expected, places = None, self._places_of(day)
        for place in places:
            self._places[place] = self._places.get(place, places) & places
        for kind in (*(self._holiday(day) or ()), *places):
            self._seen.setdefault(kind, []).append(math.log(ratio))

    def _places_of(self, day: date) -> frozenset[str]:
        """Those of the latest day are kept: it is judged first, and learned then."""
        if self._latest is None or self._latest[0] != day:
            self._latest = day, frozenset(calendar_places(day, self.holidays))
        return self._latest[1]

    def _logs(self, kind: str) -> list[float]:
        return self._seen.get(kind, [])[-_NEWEST:]

    def _holiday(self, day: date) -> tuple[str, str] | None:
        """The name of the day beside its holiday, and the kind of such days of all holidays."""
        for offset, suffix in ((0, ""), (-1, " + 1 day"), (1, " - 1 day")):
            if name := self.holidays.get(day + offset * _ONE):
                return f"{name}{suffix}", f"any holiday{suffix}"
        return None

    def _month_effect(self, day: date) -> Effect:
        """The strongest effect of the day's places in its month that is the same each time.

        The first days of a place are in other places too, and one of those may be the reason. So until a place is
        well known, and on the first day that is not in all of the others, the rows without the effect are usual too.
        """
        places = self._places_of(day)
        strongest, is_known = 0.0, True
        for place in sorted(places):
            logs = self._logs(place)
            if len(logs) >= _LEAST_SEEN and abs(effect := _steady(logs)) > abs(strongest):
                strongest = effect
                is_known = len(logs) >= _WELL_KNOWN and self._places[place] <= places
        return Effect(math.exp(strongest), 0.0 if is_known else abs(strongest))


def _of_holiday(logs: Sequence[float]) -> Effect:
    usual = median(logs)
    spread = max(abs(one - usual) for one in logs[-_WELL_KNOWN:])
    return Effect(math.exp(usual), min(spread, UNSEEN_HOLIDAY) if len(logs) < 2 * _WELL_KNOWN else 0.0)


def _in_between(logs: Sequence[float], least: float) -> Effect:
    """What was seen once, or of other holidays, is usual, and so is a day that is not special."""
    usual = median(logs) if logs else 0.0
    return Effect(math.exp(usual / 2), max(abs(usual) / 2, least))


def _either(first: Effect, second: Effect) -> Effect:
    """What one of them expects is usual, and all between: a holiday may be the end of a month."""
    apart = abs(math.log(first.ratio / second.ratio)) / 2
    return Effect(math.sqrt(first.ratio * second.ratio), apart + max(first.slack, second.slack))


def _steady(logs: Sequence[float]) -> float:
    """The median, or 0 if it is small, or if the values differ: one in ten may."""
    usual = median(logs)
    spread = max(_MONTH_SPREAD, _SPREAD_OF_EFFECT * abs(usual))
    others = sum(abs(one - usual) > spread for one in logs)
    return usual if abs(usual) >= _MONTH_EFFECT and others <= len(logs) // 10 else 0.0
