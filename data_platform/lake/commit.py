"""The commits of a Delta table, as its log has them: who wrote each, and how many rows Delta itself counted.

Read from the log's own files. Delta's history says the same, costs two Spark jobs each time, and reads the whole log
to answer about its end.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Commit:
    """One version of the table, and how many rows were written by it as Delta itself counted."""

    version: int
    rows: int
    note: dict[str, Any] = field(default_factory=dict)
    restored: int | None = None  # the older version that this one brought back


def latest_version(spark: SparkSession, path: str) -> int:
    """The latest version, -1 if there is none; no job is run."""
    option = _jvm(spark).scala.Option
    return int(_log(spark, path).update(False, option.empty(), option.empty()).version())


def commits(spark: SparkSession, path: str, first: int, last: int | None = None) -> list[Commit]:
    """The commits from ``first`` to ``last``, the latest first; those whose log was cleaned away are left out."""
    return [_parsed(version, told) for version, told in _told(spark, path, first, last)][::-1]


def note_text(note: Mapping[str, Any]) -> str:
    """``note`` as a commit keeps it."""
    return json.dumps(dict(note), sort_keys=True)


def _told(spark: SparkSession, path: str, first: int, last: int | None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Version, and Delta's ``commitInfo``; empty where another tool's commit has none."""
    delta, log, nothing = _jvm(spark).org.apache.spark.sql.delta, _log(spark, path), _jvm(spark).scala.Option.empty()
    log.update(False, nothing, nothing)
    span = (first,) if last is None else (first, last)
    files, settings = log.getChangeLogFiles(*span, nothing, False), log.newDeltaHadoopConf()
    while files.hasNext():
        file = files.next()
        info = delta.DeltaHistoryManager.getCommitInfoOpt(log.store(), file._2().getPath(), settings)
        yield int(file._1()), json.loads(info.get().json())["commitInfo"] if info.isDefined() else {}


def _parsed(version: int, told: Mapping[str, Any]) -> Commit:
    restored = told["operationParameters"].get("version") if told.get("operation") == "RESTORE" else None
    rows = int(told.get("operationMetrics", {}).get("numOutputRows", 0))
    return Commit(version, rows, _parse_note(told.get("userMetadata")), None if restored is None else int(restored))


def _parse_note(text: str | None) -> dict[str, Any]:
    """A note that is not ours (another tool's commit) is no note."""
    try:
        note = json.loads(text or "{}")
    except json.JSONDecodeError:
        return {}
    return note if isinstance(note, dict) else {}


def _log(spark: SparkSession, path: str) -> Any:
    return _jvm(spark).org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, path)


def _jvm(spark: SparkSession) -> Any:
    jvm = spark.sparkContext._jvm
    assert jvm is not None, "a classic session has a JVM"  # noqa: S101
    return jvm
