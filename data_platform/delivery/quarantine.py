"""Rows that failed a gate, kept so that nothing is lost and any of it can be replayed.

A run that sets rows aside writes one table, ``quarantine/<table>_<yyyymmdd>_run_<id>``: the rows' own
columns, all nullable, and those below. Text of a delivery stays text here, also where silver wants a
number, since the text that is no number is what one wants to see. Personal values were remediated
before the rows came here.

A row is never corrected here. The next run of its batch judges it again, by the policy of that day, and
writes a table of its own. A row counts as resolved when the same key was accepted in the run that set it
aside: a corrected record was delivered beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from pyspark.sql import Column, DataFrame

    from data_platform.lake.table import LakeTable

VIOLATIONS = "_violations"
RESOLVED = "_resolved"


def set_aside(
    table: LakeTable,
    rows: DataFrame,
    *,
    run_id: str,
    delivery_id: str,
    rejected_at: datetime,
    note: Mapping[str, object],
) -> int:
    """Write ``rows`` to the quarantine table of this run, in place of what is there; say how many there were.

    Rows without ``_violations`` get an empty list: the batch was held, not the row.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructField, StructType

    if VIOLATIONS not in rows.columns:
        rows = rows.withColumn(VIOLATIONS, F.array().cast("array<string>"))
    if RESOLVED not in rows.columns:
        rows = rows.withColumn(RESOLVED, F.lit(False))
    violations = F.coalesce(F.col(VIOLATIONS), F.array().cast("array<string>"))
    rows = rows.withColumn(VIOLATIONS, violations).select(
        "*",
        F.lit(run_id).alias("_run_id"),
        F.lit(delivery_id).alias("_delivery_id"),
        F.lit(rejected_at).alias("_rejected_at"),
    )
    table.create(StructType([StructField(f.name, f.dataType) for f in rows.schema.fields]))
    commit = table.replace(rows, note)
    return commit.rows if commit else 0


def resolve(rejected: DataFrame, accepted: DataFrame, key: Sequence[Column]) -> DataFrame:
    """``rejected`` with ``_resolved``: whether ``accepted`` has a row of the same ``key``, compared as text."""
    from pyspark.sql import functions as F

    names = [f"_k{position}" for position in range(len(key))]
    there = accepted.select(*(column.cast("string").alias(name) for column, name in zip(key, names, strict=True)))
    same = [column.cast("string") == F.col(name) for column, name in zip(key, names, strict=True)]
    joined = rejected.join(there.distinct().withColumn(RESOLVED, F.lit(True)), same, "left")
    return joined.withColumn(RESOLVED, F.coalesce(F.col(RESOLVED), F.lit(False))).drop(*names)


def reasons(table: LakeTable, limit: int = 100) -> dict[str, int]:
    """Signature to rows, the most rows first; a row with several violations counts for each."""
    from pyspark.sql import functions as F

    rows = table.rows().select(F.explode(VIOLATIONS).alias("signature")).groupBy("signature").count()
    found = rows.orderBy(F.desc("count"), "signature").limit(limit).collect()
    return {row["signature"]: row["count"] for row in found}


def samples(table: LakeTable, limit: int = 5) -> list[dict[str, object]]:
    """Where some of the rows stand in their delivery, and what they break; none of their values."""
    rows = table.rows()
    places = [name for name in ("_file", "_line") if name in rows.columns]
    return [row.asDict() for row in rows.select(*places, VIOLATIONS).limit(limit).collect()]


def resolved(table: LakeTable) -> int:
    return table.rows().where(RESOLVED).count()
