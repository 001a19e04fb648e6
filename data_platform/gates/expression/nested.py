"""JSON text into STRUCT and ARRAY, by name, without losses: the nested part of ``value``.

``from_json`` alone is not enough: it matches names by case, makes values that do not fit NULL, and drops undeclared
members, all silently. Here a Python function converts the text into the declared shape with text at its leaves, or
detects another shape; Spark then types each leaf. A single value for a declared ARRAY is a list of one.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, TypeAlias

from data_platform.gates.expression.column import never_null, quoted
from data_platform.gates.expression.scalar import scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import Column

    from data_platform.gates.expression.scalar import Scalar

    LeafReader: TypeAlias = Callable[[Column, str], Scalar]

_NESTED = re.compile(r"(array|struct)<(.*)>")
_JSON_BOOLEAN = "^(?i:true|false)$"


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


def json_value(name: str, kind: str, *, exponents: bool, rounding: bool, zone: str) -> tuple[Column, Column]:
    """Column ``name`` of JSON text as ``kind``, NULL if it is blank; and whether a row has any other text there.

    ``exponents``, ``rounding`` and ``zone`` are those of ``scalar``.
    """
    from pyspark.sql import functions as F

    shape = shape_of(kind)
    text = F.nullif(F.trim(quoted(name)), F.lit(""))
    fitted = F.udf(lambda raw: fit(raw, shape), "string")(text)
    parsed = F.from_json(F.concat(F.lit('{"v":'), fitted, F.lit("}")), f"v {shape}")["v"]
    read_leaf = partial(scalar, exponents=exponents, rounding=rounding, zone=zone)
    value, broken = _typed(parsed, shape, read_leaf)
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


def _typed(value: Column, shape: Shape, read_leaf: LeafReader) -> tuple[Column, Column]:
    """``value``, which has text at its leaves, as the type, and whether a leaf is not of its type."""
    from pyspark.sql import functions as F

    if shape.kind == "array":
        part = shape.parts[0][1]
        broken = F.exists(value, lambda item: never_null(_typed(item, part, read_leaf)[1]))
        return F.transform(value, lambda item: _typed(item, part, read_leaf)[0]), never_null(broken)
    if shape.kind == "struct":
        fields = [(name, *_typed(value[name], part, read_leaf)) for name, part in shape.parts]
        whole = F.struct(*(typed.alias(name) for name, typed, _ in fields))
        none_broken = F.lit(False)
        for _, _, flag in fields:
            none_broken = none_broken | flag
        return F.when(value.isNotNull(), whole), never_null(none_broken)
    if shape.kind == "string":
        return value, F.lit(False)
    return _leaf(value, shape.kind, read_leaf)


def _leaf(text: Column, kind: str, read_leaf: LeafReader) -> tuple[Column, Column]:
    """A leaf is read as a column of its type is, except that JSON has one spelling of true and false."""
    found = read_leaf(text, kind)
    broken = reduce(lambda one, other: one | other, found.broken.values())
    if kind == "boolean":
        broken = broken | never_null(~text.rlike(_JSON_BOOLEAN))
    return found.value, broken


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
