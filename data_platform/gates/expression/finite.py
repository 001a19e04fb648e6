"""Values that are not numbers: NaN and Infinity, at any depth of a struct, array or map.

For Spark NaN is larger than every number and equal to itself, so that ``x > 0`` is true for it, and a mean over it is
NaN. So silver rejects a row that contains one, whether it was delivered as text or in a typed file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates.expression.depth import flags

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType, StructType


def plan(schema: StructType) -> dict[str, Column]:
    """A signature for each column that can contain such a value, with the never-NULL flag of a row that does."""
    return {f"NOT_FINITE:{name}": flag for name, flag in flags(schema, _is_no_number).items()}


def _is_no_number(value: Column, kind: DataType) -> Column | None:
    from pyspark.sql import functions as F

    if kind.simpleString() not in ("float", "double"):
        return None
    return F.isnan(value) | (F.abs(value) == F.lit(float("inf")))
