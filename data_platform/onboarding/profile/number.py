"""The numbers of a column: their range, their quantiles, and whether they are whole."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SHARES = {"p01": 0.01, "p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95, "p99": 0.99}


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """``quantiles`` are those of the counted values, which may be a sample; the other figures are exact if they were
    measured of all rows.
    """

    low: float
    high: float
    mean: float | None = None
    deviation: float | None = None
    quantiles: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, counted: Mapping[float, int], *, low: float | None = None, high: float | None = None) -> Numbers | None:
        """None without a finite number. ``low`` and ``high`` are the measured ends, if they are known."""
        finite = {value: rows for value, rows in counted.items() if math.isfinite(value)}
        if not finite:
            return None
        total = sum(finite.values())
        mean = sum(value * rows for value, rows in finite.items()) / total
        variance = sum((value - mean) ** 2 * rows for value, rows in finite.items()) / total
        return cls(
            low=min(finite) if low is None else low,
            high=max(finite) if high is None else high,
            mean=mean,
            deviation=math.sqrt(variance),
            quantiles=_quantiles(finite, total),
        )

    def with_moments(self, mean: float | None, deviation: float | None) -> Numbers:
        return replace(self, mean=mean, deviation=deviation)


def numbers_of(counted: Mapping[str, int]) -> Numbers | None:
    """The numbers among texts; other texts are left out."""
    values: dict[float, int] = {}
    for text, rows in counted.items():
        try:
            value = float(text)
        except ValueError:
            continue
        values[value] = values.get(value, 0) + rows
    return Numbers.of(values)


def _quantiles(counted: Mapping[float, int], total: int) -> dict[str, float]:
    found: dict[str, float] = {}
    seen, waiting = 0, list(SHARES.items())
    for value in sorted(counted):
        seen += counted[value]
        while waiting and seen >= waiting[0][1] * total:
            found[waiting.pop(0)[0]] = value
    return found
