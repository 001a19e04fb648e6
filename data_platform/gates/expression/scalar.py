"""Text into a simple type, without losses, rounding or guesses: of a column, or of a leaf of a nested value.

Spark offers two ways that are both wrong here: ``cast`` ends the job at the first bad value, and ``try_cast`` makes it
NULL, which then looks like an empty field; both round a decimal silently, and take ``2025`` for a date and ``1d`` for a
number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from data_platform.gates.expression.column import never_null

if TYPE_CHECKING:
    from pyspark.sql import Column

_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_PLAIN = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)"
_NUMBER = rf"^{_PLAIN}([eE][+-]?[0-9]+)?$"
_EXPONENT = rf"^{_PLAIN}([eE][+-]?[0-9]{{1,3}})?$"
"""With more digits Spark would make a number of as many, and end the job."""
_NOT_ZERO = r"^[^eE]*[1-9]"
_NOT_FINITE_WORD = r"^[+-]?(?i:nan|inf|infinity)$"
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?"
_OFFSET = r"(Z|[+-][0-9]{2}(:?[0-9]{2})?)"
_FORMS = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), r"^[+-]?[0-9]+$"),
    "date": f"{_DAY}$",
    "timestamp": f"{_DAY}{_CLOCK}{_OFFSET}?$",
    "timestamp_ntz": f"{_DAY}{_CLOCK}$",
}
"""Spark reads ``2025`` and ``2025-1`` as days, and a day as a timestamp; here the text must have the full form."""


class Cause(StrEnum):
    """Why a text is no value of a type."""

    MISMATCH = "another type"
    ROUNDED = "a digit would be lost"
    NOT_FINITE = "NaN or infinite"


@dataclass(frozen=True)
class Scalar:
    """``value`` is of the type; ``broken`` maps causes to never-NULL boolean columns."""

    value: Column
    broken: dict[Cause, Column]


def scalar(text: Column, kind: str, *, exponents: bool = False, rounding: bool = False, zone: str = "UTC") -> Scalar:
    """``text``, which is trimmed and not empty, as ``kind``, which is not STRING.

    ``exponents`` allows decimals such as ``1e3``; ``rounding`` allows more digits than their scale. A TIMESTAMP without
    an offset is a clock time in ``zone``, the session's: one that the clocks skip is invalid, and one that occurs twice
    is the first of the two.
    """
    if match := _DECIMAL.fullmatch(kind):
        return _decimal(text, kind, int(match[2]), exponents=exponents, rounding=rounding)
    return _floating(text, kind) if kind in ("float", "double") else _plain(text, kind, zone)


def _plain(text: Column, kind: str, zone: str) -> Scalar:
    value = text.try_cast(kind)
    unreadable = value.isNull()
    if kind in _FORMS:
        unreadable = unreadable | ~text.rlike(_FORMS[kind])
    if kind == "timestamp" and zone != "UTC":
        unreadable = unreadable | _jumped_over(text, value)
    return Scalar(value, {Cause.MISMATCH: never_null(text.isNotNull() & unreadable)})


def _jumped_over(text: Column, value: Column) -> Column:
    """Where clocks jump, Spark silently moves a time that does not exist by the length of the jump."""
    from pyspark.sql import functions as F

    clock = F.substring(F.regexp_replace(text, "T", " "), 1, 16)
    return ~text.rlike(f"{_OFFSET}$") & (F.date_format(value, "yyyy-MM-dd HH:mm") != clock)


def _decimal(text: Column, kind: str, scale: int, *, exponents: bool, rounding: bool) -> Scalar:
    number = number_of(text, exponents=exponents)
    value = number.try_cast(kind)
    unreadable = value.isNull()
    broken = {Cause.MISMATCH: never_null(text.isNotNull() & unreadable)}
    if not rounding:
        loses_digits = _has_more_places(text, scale, exponents=exponents)
        broken[Cause.ROUNDED] = never_null(value.isNotNull() & loses_digits)
    return Scalar(value, broken)


def _has_more_places(text: Column, scale: int, *, exponents: bool) -> Column:
    """Whether a number has a digit other than 0 behind ``scale`` places.

    Its text is read, because a cast to compare with has at most 38 digits and rounds too.
    """
    from pyspark.sql import functions as F

    plain = text.rlike(rf"\.[0-9]{{{scale}}}0*[1-9]")
    if not exponents:
        return plain
    places = F.length(F.regexp_extract(text, r"\.([0-9]*[1-9])", 1))
    zeros = F.length(F.regexp_extract(text, r"^[^eE.]*[1-9](0*)\.?0*([eE]|$)", 1))
    shift = F.coalesce(F.regexp_extract(text, r"[eE]([+-]?[0-9]+)$", 1).try_cast("int"), F.lit(0))
    return F.when(text.rlike("[eE]"), text.rlike(_NOT_ZERO) & (places - zeros - shift > scale)).otherwise(plain)


def number_of(text: Column, *, exponents: bool) -> Column:
    """``text`` if it is a decimal number in ASCII digits, else NULL: it can be cast without ending the job."""
    from pyspark.sql import functions as F

    return F.when(text.rlike(_EXPONENT if exponents else f"^{_PLAIN}$"), text)


def _floating(text: Column, kind: str) -> Scalar:
    from pyspark.sql import functions as F

    value = text.try_cast(kind)
    is_word = text.rlike(_NOT_FINITE_WORD)
    vanished = (value == 0) & text.rlike(_NOT_ZERO) & ~is_word  # 1e-400
    infinite = F.isnan(value) | (F.abs(value) == F.lit(float("inf")))
    return Scalar(
        value,
        {
            Cause.MISMATCH: never_null(text.isNotNull() & ~is_word & (~text.rlike(_NUMBER) | vanished)),
            Cause.NOT_FINITE: never_null(is_word | (infinite & text.rlike(_NUMBER))),
        },
    )
