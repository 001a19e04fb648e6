"""Numbers that are none: NaN and Infinity, at any depth of a struct, array or map.

Spark takes NaN for larger than every number and equal to itself, so that ``x > 0`` is true of it, and a mean over it
is NaN. So silver rejects a row that holds one, whether text said so or a file of types brought it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates.expression.depth import flags

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType, StructType


def plan(schema: StructType) -> dict[str, Column]:
    """A signature for each column that can hold such a value, with the never-NULL flag of a row that does."""
    return {f"NOT_FINITE:{name}": flag for name, flag in flags(schema, _is_no_number).items()}


def _is_no_number(value: Column, kind: DataType) -> Column | None:
    from pyspark.sql import functions as F

    if kind.simpleString() not in ("float", "double"):
        return None
    return F.isnan(value) | (F.abs(value) == F.lit(float("inf")))
