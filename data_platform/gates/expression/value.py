"""Text into the declared type, without losses, rounding or guesses.

Spark offers two ways that are both wrong here: ``cast`` ends the job at the first bad value, and ``try_cast`` makes it
NULL, which then looks like an empty field; both round a decimal silently, and take ``2025`` for a date and ``1d`` for a
number. Here an empty field is NULL, and every other text is the value that it denotes or a broken row with a signature.
The text itself stays in bronze.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.gates.expression.column import never_null, quoted
from data_platform.gates.expression.nested import is_json_type, json_value
from data_platform.model.schema import normal_type

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
_OFFSET = r"(Z|[+-][0-9]{2}:?[0-9]{2})$"
_FORMS = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), r"^[+-]?[0-9]+$"),
    "date": _DAY + "$",
    "timestamp": _DAY + r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?$",
    "timestamp_ntz": _DAY + r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$",
}
"""Spark reads ``2025`` and ``2025-1`` as days, and a day as a timestamp; here the text must have the full form."""


BLANKS = " \t\r\n"
"""Characters that may surround a number or a time."""

MAX_FORM = 40
"""The number of characters of a form that are shown; a longer text is no number and no time."""

_EXPECTED = {
    "date": "####-##-##",
    "timestamp": "####-##-## ##:##:##, with up to six digits of a second after a point, and Z or a zone such as +01:00",
    "timestamp_ntz": "####-##-## ##:##:##, with up to six digits of a second after a point, and no zone",
    "boolean": "true or false, t or f, yes or no, y or n, 1 or 0",
    "float": "a number such as -#.## or #e#",
    "double": "a number such as -#.## or #e#",
}


def expected_form(declared: str) -> str:
    """The form of a value of the type, for people: # is any digit."""
    kind = normal_type(declared)
    if match := _DECIMAL.fullmatch(kind):
        digits = f"at most {match[1]} digits, {match[2]} of them after the point"
        return f"a number such as -#.## with {digits}, the minus in front, and no separator of thousands"
    return _EXPECTED.get(kind, "a whole number such as -##, without a point")


def form_of(text: Column) -> Column:
    """``text`` with # for each digit and one a for letters in a row: 2025-01-06T is ####-##-##a. It shows no value."""
    from pyspark.sql import functions as F

    start = F.trim(text).substr(1, MAX_FORM)
    kept = F.regexp_replace(F.regexp_replace(start, r"\p{Nd}", "#"), r"[\p{L}\p{M}]+", "a")
    # Characters other than digits, letters and the punctuation of numbers and times might reveal a value too.
    return F.regexp_replace(kept, r"[^#a +\-.,:;/'()%$€£_\\]", "?")


@dataclass(frozen=True)
class TypedValue:
    """``value`` is of the declared type; ``broken`` maps signatures to never-NULL boolean columns."""

    value: Column
    broken: dict[str, Column]


def typed(
    name: str, declared: str, *, exponents: bool = False, rounding: bool = False, zone: str = "UTC"
) -> TypedValue:
    """Column ``name`` of text as ``declared``; surrounding white space is not part of a number or date.

    ``exponents`` allows decimals such as ``1e3``; ``rounding`` allows more digits than their scale. A TIMESTAMP without
    an offset is a clock time in ``zone``, the session's: one that the clocks skip is invalid, and one that occurs twice
    is the first of the two.
    """
    kind = normal_type(declared)
    if kind == "string":
        return TypedValue(quoted(name), {})
    if is_json_type(kind):
        value, broken = json_value(name, kind)
        return TypedValue(value, {_mismatch(name, kind): broken})
    if match := _DECIMAL.fullmatch(kind):
        return _decimal(name, kind, int(match[1]) - int(match[2]), exponents=exponents, rounding=rounding)
    if kind in ("float", "double"):
        return _floating(name, kind)
    return _plain(name, kind, zone)


def _plain(name: str, kind: str, zone: str) -> TypedValue:
    text = _text(name)
    value = text.try_cast(kind)
    unreadable = value.isNull()
    if kind in _FORMS:
        unreadable = unreadable | ~text.rlike(_FORMS[kind])
    if kind == "timestamp" and zone != "UTC":
        unreadable = unreadable | _jumped_over(text, value)
    return TypedValue(value, {_mismatch(name, kind): never_null(text.isNotNull() & unreadable)})


def _jumped_over(text: Column, value: Column) -> Column:
    """Where clocks jump, Spark silently moves a time that does not exist by the length of the jump."""
    from pyspark.sql import functions as F

    clock = F.substring(F.regexp_replace(text, "T", " "), 1, 16)
    return ~text.rlike(_OFFSET) & (F.date_format(value, "yyyy-MM-dd HH:mm") != clock)


def _decimal(name: str, kind: str, whole_digits: int, *, exponents: bool, rounding: bool) -> TypedValue:
    text = _text(name)
    number = number_of(text, exponents=exponents)
    value = number.try_cast(kind)
    unreadable = value.isNull()
    broken = {_mismatch(name, kind): never_null(text.isNotNull() & unreadable)}
    if not rounding:
        exact = number.try_cast(f"decimal(38,{38 - whole_digits})")
        broken[f"ROUNDED:{name}:{kind.upper()}"] = never_null(value.isNotNull() & (exact != value))
    return TypedValue(value, broken)


def number_of(text: Column, *, exponents: bool) -> Column:
    """``text`` if it is a decimal number in ASCII digits, else NULL: it can be cast without ending the job."""
    from pyspark.sql import functions as F

    return F.when(text.rlike(_EXPONENT if exponents else f"^{_PLAIN}$"), text)


def _floating(name: str, kind: str) -> TypedValue:
    from pyspark.sql import functions as F

    text = _text(name)
    value = text.try_cast(kind)
    is_word = text.rlike(_NOT_FINITE_WORD)
    vanished = (value == 0) & text.rlike(_NOT_ZERO) & ~is_word  # 1e-400
    infinite = F.isnan(value) | (F.abs(value) == F.lit(float("inf")))
    return TypedValue(
        value,
        {
            _mismatch(name, kind): never_null(text.isNotNull() & ~is_word & (~text.rlike(_NUMBER) | vanished)),
            f"NOT_FINITE:{name}": never_null(is_word | (infinite & text.rlike(_NUMBER))),
        },
    )


def _text(name: str) -> Column:
    """The trimmed text, NULL if it is empty."""
    from pyspark.sql import functions as F

    return F.nullif(F.btrim(quoted(name), F.lit(BLANKS)), F.lit(""))


def _mismatch(name: str, kind: str) -> str:
    return f"TYPE_MISMATCH:{name}:{kind.upper()}"
