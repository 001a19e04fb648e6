"""Column expressions that every gate uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column
    from pyspark.sql.types import DataType, StructType


def quoted(name: str) -> Column:
    """The column of exactly this name: ``a.b`` is one column, not a field of ``a``."""
    from pyspark.sql import functions as F

    return F.col("`" + name.replace("`", "``") + "`")


def never_null(broken: Column) -> Column:
    """``broken``, and false where it is NULL: for rules that do not judge a NULL."""
    from pyspark.sql import functions as F

    return F.coalesce(broken, F.lit(False))


def field_at(schema: StructType, path: Sequence[str]) -> Column:
    """The column ``path[0]`` of rows of ``schema``, or the field of a struct in it, as far as ``path`` leads there."""
    from pyspark.sql.types import StructType

    value, kind = quoted(path[0]), _kind_of(schema, path[0])
    for step in path[1:]:
        if not isinstance(kind, StructType) or (inner := _kind_of(kind, step)) is None:
            break
        value, kind = value.getField(step), inner
    return value


def _kind_of(struct: StructType, name: str) -> DataType | None:
    return next((field.dataType for field in struct.fields if field.name.lower() == name.lower()), None)
