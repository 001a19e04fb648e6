"""Our frozen values as JSON's own kinds, for the command line, the service and Dagster's metadata alike."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any

_ITSELF = frozenset({str, int, bool, type(None)})
"""Types that JSON has; a subtype, such as a partition's key, is converted."""
_NAMES: dict[tuple[type, bool], tuple[str, ...]] = {}
"""What is shown of each type, found once."""


def plain(value: Any, *, hidden: frozenset[str] = frozenset(), computed: bool = False) -> Any:
    """Times become texts in ISO form, and so does what JSON has no word for, such as a decimal or a NaN.

    Fields named in ``hidden`` become None, unless they hold a list. With ``computed`` the properties of a dataclass,
    such as the length of a run, are there too.
    """
    kind = type(value)
    if kind in _ITSELF:
        return value
    if names := _names(kind, computed):
        return {name: _named(name, getattr(value, name), hidden, computed) for name in names}
    if isinstance(value, dict):
        return {str(name): _named(str(name), part, hidden, computed) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part, hidden=hidden, computed=computed) for part in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {}  # without a field
    return _scalar(value)


def properties(kind: type) -> tuple[str, ...]:
    """The names of the values that a type computes."""
    return tuple(name for name, member in vars(kind).items() if isinstance(member, property))


def _named(name: str, part: Any, hidden: frozenset[str], computed: bool) -> Any:  # noqa: FBT001 - a private part
    if type(part) in _ITSELF and name not in hidden:
        return part
    if name in hidden and not isinstance(part, list | tuple):
        return None
    return plain(part, hidden=hidden, computed=computed)


def _names(kind: type, computed: bool) -> tuple[str, ...]:  # noqa: FBT001
    """The fields of a dataclass, with its properties if ``computed``; none of another type."""
    known = _NAMES.get((kind, computed))
    if known is None:
        own = tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
        computing = properties(kind) if computed and is_dataclass(kind) else ()
        known = _NAMES[kind, computed] = (*own, *computing)
    return known


def _scalar(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):  # a datetime is one too
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, int | float | bool) else str(value)  # a partition's key too
