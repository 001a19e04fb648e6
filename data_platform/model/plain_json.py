"""Our frozen values as JSON's own kinds, for the command line, the service and Dagster's metadata alike."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any


def plain(value: Any, *, hidden: frozenset[str] = frozenset(), computed: bool = False) -> Any:
    """Times become texts in ISO form, and so does what JSON has no word for, such as a decimal or a NaN.

    Fields named in ``hidden`` become None, unless they hold a list. With ``computed`` the properties of a dataclass,
    such as the length of a run, are there too.
    """

    def named(name: str, part: Any) -> Any:
        is_hidden = name in hidden and not isinstance(part, list | tuple)
        return None if is_hidden else plain(part, hidden=hidden, computed=computed)

    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)] + list(properties(type(value)) if computed else ())
        return {name: named(name, getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {str(name): named(str(name), part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part, hidden=hidden, computed=computed) for part in value]
    return _scalar(value)


def properties(kind: type) -> tuple[str, ...]:
    """The names of the values that a type computes."""
    return tuple(name for name, member in vars(kind).items() if isinstance(member, property))


def _scalar(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):  # a datetime is one too
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, int | float | bool) else str(value)  # a partition's key too
