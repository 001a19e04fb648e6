"""JSON text into STRUCT and ARRAY, by name, with nothing lost: the nested part of ``value``.

Why not ``from_json`` alone: it binds names with regard to case, makes what does not fit NULL, and drops what nobody
declared, all without a word. Here a Python function brings the text into the declared shape with text at its leaves, or
says that it has another; Spark then types each leaf. One value where an ARRAY is declared is a list of one.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column

_NESTED = re.compile(r"(array|struct)<(.*)>")
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?"
_FORMS = {
    **dict.fromkeys(_WHOLE, r"^[+-]?[0-9]+$"),
    **dict.fromkeys(("float", "double"), r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"),
    "decimal": r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$",
    "date": _DAY + "$",
    "timestamp": _DAY + _CLOCK + r"(Z|[+-][0-9]{2}:?[0-9]{2})?$",
    "timestamp_ntz": _DAY + _CLOCK + "$",
    "boolean": "^(?i:true|false)$",
}


@dataclass(frozen=True)
class Shape:
    """A type as a tree: ``kind`` is ``struct``, ``array`` or a leaf's own; ``parts`` lead from names to shapes."""

    kind: str
    parts: tuple[tuple[str, Shape], ...] = ()

    def __str__(self) -> str:
        """The same type with text at its leaves."""
        if self.kind == "struct":
            return f"struct<{','.join(f'`{name}`:{part}' for name, part in self.parts)}>"
        return f"array<{self.parts[0][1]}>" if self.kind == "array" else "string"


class _Number(str):
    __slots__ = ()


class _MisfitError(ValueError):
    """The text has another shape."""


def is_json_type(kind: str) -> bool:
    """Whether text of JSON can become ``kind``, which is in its normal spelling."""
    return _NESTED.fullmatch(kind) is not None and "map<" not in kind


def shape_of(kind: str) -> Shape:
    match = _NESTED.fullmatch(kind)
    if match is None:
        return Shape(kind)
    parts = _split(match[2])
    if match[1] == "array":
        return Shape("array", (("", shape_of(match[2])),))
    named = (part.partition(":") for part in parts)
    return Shape("struct", tuple((name.strip("`"), shape_of(rest)) for name, _, rest in named))


def json_value(name: str, kind: str) -> tuple[Column, Column]:
    """Column ``name`` of JSON text as ``kind``, NULL if it is blank; and whether a row has anything else there."""
    from pyspark.sql import functions as F

    from data_platform.gates.expression.column import never_null, quoted

    shape = shape_of(kind)
    text = F.nullif(F.trim(quoted(name)), F.lit(""))
    fitted = F.udf(lambda found: fit(found, shape), "string")(text)
    parsed = F.from_json(F.concat(F.lit('{"v":'), fitted, F.lit("}")), f"v {shape}")["v"]
    value, broken = _typed(parsed, shape)
    return value, never_null(text.isNotNull() & (fitted.isNull() | broken))


def fit(text: str | None, shape: Shape) -> str | None:
    """``text`` as JSON that has exactly this shape and text at its leaves; None, if it has another."""
    if text is None:
        return None
    try:
        found = json.loads(
            text, parse_int=_Number, parse_float=_Number, parse_constant=_refuse, object_pairs_hook=_members
        )
    except (ValueError, RecursionError):
        if shape.kind != "array" or text.startswith("["):
            return None
        found = text
    if shape.kind == "array" and not isinstance(found, list):
        found = [found]
    try:
        return json.dumps(_fitted(found, shape))
    except (_MisfitError, RecursionError):
        return None


def _fitted(found: Any, shape: Shape) -> Any:
    if found is None:
        return None
    if shape.kind == "array":
        if not isinstance(found, list):
            raise _MisfitError
        return [_fitted(item, shape.parts[0][1]) for item in found]
    if shape.kind == "struct":
        return _fitted_struct(found, shape)
    if isinstance(found, bool):
        return "true" if found else "false"
    if not isinstance(found, str):
        raise _MisfitError
    return str(found) if shape.kind == "string" else (found.strip(" \t\r\n") or None)


def _fitted_struct(found: Any, shape: Shape) -> dict[str, Any]:
    """By name, whatever the case; a name that nobody declared is another shape."""
    if not isinstance(found, dict):
        raise _MisfitError
    given = {name.lower(): value for name, value in found.items()}
    if len(given) < len(found) or given.keys() - {name.lower() for name, _ in shape.parts}:
        raise _MisfitError
    return {name: _fitted(given.get(name.lower()), part) for name, part in shape.parts}


def _typed(value: Column, shape: Shape) -> tuple[Column, Column]:
    """``value``, which has text at its leaves, as the type, and whether a leaf is none of it."""
    from pyspark.sql import functions as F

    from data_platform.gates.expression.column import never_null

    if shape.kind == "array":
        part = shape.parts[0][1]
        broken = F.exists(value, lambda item: never_null(_typed(item, part)[1]))
        return F.transform(value, lambda item: _typed(item, part)[0]), never_null(broken)
    if shape.kind == "struct":
        fields = [(name, *_typed(value[name], part)) for name, part in shape.parts]
        whole = F.struct(*(typed.alias(name) for name, typed, _ in fields))
        none_broken = F.lit(False)
        for _, _, flag in fields:
            none_broken = none_broken | flag
        return F.when(value.isNotNull(), whole), never_null(none_broken)
    if shape.kind == "string":
        return value, F.lit(False)
    return _leaf(value, shape.kind)


def _leaf(given: Column, kind: str) -> tuple[Column, Column]:
    from pyspark.sql import functions as F

    from data_platform.gates.expression.column import never_null

    decimal = kind.startswith("decimal")  # a huge exponent would end the job
    text = F.when(given.rlike(_FORMS["decimal"]), given) if decimal else given
    value = text.try_cast(kind)
    wrong = value.isNull()
    if form := _FORMS.get(kind.split("(")[0]):
        wrong = wrong | ~text.rlike(form)
    if decimal:  # a cast would round
        wrong = wrong | (text.try_cast("decimal(38,18)") != value.cast("decimal(38,18)"))
    if kind in ("float", "double"):
        wrong = wrong | F.isnan(value) | (F.abs(value) == F.lit(float("inf")))
    return value, never_null(given.isNotNull() & F.coalesce(wrong, F.lit(True)))


def _split(text: str) -> Sequence[str]:
    """At the commas outside brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "<(") - (sign in ">)")
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _refuse(text: str) -> Any:
    raise ValueError(text)
