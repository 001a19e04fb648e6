"""JSON text into STRUCT and ARRAY, by name, without losses: the nested part of ``value``.

``from_json`` alone is not enough: it matches names by case, makes values that do not fit NULL, and drops undeclared
members, all silently. Here a Python function converts the text into the declared shape with text at its leaves, or
detects another shape; Spark then types each leaf. A single value for a declared ARRAY is a list of one.
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
    """A type as a tree: ``kind`` is ``struct``, ``array`` or a leaf's own; ``parts`` map names to shapes."""

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
    """Whether JSON text can become ``kind``, which is in its normal spelling."""
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
    """Column ``name`` of JSON text as ``kind``, NULL if it is blank; and whether a row has any other text there."""
    from pyspark.sql import functions as F

    from data_platform.gates.expression.column import never_null, quoted

    shape = shape_of(kind)
    text = F.nullif(F.trim(quoted(name)), F.lit(""))
    fitted = F.udf(lambda raw: fit(raw, shape), "string")(text)
    parsed = F.from_json(F.concat(F.lit('{"v":'), fitted, F.lit("}")), f"v {shape}")["v"]
    value, broken = _typed(parsed, shape)
    return value, never_null(text.isNotNull() & (fitted.isNull() | broken))


def fit(text: str | None, shape: Shape) -> str | None:
    """``text`` as JSON with exactly this shape and text at its leaves; None if it has another shape."""
    if text is None:
        return None
    try:
        data = json.loads(
            text, parse_int=_Number, parse_float=_Number, parse_constant=_refuse, object_pairs_hook=_members
        )
    except (ValueError, RecursionError):
        if shape.kind != "array" or text.startswith("["):
            return None
        data = text
    if shape.kind == "array" and not isinstance(data, list):
        data = [data]
    try:
        return json.dumps(_fitted(data, shape))
    except (_MisfitError, RecursionError):
        return None


def _fitted(data: Any, shape: Shape) -> Any:
    if data is None:
        return None
    if shape.kind == "array":
        if not isinstance(data, list):
            raise _MisfitError
        return [_fitted(item, shape.parts[0][1]) for item in data]
    if shape.kind == "struct":
        return _fitted_struct(data, shape)
    if isinstance(data, bool):
        return "true" if data else "false"
    if not isinstance(data, str):
        raise _MisfitError
    return str(data) if shape.kind == "string" else (data.strip(" \t\r\n") or None)


def _fitted_struct(data: Any, shape: Shape) -> dict[str, Any]:
    """Matches members by name in any case; an undeclared name is another shape."""
    if not isinstance(data, dict):
        raise _MisfitError
    members = {name.lower(): value for name, value in data.items()}
    if len(members) < len(data) or members.keys() - {name.lower() for name, _ in shape.parts}:
        raise _MisfitError
    return {name: _fitted(members.get(name.lower()), part) for name, part in shape.parts}


def _typed(value: Column, shape: Shape) -> tuple[Column, Column]:
    """``value``, which has text at its leaves, as the type, and whether a leaf is not of its type."""
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


def _leaf(text_value: Column, kind: str) -> tuple[Column, Column]:
    from pyspark.sql import functions as F

    from data_platform.gates.expression.column import never_null

    decimal = kind.startswith("decimal")  # a huge exponent would end the job
    text = F.when(text_value.rlike(_FORMS["decimal"]), text_value) if decimal else text_value
    value = text.try_cast(kind)
    wrong = value.isNull()
    if form := _FORMS.get(kind.split("(")[0]):
        wrong = wrong | ~text.rlike(form)
    if decimal:  # a cast would round
        wrong = wrong | (text.try_cast("decimal(38,18)") != value.cast("decimal(38,18)"))
    if kind in ("float", "double"):
        wrong = wrong | F.isnan(value) | (F.abs(value) == F.lit(float("inf")))
    return value, never_null(text_value.isNotNull() & F.coalesce(wrong, F.lit(True)))


def _split(text: str) -> Sequence[str]:
    """Splits at the commas outside brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "<(") - (sign in ">)")
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name appears twice")
    return members


def _refuse(text: str) -> Any:
    raise ValueError(text)
