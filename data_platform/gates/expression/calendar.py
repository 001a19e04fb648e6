"""Days and moments that not every reader of a table can show.

Spark's calendar is larger than that of others: year 0 and years after 9999 break pyarrow, Python and most databases.
So silver rejects a row that holds one, at any depth of a struct, array or map. A moment counts by its UTC year, since
that is what is stored: 9999-12-31T23:59:59-05:00 is in year 10000.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from data_platform.gates.expression.column import never_null, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import Column
    from pyspark.sql.types import DataType, StructType

_BOUNDS = {
    "date": ("DATE'0001-01-01'", "DATE'9999-12-31'"),
    "timestamp": ("TIMESTAMP'0001-01-01 00:00:00Z'", "TIMESTAMP'9999-12-31 23:59:59.999999Z'"),
    "timestamp_ntz": ("TIMESTAMP_NTZ'0001-01-01 00:00:00'", "TIMESTAMP_NTZ'9999-12-31 23:59:59.999999'"),
}


def plan(schema: StructType) -> dict[str, Column]:
    """A signature for each column that can hold such a value, with the never-NULL flag of a row that does."""
    found = {field.name: _outside(quoted(field.name), field.dataType) for field in schema.fields}
    return {f"YEAR_OUT_OF_RANGE:{name}": never_null(flag) for name, flag in found.items() if flag is not None}


def _outside(value: Column, kind: DataType) -> Column | None:
    """Whether ``value`` has a year before 1 or after 9999; None if its type holds no time."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType, MapType, StructType

    if isinstance(kind, StructType):
        return _any(_outside(value.getField(field.name), field.dataType) for field in kind.fields)
    if isinstance(kind, ArrayType):
        return _any_element(value, kind.elementType)
    if isinstance(kind, MapType):
        parts = ((F.map_keys(value), kind.keyType), (F.map_values(value), kind.valueType))
        return _any(_any_element(part, part_kind) for part, part_kind in parts)
    bounds = _BOUNDS.get(kind.simpleString())
    return None if bounds is None else ~value.between(F.expr(bounds[0]), F.expr(bounds[1]))


def _any_element(values: Column, kind: DataType) -> Column | None:
    from pyspark.sql import functions as F

    if _outside(F.lit(None).cast(kind), kind) is None:
        return None

    def is_outside(element: Column) -> Column:
        flag = _outside(element, kind)
        return F.lit(False) if flag is None else never_null(flag)

    return F.exists(values, is_outside)


def _any(flags: Iterable[Column | None]) -> Column | None:
    found = [never_null(flag) for flag in flags if flag is not None]
    return reduce(lambda a, b: a | b, found) if found else None
