"""Keeps the latest value under each name, whatever the order of events.

``LatestValues`` maps a name to ``{"at": time, "value": value}``. The value of the later event counts; at the same time
the greater value, so that the result does not depend on the order of arrival. It is stored as JSON.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

LatestValues: TypeAlias = dict[str, dict[str, Any]]

LARGEST = 65_536
"""The most characters of a value stored with its node or run; the event has the full value."""


def stamped(at: datetime, values: dict[str, Any]) -> LatestValues:
    """Stamps the values of one event with its time; None values are left out."""
    stamp = at.isoformat(timespec="microseconds")
    return {name: {"at": stamp, "value": _fitting(value)} for name, value in values.items() if value is not None}


def merged(*several: LatestValues) -> LatestValues:
    latest: LatestValues = {}
    for values in several:
        for name, entry in values.items():
            if name not in latest or _rank(entry) > _rank(latest[name]):
                latest[name] = entry
    return latest


def value_of(latest: LatestValues, name: str) -> Any:
    return latest[name]["value"] if name in latest else None


def without(values: LatestValues, names: Iterable[str]) -> LatestValues:
    left_out = set(names)
    return {name: entry for name, entry in values.items() if name not in left_out}


def _rank(entry: dict[str, Any]) -> tuple[str, str]:
    return entry["at"], json.dumps(entry["value"], sort_keys=True)


def _fitting(value: Any) -> Any:
    if isinstance(value, str | int | float):
        return value
    size = len(json.dumps(value))
    return value if size <= LARGEST else {"_left_out": f"{size} characters; the event has them"}
