"""JSON text into STRUCT and ARRAY, by name, without losses: the nested part of ``value``.

``from_json`` alone is not enough: it matches names by case, makes values that do not fit NULL, and drops undeclared
members, all silently. Here a Python function converts the text into the declared shape with text at its leaves, or
detects another shape; Spark then types each leaf. A single value for a declared ARRAY is a list of one.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from data_platform.gates.expression.column import never_null, quoted
from data_platform.gates.expression.scalar import Cause, scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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

    @property
    def steps(self) -> tuple[tuple[str, Shape], ...]:
        """``parts`` by the last step of their paths."""
        return (("element", self.parts[0][1]),) if self.kind == "array" else self.parts


@dataclass(frozen=True)
class Place:
    """Where a row may have no value of ``kind`` and why: at ``path`` within the value, empty for the whole value.

    ``kind`` is ``struct`` or ``array`` if the value there has another shape.
    """

    path: str
    kind: str
    cause: Cause


class _Number(str):
    __slots__ = ()


_MISFIT = "!"
"""No JSON begins so."""


class _MisfitError(ValueError):
    """The text has another shape; the message is the path there."""


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


def json_value(
    name: str, kind: str, *, exponents: bool, rounding: bool, zone: str
) -> tuple[Column, dict[Place, Column]]:
    """Column ``name`` of JSON text as ``kind``, NULL if it is blank; and flags of rows with another text, by its place.

    ``exponents``, ``rounding`` and ``zone`` are those of ``scalar``.
    """
    from pyspark.sql import functions as F

    shape = shape_of(kind)
    text = F.nullif(F.trim(quoted(name)), F.lit(""))
    fitted = F.udf(lambda raw: fit(raw, shape), "string")(text)
    json_text = F.when(~fitted.startswith(_MISFIT), fitted)
    parsed = F.from_json(F.concat(F.lit('{"v":'), json_text, F.lit("}")), f"v {shape}")["v"]
    read_leaf = partial(scalar, exponents=exponents, rounding=rounding, zone=zone)
    found = {
        Place(path, part.kind, Cause.MISMATCH): never_null(fitted == F.lit(_MISFIT + path))
        for path, part in _nodes(shape)
    }
    for place, is_broken in _leaves(shape, read_leaf):
        flag = never_null(is_broken(parsed))
        found[place] = found[place] | flag if place in found else flag
    return _typed(parsed, shape, read_leaf), found


def fit(text: str | None, shape: Shape) -> str | None:
    """``text`` as JSON with exactly this shape and text at its leaves; ``!`` and a path if it has another shape there.

    The path of an undeclared member is that of its object: its own name is not declared, and may be a value.
    """
    if text is None:
        return None
    try:
        data = json.loads(
            text, parse_int=_Number, parse_float=_Number, parse_constant=_refuse, object_pairs_hook=_members
        )
    except (ValueError, RecursionError):
        if shape.kind != "array" or text.startswith("["):
            return _MISFIT
        data = text
    if shape.kind == "array" and not isinstance(data, list):
        data = [data]
    try:
        return json.dumps(_fitted(data, shape, ""))
    except _MisfitError as misfit:
        return f"{_MISFIT}{misfit}"
    except RecursionError:
        return _MISFIT


def _fitted(data: Any, shape: Shape, path: str) -> Any:
    if data is None:
        return None
    if shape.kind == "array":
        if not isinstance(data, list):
            raise _MisfitError(path)
        return [_fitted(item, shape.parts[0][1], _below(path, "element")) for item in data]
    if shape.kind == "struct":
        return _fitted_struct(data, shape, path)
    if isinstance(data, bool):
        return "true" if data else "false"
    if not isinstance(data, str):
        raise _MisfitError(path)
    return str(data) if shape.kind == "string" else (data.strip(" \t\r\n") or None)


def _fitted_struct(data: Any, shape: Shape, path: str) -> dict[str, Any]:
    """Matches members by name in any case; an undeclared name is another shape."""
    if not isinstance(data, dict):
        raise _MisfitError(path)
    members = {name.lower(): value for name, value in data.items()}
    if len(members) < len(data) or members.keys() - {name.lower() for name, _ in shape.parts}:
        raise _MisfitError(path)
    return {name: _fitted(members.get(name.lower()), part, _below(path, name)) for name, part in shape.parts}


def _nodes(shape: Shape, path: str = "") -> Iterator[tuple[str, Shape]]:
    yield path, shape
    for step, part in shape.steps:
        yield from _nodes(part, _below(path, step))


def _leaves(shape: Shape, read_leaf: LeafReader, path: str = "") -> Iterator[tuple[Place, Callable[[Column], Column]]]:
    """Each cause for which a leaf that is not text may be broken, and the flag of a value of ``shape`` for it."""
    from pyspark.sql import functions as F

    if not shape.parts and shape.kind != "string":
        for cause in _leaf(F.lit(None).cast("string"), shape.kind, read_leaf).broken:
            yield Place(path, shape.kind, cause), partial(_is_broken, shape.kind, cause, read_leaf)
    for step, part in shape.steps:
        for place, is_broken in _leaves(part, read_leaf, _below(path, step)):
            yield place, partial(_any_item, is_broken) if shape.kind == "array" else partial(_in_field, step, is_broken)


def _is_broken(kind: str, cause: Cause, read_leaf: LeafReader, value: Column) -> Column:
    return _leaf(value, kind, read_leaf).broken[cause]


def _any_item(is_broken: Callable[[Column], Column], value: Column) -> Column:
    from pyspark.sql import functions as F

    return never_null(F.exists(value, lambda item: never_null(is_broken(item))))


def _in_field(name: str, is_broken: Callable[[Column], Column], value: Column) -> Column:
    return is_broken(value[name])


def _below(path: str, step: str) -> str:
    return f"{path}.{step}" if path else step


def _typed(value: Column, shape: Shape, read_leaf: LeafReader) -> Column:
    """``value``, which has text at its leaves, as the type; NULL at leaves that are broken."""
    from pyspark.sql import functions as F

    if shape.kind == "array":
        return F.transform(value, lambda item: _typed(item, shape.parts[0][1], read_leaf))
    if shape.kind == "struct":
        fields = (_typed(value[name], part, read_leaf).alias(name) for name, part in shape.parts)
        return F.when(value.isNotNull(), F.struct(*fields))
    return value if shape.kind == "string" else _leaf(value, shape.kind, read_leaf).value


def _leaf(text: Column, kind: str, read_leaf: LeafReader) -> Scalar:
    """A leaf is read as a column of its type is, except that JSON has one spelling of true and false."""
    found = read_leaf(text, kind)
    if kind != "boolean":
        return found
    misspelled = never_null(~text.rlike(_JSON_BOOLEAN))
    return replace(found, broken={cause: flag | misspelled for cause, flag in found.broken.items()})


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
