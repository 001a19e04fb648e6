"""What was usual of a number over earlier deliveries: its median, and how far it strayed from it."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_TO_DEVIATION = 1.4826
"""The median distance from the median times this is the standard deviation of a normal distribution."""
_SHARE = 0.95
_BEYOND = 1.5
"""So many times the distance that 95 % of the deliveries kept is usual too: storms and month ends recur."""
STRAYS = 4
"""So many standard deviations from the median are usual."""


@dataclass(frozen=True)
class Usual:
    """``distance`` is how far from ``middle`` is usual."""

    middle: float
    distance: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Usual:
        """One wrong delivery among many ``values`` changes neither number much."""
        middle = median(values)
        distances = sorted(abs(value - middle) for value in values)
        rare = distances[round(_SHARE * (len(distances) - 1))]
        return cls(middle, max(STRAYS * _TO_DEVIATION * median(distances), _BEYOND * rare))

    def width(self, *least: float) -> float:
        """The distance that is usual, and no less than each of ``least``."""
        return max(self.distance, *least)
