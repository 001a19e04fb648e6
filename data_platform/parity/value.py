"""Spark expressions that cast one value of each side to one type and compare the two.

``gates.expression.value`` reads text without rounding or guessing. A separate flag marks unreadable values, never NULL,
which is a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext
from enum import IntEnum
from functools import reduce
from typing import TYPE_CHECKING

from data_platform.gates.expression.column import never_null, quoted
from data_platform.gates.expression.value import typed
from data_platform.parity.kind import MOST_DIGITS, digits, is_exact, is_lossless, is_moment, is_number

if TYPE_CHECKING:
    from pyspark.sql import Column

    from data_platform.parity.rule import Rules

_WHITE = " \t\n\r\f\v\u00a0"
_INFINITE = float("inf")
_EPSILON = 2.0**-52
_MICROSECONDS = Decimal(1_000_000)


class Outcome(IntEnum):
    """How two values compare; all from ``DIFFERENT`` on are beyond tolerance."""

    EQUAL = 0
    WITHIN = 1
    DIFFERENT = 2
    NULL_IN_LEGACY = 3
    NULL_IN_NEW = 4
    UNREADABLE = 5


FIRST_BEYOND = Outcome.DIFFERENT.value


@dataclass(frozen=True)
class LegacyValue:
    """``unreadable`` is a flag that is never NULL; None if every value can be read."""

    value: Column
    unreadable: Column | None


@dataclass(frozen=True)
class Compared:
    """``outcome`` is an ``Outcome`` as a number; ``difference`` and ``larger`` of two unequal values are DOUBLE.

    ``difference`` is NULL if it is not finite. ``larger`` is the larger absolute value of two numbers.
    """

    outcome: Column
    difference: Column | None = None
    larger: Column | None = None


def legacy_value(name: str, kind: str, common: str) -> LegacyValue:
    """Returns column ``name`` of type ``kind`` cast to ``common``."""
    column = quoted(name)
    if kind == common:
        return LegacyValue(column, None)
    if kind == "string":
        return _of_text(name, common)
    if is_lossless(kind, common):
        return LegacyValue(column.cast(common), None)
    value = column.try_cast(common)
    back = value.try_cast(kind)
    return LegacyValue(value, never_null(column.isNotNull() & ~back.eqNullSafe(column)))


def _of_text(name: str, common: str) -> LegacyValue:
    read = typed(name, common, exponents=True)
    flags = {
        # NaN and Infinity are values here; a number too large for its type is unreadable.
        signature: flag & quoted(name).rlike("[0-9]") if signature.startswith("NOT_FINITE:") else flag
        for signature, flag in read.broken.items()
    }
    return LegacyValue(read.value, never_null(reduce(lambda a, b: a | b, flags.values())) if flags else None)


def normalised(value: Column, kind: str, rules: Rules) -> Column:
    """Normalises a text by ``rules``; any other value stays as it is."""
    from pyspark.sql import functions as F

    if kind != "string":
        return value
    if rules.trim:
        value = F.btrim(value, F.lit(_WHITE))
    if rules.ignore_case:
        value = F.lower(value)
    return F.nullif(value, F.lit("")) if rules.empty_is_null else value


def compared(legacy: Column, new: Column, unreadable: Column | None, *, name: str, kind: str, rules: Rules) -> Compared:
    """Returns how two values of type ``kind`` in column ``name`` compare."""
    from pyspark.sql import functions as F

    difference = _difference(legacy, new, name=name, kind=kind, rules=rules)
    outcome = F.when(legacy.eqNullSafe(new), _code(Outcome.EQUAL))
    if unreadable is not None:  # checked first: an unreadable value is NULL here
        outcome = F.when(unreadable, _code(Outcome.UNREADABLE)).when(legacy.eqNullSafe(new), _code(Outcome.EQUAL))
    outcome = outcome.when(legacy.isNull(), _code(Outcome.NULL_IN_LEGACY))
    outcome = outcome.when(new.isNull(), _code(Outcome.NULL_IN_NEW))
    if difference.within is not None:
        outcome = outcome.when(never_null(difference.within), _code(Outcome.WITHIN))
    return Compared(outcome.otherwise(_code(Outcome.DIFFERENT)), difference.size, difference.larger)


@dataclass(frozen=True)
class _Difference:
    """The difference of two values that are not equal."""

    within: Column | None = None
    size: Column | None = None
    larger: Column | None = None


def _difference(legacy: Column, new: Column, *, name: str, kind: str, rules: Rules) -> _Difference:
    from pyspark.sql import functions as F

    if is_moment(kind):
        return _moments(legacy, new, rules.seconds.of(name))
    if not is_number(kind):
        return _Difference()
    tolerance, relative = rules.tolerance.of(name), rules.relative.of(name)
    if is_exact(kind):
        difference, within = _exact(legacy, new, kind, tolerance)
    else:
        difference, within = _floating(legacy, new, tolerance)
    larger = F.greatest(F.abs(legacy.cast("double")), F.abs(new.cast("double")))
    size = difference.cast("double")
    if relative:
        near = size <= F.lit(float(relative)) * larger
        within = near if within is None else within | near
    return _Difference(within, size, larger)


def _exact(legacy: Column, new: Column, kind: str, tolerance: Decimal) -> tuple[Column, Column | None]:
    """Computes with decimals only. A number of 38 digits has no exact difference and is beyond any tolerance."""
    from pyspark.sql import functions as F

    whole, scale = digits(kind)
    held = f"decimal({min(whole + scale, MOST_DIGITS - 1)},{scale})"
    difference = F.abs(legacy.try_cast(held) - new.try_cast(held))
    with localcontext(prec=2 * MOST_DIGITS + abs(tolerance.adjusted())):
        # No difference is smaller than the last digit, so further digits of the tolerance have no effect.
        most = tolerance.quantize(Decimal(1).scaleb(-scale), ROUND_FLOOR)
        most = min(most, Decimal(10) ** (MOST_DIGITS - scale) - Decimal(1).scaleb(-scale))
    return difference, difference <= F.lit(f"{most:f}").cast(f"decimal(38,{scale})") if most else None


def _floating(legacy: Column, new: Column, tolerance: Decimal) -> tuple[Column, Column | None]:
    """1.00 and 1.01 as DOUBLE differ by a little more than 0.01; a tolerance allows for this rounding error."""
    from pyspark.sql import functions as F

    legacy, new = legacy.cast("double"), new.cast("double")
    distance = F.abs(legacy - new)
    difference = F.when(distance < F.lit(_INFINITE), distance)  # NaN is larger than any number
    if not tolerance:
        return difference, None
    rounding = F.abs(legacy) * F.lit(_EPSILON) + F.abs(new) * F.lit(_EPSILON)
    return difference, difference <= F.lit(float(tolerance)) + rounding


def _moments(legacy: Column, new: Column, seconds: Decimal) -> _Difference:
    from pyspark.sql import functions as F

    def micros(value: Column) -> Column:
        return F.unix_micros(value.cast("timestamp"))

    distance = F.abs(micros(legacy) - micros(new))
    most = int(seconds * _MICROSECONDS)
    return _Difference(distance <= F.lit(most) if most else None, distance / F.lit(float(_MICROSECONDS)))


def _code(outcome: Outcome) -> Column:
    from pyspark.sql import functions as F

    return F.lit(outcome.value).cast("tinyint")
