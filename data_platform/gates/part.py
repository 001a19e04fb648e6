"""The rows of each declared part of a partition, such as a region: a partition may pass every gate without one of them.

They are counted in the stage's one write and recorded with DQ's verdict. They are no rule: a part that is missing at
the deadline is late.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.gates.expression.column import never_null, quoted

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from pyspark.sql import Column

    from data_platform.model.freshness import Parts

_KIND = "part"


def plan(parts: Parts | None, keep: Column) -> dict[Hashable, Column]:
    """Maps each part to the number of rows to ``keep`` that have its value."""
    if parts is None:
        return {}
    from pyspark.sql import functions as F

    value = quoted(parts.column).cast("string")
    return {(_KIND, part): F.count_if(keep & never_null(value == F.lit(part))) for part in parts.values}


def rows_of(measured: Mapping[Hashable, Any]) -> dict[str, int]:
    """The rows of each part, for the metadata of the verdict."""
    return {name[1]: count or 0 for name, count in measured.items() if isinstance(name, tuple) and name[0] == _KIND}
