"""Chooses the type in which two values are compared, so that no side is rounded to look like the other.

Integers and decimals are compared in a decimal that holds all digits of both; a DOUBLE and any number as DOUBLE, since
it has no exact decimal; dates and timestamps as timestamps. Text is read as the new side's type. If no type holds both
sides, the legacy value is cast to the new side's type, and a value that changes when it is cast back is unreadable.
"""

from __future__ import annotations

import re

from data_platform.model.schema import normal_type

_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_WHOLE_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
_FLOATING = ("float", "double")
_MOMENTS = ("timestamp", "timestamp_ntz")
_SCALARS = {*_WHOLE_DIGITS, *_FLOATING, *_MOMENTS, "date", "boolean", "string", "binary"}
MOST_DIGITS = 38
_FRACTION_OF_TEXT = 18
"""The fewest fraction digits read from text: ``10.005`` does not become 10.01 because the new side has two digits."""


def is_number(kind: str) -> bool:
    return is_exact(kind) or kind in _FLOATING


def is_exact(kind: str) -> bool:
    """Returns whether the type is an integer or decimal, which have no rounding."""
    return kind in _WHOLE_DIGITS or _DECIMAL.fullmatch(kind) is not None


def is_moment(kind: str) -> bool:
    return kind in _MOMENTS


def is_scalar(kind: str) -> bool:
    return kind in _SCALARS or _DECIMAL.fullmatch(kind) is not None


def digits(kind: str) -> tuple[int, int]:
    """Returns the digits of an integer or decimal type, before and after the point."""
    if match := _DECIMAL.fullmatch(kind):
        return int(match[1]) - int(match[2]), int(match[2])
    return _WHOLE_DIGITS[kind], 0


def compared_as(legacy: str, new: str) -> str | None:
    """Returns the type that both are cast to; None if their values cannot be compared.

    The cast never loses anything of a ``new`` value, except of a number compared as DOUBLE. ``is_lossless`` decides it
    for ``legacy`` values.
    """
    legacy, new = normal_type(legacy), normal_type(new)
    if not (is_scalar(legacy) and is_scalar(new)):
        return new if legacy == new and _has_order(new) else None
    if legacy == "string":
        return _of_text(new)
    if legacy == new or new == "string":
        return new
    return _common(legacy, new)


def is_lossless(legacy: str, common: str) -> bool:
    """Returns whether each ``legacy`` value exists in ``common``, the result of ``compared_as``; text never does.

    An integer or decimal as DOUBLE counts as lossless, since there is no better type.
    """
    legacy = normal_type(legacy)
    if legacy == common or common == "string" or (is_number(legacy) and common == "double"):
        return True
    if is_exact(legacy) and is_exact(common):
        (whole, fraction), (room, scale) = digits(legacy), digits(common)
        return whole <= room and fraction <= scale
    return common in _MOMENTS and (legacy == "date" or legacy in _MOMENTS)


def _has_order(kind: str) -> bool:
    """Spark compares arrays and structs, but no maps, variants or intervals, nor types that contain one."""
    return re.match(r"(array|struct)<", kind) is not None and not re.search(r"map<|variant|interval", kind)


def _of_text(new: str) -> str:
    if not _DECIMAL.fullmatch(new):
        return new
    whole, fraction = digits(new)
    # One digit is spare, so that the difference of two such numbers is exact as well.
    scale = max(fraction, min(_FRACTION_OF_TEXT, MOST_DIGITS - 1 - whole))
    return f"decimal({whole + scale},{scale})"


def _common(legacy: str, new: str) -> str | None:
    if is_exact(legacy) and is_exact(new):
        return _exact(legacy, new)
    if is_number(legacy) and is_number(new):
        return "double"
    if {legacy, new} <= {"date", *_MOMENTS}:
        return next(kind for kind in (*reversed(_MOMENTS), "date") if kind in (legacy, new))
    if "boolean" in (legacy, new) and is_number(legacy if new == "boolean" else new):
        return new
    return None


def _exact(legacy: str, new: str) -> str:
    if legacy in _WHOLE_DIGITS and new in _WHOLE_DIGITS:
        return max(legacy, new, key=lambda kind: _WHOLE_DIGITS[kind])
    (whole, fraction), (new_whole, new_fraction) = digits(legacy), digits(new)
    whole, scale = max(whole, new_whole), max(fraction, new_fraction)
    return f"decimal({whole + scale},{scale})" if whole + scale <= MOST_DIGITS else new
