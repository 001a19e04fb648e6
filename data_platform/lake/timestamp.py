"""Rewrites the files of a table that store timestamps as INT96, which only Spark always reads correctly.

Spark writes INT96 by default, and did so in this platform's tables until it set
``spark.sql.parquet.outputTimestampType``. delta-rs and pyarrow read INT96 as nanoseconds, whose range is 1677 to 2262:
9999-12-31 becomes a day in 1816.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from data_platform.errors import ConservationError
from data_platform.lake.commit import note_text
from data_platform.lake.conflict import conflicts_as_ours

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pyspark.sql import DataFrame

    from data_platform.lake.table import LakeTable

_TIMESTAMP = re.compile(r"\btimestamp\b")  # an instant: TIMESTAMP_NTZ was never INT96


def has_timestamps(table: LakeTable) -> bool:
    return any(_TIMESTAMP.search(column.type) for column in table.schema().columns)


def rewrite_timestamps(table: LakeTable, note: Mapping[str, Any]) -> int | None:
    """Rewrite every live file in one commit that changes no row; return the new version, None if there was no row.

    The rows are compared by count and by an order-independent sum of row hashes; if they differ, the commit is rolled
    back.

    Raises:
        ConservationError: The rewritten rows are not the same. The commit was rolled back.
        ConflictError: Another writer changed the table at the same time. Nothing was rewritten.
    """
    before = table.version()
    wanted = _digest(table.at(before))
    if not wanted[0]:
        return None
    writer = table.at(before).write.format("delta").mode("overwrite").option("dataChange", "false")
    with conflicts_as_ours(table.path):
        writer.option("userMetadata", note_text(note)).save(table.path)
    after = table.version()
    if _digest(table.at(after)) != wanted:
        table.restore(before, {**note, "kind": "restore"})
        raise ConservationError(
            f"{table.path}: v{after}, which was to store the timestamps of v{before} as microseconds, has other rows; "
            "it was rolled back"
        )
    return after


def _digest(rows: DataFrame) -> tuple[int, str]:
    from pyspark.sql import functions as F

    values = (
        F.to_json(F.struct(F.col(_quoted(n)))) if _is_unhashable(kind) else F.col(_quoted(n)) for n, kind in rows.dtypes
    )
    hashed = rows.select(F.xxhash64(*values).cast("decimal(38,0)").alias("hash"))
    row = hashed.agg(F.count("*").alias("rows"), F.sum("hash").alias("sum")).collect()[0]
    return int(row["rows"]), str(row["sum"])


def _is_unhashable(kind: str) -> bool:
    return "map<" in kind or "variant" in kind


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
