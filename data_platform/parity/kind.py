"""In which type two values are compared, so that neither side is rounded to look like the other.

Whole numbers and decimals meet in a decimal that holds all digits of both; a DOUBLE meets any number as DOUBLE, since
it has no exact decimal; days and moments meet as moments. Text is read as the new side's type. Where no type holds both
sides, the legacy value is cast to the new side's, and one that does not survive the way back is unreadable.
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
"""Digits behind the point that are read from text at least: ``10.005`` is not 10.01 because the new side has two."""


def is_number(kind: str) -> bool:
    return is_exact(kind) or kind in _FLOATING


def is_exact(kind: str) -> bool:
    """A number without rounding: whole or decimal."""
    return kind in _WHOLE_DIGITS or _DECIMAL.fullmatch(kind) is not None


def is_moment(kind: str) -> bool:
    return kind in _MOMENTS


def is_scalar(kind: str) -> bool:
    return kind in _SCALARS or _DECIMAL.fullmatch(kind) is not None


def digits(kind: str) -> tuple[int, int]:
    """Of a whole or decimal number: before and behind the point."""
    if match := _DECIMAL.fullmatch(kind):
        return int(match[1]) - int(match[2]), int(match[2])
    return _WHOLE_DIGITS[kind], 0


def compared_as(legacy: str, new: str) -> str | None:
    """The type that both are brought to; None if their values cannot be compared.

    Values of ``new`` never lose anything on the way but a number that meets a DOUBLE. Those of ``legacy`` may:
    ``is_lossless`` tells.
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
    """Whether each value of ``legacy`` is one of ``common``, the answer of ``compared_as``; text never counts as such.

    A whole or decimal number as DOUBLE counts, as nothing better can be had there.
    """
    legacy = normal_type(legacy)
    if legacy == common or common == "string" or (is_number(legacy) and common == "double"):
        return True
    if is_exact(legacy) and is_exact(common):
        (whole, fraction), (room, scale) = digits(legacy), digits(common)
        return whole <= room and fraction <= scale
    return common in _MOMENTS and (legacy == "date" or legacy in _MOMENTS)


def _has_order(kind: str) -> bool:
    """Spark compares arrays and structs, but no maps, variants or intervals, nor what holds one."""
    return re.match(r"(array|struct)<", kind) is not None and not re.search(r"map<|variant|interval", kind)


def _of_text(new: str) -> str:
    if not _DECIMAL.fullmatch(new):
        return new
    whole, fraction = digits(new)
    # One digit is left over, so that a difference of two such numbers is exact as well.
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
