"""A value of a pandas frame as a value of its declared type, or none: nothing is rounded or guessed.

NaN is NULL here, as everywhere in pandas.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

from data_platform.model.nested_type import is_nested

MISFIT: Final = object()
"""Stands for a value that is not of the declared type."""

BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")

Reader = Callable[[Any], Any]


def reader(kind: str, zone: str) -> Reader:
    """Returns a function from a value to one of type ``kind``: None for NULL, ``MISFIT`` if it is of another type.

    A time without an offset is a clock time in ``zone``; an instant is returned in UTC.
    """
    if kind in BITS:
        limit = 1 << (BITS[kind] - 1)
        read: Reader = lambda value: _whole(value, limit)  # noqa: E731 - as the others
    elif match := _DECIMAL.fullmatch(kind):
        precision, scale = int(match[1]), int(match[2])
        read = lambda value: _decimal(value, precision, scale)  # noqa: E731
    elif kind == "timestamp":
        place = ZoneInfo(zone)
        read = lambda value: _instant(value, place)  # noqa: E731
    else:
        read = _READERS["nested" if is_nested(kind) else kind]
    return _of_pandas(read)


def _of_pandas(read: Reader) -> Reader:
    """``read`` of a value as pandas has it: with its own NULLs, times and numbers."""
    import numpy as np
    import pandas as pd

    missing, moment, generic = (pd.NA, pd.NaT), pd.Timestamp, np.generic

    def value_of(value: Any) -> Any:
        if isinstance(value, generic):
            value = value.item()
        if value is None or value is missing[0] or value is missing[1] or (isinstance(value, float) and value != value):
            return None
        return read(value.floor("us").to_pydatetime() if isinstance(value, moment) else value)

    return value_of


def _whole(value: Any, limit: int) -> Any:
    if isinstance(value, float) and value.is_integer():  # pandas makes a column of numbers with NULL one of floats
        value = int(value)
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole and -limit <= value < limit else MISFIT


def _decimal(value: Any, precision: int, scale: int) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return MISFIT
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite():
        return MISFIT
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)  # noqa: S101 - of a finite number
    text = "".join(map(str, digits)).lstrip("0")
    spare = len(text) - len(text.rstrip("0"))
    fits = not text or (-(exponent + spare) <= scale and len(text) + exponent <= precision - scale)
    return number if fits else MISFIT


def _floating(value: Any) -> Any:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else MISFIT


def _day(value: Any) -> Any:
    if isinstance(value, datetime):
        midnight = value.tzinfo is None and (value.hour, value.minute, value.second, value.microsecond) == (0, 0, 0, 0)
        return value.date() if midnight else MISFIT
    return value if isinstance(value, date) else MISFIT


def _instant(value: Any, zone: ZoneInfo) -> Any:
    if not isinstance(value, datetime):
        return MISFIT
    try:
        return (value if value.tzinfo else value.replace(tzinfo=zone)).astimezone(UTC)
    except OverflowError:  # its UTC year is not 1 to 9999
        return MISFIT


def _clock_time(value: Any) -> Any:
    return value if isinstance(value, datetime) and value.tzinfo is None else MISFIT


def _of(*kinds: type) -> Reader:
    return lambda value: value if isinstance(value, kinds) else MISFIT


def _nested(value: Any) -> Any:
    return MISFIT if isinstance(value, str | bytes | int | float | Decimal | date) else value


_READERS: dict[str, Reader] = {
    "string": _of(str),
    "boolean": _of(bool),
    "binary": _of(bytes, bytearray),
    "float": _floating,
    "double": _floating,
    "date": _day,
    "timestamp_ntz": _clock_time,
    "nested": _nested,
}


def enum_text(kind: str) -> Callable[[Any], str] | None:
    """The text of a value as Spark casts it; None if Python's may differ."""
    if kind == "string":
        return str
    if kind in BITS:
        return str
    if kind == "boolean":
        return lambda value: str(value).lower()
    if kind == "date":
        return lambda value: str(value.isoformat())
    match = _DECIMAL.fullmatch(kind)
    if match and int(match[2]) <= 6:  # beyond, Spark writes small numbers with an exponent
        return lambda value: f"{value:.{match[2]}f}"
    return None
