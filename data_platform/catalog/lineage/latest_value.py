"""The newest word on each thing, whatever order the words come in.

A ``Said`` leads from a name to ``{"at": time, "value": value}``. Of two words the later one counts, by the time of
its event; at the same time the greater one, so that any order of arrival ends the same. Stored as JSON.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

Said: TypeAlias = dict[str, dict[str, Any]]

LARGEST = 65_536
"""Characters of a value that is kept beside its node or run; the whole of it is in the event."""


def words(at: datetime, values: dict[str, Any]) -> Said:
    """What one event said; None is no word."""
    stamp = at.isoformat(timespec="microseconds")
    return {name: {"at": stamp, "value": _fitting(value)} for name, value in values.items() if value is not None}


def merged(*several: Said) -> Said:
    found: Said = {}
    for said in several:
        for name, word in said.items():
            if name not in found or _rank(word) > _rank(found[name]):
                found[name] = word
    return found


def value_of(said: Said, name: str) -> Any:
    return said[name]["value"] if name in said else None


def without(said: Said, names: Iterable[str]) -> Said:
    left_out = set(names)
    return {name: word for name, word in said.items() if name not in left_out}


def _rank(word: dict[str, Any]) -> tuple[str, str]:
    return word["at"], json.dumps(word["value"], sort_keys=True)


def _fitting(value: Any) -> Any:
    if isinstance(value, str | int | float):
        return value
    size = len(json.dumps(value))
    return value if size <= LARGEST else {"_left_out": f"{size} characters; the event has them"}
