"""A column of text into its declared type.

An empty field is NULL, and every other text is the value that it denotes or a broken row with a signature. The text
itself stays in bronze. ``scalar`` reads simple types, ``nested`` structs and arrays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data_platform.gates.expression.column import quoted
from data_platform.gates.expression.nested import is_json_type, json_value
from data_platform.gates.expression.scalar import Cause, scalar
from data_platform.model.schema import normal_type

if TYPE_CHECKING:
    from pyspark.sql import Column

    from data_platform.gates.expression.nested import Place

_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")

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


_SHAPES = {
    "struct": "a JSON object with declared members only",
    "array": "a JSON list",
    "string": "one value, and no object or list",
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
    """``value`` is of the declared type; ``broken`` maps signatures to never-NULL boolean columns.

    ``reasons`` has what was expected within a struct or an array, by signature.
    """

    value: Column
    broken: dict[str, Column]
    reasons: dict[str, str] = field(default_factory=dict)


def typed(
    name: str, declared: str, *, exponents: bool = False, rounding: bool = False, zone: str = "UTC"
) -> TypedValue:
    """Column ``name`` of text as ``declared``; surrounding white space is not part of a number or date.

    ``exponents``, ``rounding`` and ``zone`` are those of ``scalar``.
    """
    kind = normal_type(declared)
    if kind == "string":
        return TypedValue(quoted(name), {})
    if is_json_type(kind):
        value, flags = json_value(name, kind, exponents=exponents, rounding=rounding, zone=zone)
        places = {place: _signature(place.cause, *_named(name, kind, place)) for place in flags}
        return TypedValue(
            value,
            {places[place]: flag for place, flag in flags.items()},
            {signature: _reason(place) for place, signature in places.items()},
        )
    found = scalar(_text(name), kind, exponents=exponents, rounding=rounding, zone=zone)
    return TypedValue(found.value, {_signature(cause, name, kind): flag for cause, flag in found.broken.items()})


def _named(name: str, kind: str, place: Place) -> tuple[str, str]:
    """The path of the place, and the type there."""
    return (f"{name}.{place.path}", place.kind) if place.path else (name, kind)


def _reason(place: Place) -> str:
    where = f"at {place.path}: " if place.path else ""
    if place.cause is not Cause.MISMATCH:
        return f"{where}{place.cause}"
    return f"{where}expected {_SHAPES.get(place.kind) or expected_form(place.kind)}"


def _text(name: str) -> Column:
    """The trimmed text, NULL if it is empty."""
    from pyspark.sql import functions as F

    return F.nullif(F.btrim(quoted(name), F.lit(BLANKS)), F.lit(""))


def _signature(cause: Cause, name: str, kind: str) -> str:
    signatures = {
        Cause.MISMATCH: f"TYPE_MISMATCH:{name}:{kind.upper()}",
        Cause.ROUNDED: f"ROUNDED:{name}:{kind.upper()}",
        Cause.NOT_FINITE: f"NOT_FINITE:{name}",
    }
    return signatures[cause]
