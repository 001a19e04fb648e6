"""Days and timestamps that some readers of a table cannot show.

Spark's calendar is larger than others: year 0 and years after 9999 break pyarrow, Python and most databases. So silver
rejects a row that contains one, at any depth of a struct, array or map. A timestamp counts by its UTC year, which is
what is stored: 9999-12-31T23:59:59-05:00 is in year 10000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates.expression.depth import flags

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType, StructType

_BOUNDS = {
    "date": ("DATE'0001-01-01'", "DATE'9999-12-31'"),
    "timestamp": ("TIMESTAMP'0001-01-01 00:00:00Z'", "TIMESTAMP'9999-12-31 23:59:59.999999Z'"),
    "timestamp_ntz": ("TIMESTAMP_NTZ'0001-01-01 00:00:00'", "TIMESTAMP_NTZ'9999-12-31 23:59:59.999999'"),
}


def plan(schema: StructType) -> dict[str, Column]:
    """A signature for each column that can contain such a value, with the never-NULL flag of a row that does."""
    return {f"YEAR_OUT_OF_RANGE:{name}": flag for name, flag in flags(schema, _outside).items()}


def _outside(value: Column, kind: DataType) -> Column | None:
    """Whether ``value`` has a year before 1 or after 9999; None if its type holds no time."""
    from pyspark.sql import functions as F

    bounds = _BOUNDS.get(kind.simpleString())
    return None if bounds is None else ~value.between(F.expr(bounds[0]), F.expr(bounds[1]))
