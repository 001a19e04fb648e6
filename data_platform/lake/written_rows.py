"""Reads the rows that one commit wrote, from the files that it names.

To read a version, Delta first computes which files are part of it, in three Spark jobs, again for each new version. A
commit that replaced a whole partition or a whole table names exactly the files of that in its own log entry, so the
stage after it needs no such job. Delta itself reads the files, with the columns, the types and the deletion vectors of
the table; a file that is gone is an error as ever.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from data_platform.lake.commit import log_texts, parse_note, snapshot

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from data_platform.lake.partition import Slice

MOST_FILES = 100
"""The log of a commit with more files is long to read here, and its table is large: Delta's jobs are little of it."""


def written_rows(spark: SparkSession, path: str, version: int, only: Slice | None) -> DataFrame | None:
    """The rows of ``only``, or of the whole table, at ``version``, which the platform itself wrote in that commit.

    None if ``version`` is not the latest, or its commit did not replace all of that: read the version then.
    """
    latest = snapshot(spark, path)
    if int(latest.version()) != version:
        return None
    lines = [line for _, text in log_texts(spark, path, version, version) for line in text.splitlines() if line.strip()]
    actions = [json.loads(line) for line in lines]
    info: dict[str, Any] = next((action["commitInfo"] for action in actions if "commitInfo" in action), {})
    added = [line for line, action in zip(lines, actions, strict=True) if "add" in action]
    if not _replaced(info, only) or not 0 < len(added) <= MOST_FILES:
        return None
    return _frame(spark, latest, added)


def _replaced(info: dict[str, Any], only: Slice | None) -> bool:
    """Whether the commit is a write of the platform that replaced all of ``only``, or of the table."""
    if info.get("operation") != "WRITE":
        return False
    note, parameters = parse_note(info.get("userMetadata")), info.get("operationParameters", {})
    if note.get("kind") != "data":
        return False
    if parameters.get("mode") == "Append":  # only to a partition that was empty: lake.first_rows
        return only is not None and note.get("partition") == only.partition
    condition = only.condition if only is not None else None
    return bool(parameters.get("mode") == "Overwrite" and parameters.get("predicate") == condition)


def _frame(spark: SparkSession, latest: Any, added: list[str]) -> DataFrame:
    from pyspark.sql import DataFrame
    from pyspark.sql.classic.column import _to_seq

    context, session = spark.sparkContext, spark._jsparkSession
    jvm: Any = context._jvm
    parse = getattr(getattr(jvm.org.apache.spark.sql.delta.actions, "Action$"), "MODULE$").fromJson
    files = _to_seq(context, added, parse)
    sessions = jvm.org.apache.spark.sql.classic.SparkSession
    before = sessions.getActiveSession()
    sessions.setActiveSession(session)  # Delta makes the frame in the active session, with its time zone
    try:
        frame = latest.deltaLog().createDataFrame(latest, files, False, jvm.scala.Option.empty())
    finally:
        sessions.setActiveSession(before.get()) if before.isDefined() else sessions.clearActiveSession()
    return DataFrame(frame, spark)
