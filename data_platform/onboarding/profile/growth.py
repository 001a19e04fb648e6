"""Whether the numbers of a column grow from delivery to delivery, as those do that are given in turn."""

from __future__ import annotations

from statistics import correlation
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAST_DELIVERIES = 5
_GROWS = 0.9
"""The correlation of a number with the place of its delivery from which on it counts as growing, or as shrinking."""


def is_growing(deliveries: Sequence[str], values: Sequence[Any]) -> bool:
    """``values`` are numbers, or texts of numbers, of the rows of ``deliveries``; other values are left out."""
    places = {name: place for place, name in enumerate(sorted(set(deliveries)))}
    if len(places) < _LEAST_DELIVERIES:
        return False
    pairs = [
        (places[name], number) for name, value in zip(deliveries, values, strict=True) for number in _number(value)
    ]
    first, second = [place for place, _ in pairs], [number for _, number in pairs]
    if len(set(first)) < _LEAST_DELIVERIES or len(set(second)) < _LEAST_DELIVERIES:
        return False
    return abs(correlation(first, second)) > _GROWS


def _number(value: Any) -> list[float]:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return []
    return [number] if abs(number) < float("inf") else []
