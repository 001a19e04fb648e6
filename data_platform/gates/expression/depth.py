"""Applies one question to every leaf of a column, at any depth of structs, arrays and maps."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

from data_platform.gates.expression.column import never_null, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyspark.sql import Column
    from pyspark.sql.types import DataType, StructType

Question: TypeAlias = "Callable[[Column, DataType], Column | None]"
"""For a value that is no struct, array or map: a boolean column, or None if the question cannot apply to its type."""


def flags(schema: StructType, question: Question) -> dict[str, Column]:
    """A never-NULL flag for each column with a leaf to which the question applies, true if one answers true."""
    flag_of = {field.name: _any_leaf(quoted(field.name), field.dataType, question) for field in schema.fields}
    return {name: never_null(flag) for name, flag in flag_of.items() if flag is not None}


def _any_leaf(value: Column, kind: DataType, question: Question) -> Column | None:
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType, MapType, StructType

    if isinstance(kind, StructType):
        return _any(_any_leaf(value.getField(field.name), field.dataType, question) for field in kind.fields)
    if isinstance(kind, ArrayType):
        return _any_element(value, kind.elementType, question)
    if isinstance(kind, MapType):
        parts = ((F.map_keys(value), kind.keyType), (F.map_values(value), kind.valueType))
        return _any(_any_element(part, part_kind, question) for part, part_kind in parts)
    return question(value, kind)


def _any_element(values: Column, kind: DataType, question: Question) -> Column | None:
    from pyspark.sql import functions as F

    if _any_leaf(F.lit(None).cast(kind), kind, question) is None:
        return None

    def has_it(element: Column) -> Column:
        flag = _any_leaf(element, kind, question)
        return F.lit(False) if flag is None else never_null(flag)

    return F.exists(values, has_it)


def _any(flags: Iterable[Column | None]) -> Column | None:
    listed = [never_null(flag) for flag in flags if flag is not None]
    return reduce(lambda a, b: a | b, listed) if listed else None
