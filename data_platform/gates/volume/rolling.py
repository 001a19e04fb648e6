"""The rolling rule: mean and standard deviation of the seven deliveries before the one that is judged.

A delivery is unusual if it is more than the threshold away from the mean and outside two standard deviations.
"""

from __future__ import annotations

from collections import deque
from statistics import fmean, pstdev

from data_platform.model.volume import UsualRows

DELIVERIES = 7
_DEVIATIONS = 2


class RollingRule:
    def __init__(self, threshold_pct: float) -> None:
        self._share = threshold_pct / 100
        self._rows: deque[int] = deque(maxlen=DELIVERIES)

    def expect(self) -> UsualRows | None:
        """None while fewer than seven deliveries were learned."""
        if len(self._rows) < DELIVERIES:
            return None
        mean = fmean(self._rows)
        width = max(_DEVIATIONS * pstdev(self._rows), self._share * mean)
        return UsualRows(mean, mean - width, mean + width)

    def learn(self, rows: int) -> None:
        self._rows.append(rows)
