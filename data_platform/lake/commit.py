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
    operation: str = ""  # as Delta calls it: WRITE, RESTORE, VACUUM END


def latest_version(spark: SparkSession, path: str) -> int:
    """The latest version, -1 if there is none; no job is run."""
    return int(snapshot(spark, path).version())


def commits(spark: SparkSession, path: str, first: int, last: int | None = None) -> list[Commit]:
    """The commits from ``first`` to ``last``, the latest first; those whose log was cleaned away are left out."""
    return [_parsed(version, told) for version, told in _told(spark, path, first, last)][::-1]


def properties(spark: SparkSession, path: str) -> dict[str, str]:
    """Table properties of the latest version; no job is run."""
    found = snapshot(spark, path).metadata().configuration().iterator()
    pairs = {}
    while found.hasNext():
        pair = found.next()
        pairs[str(pair._1())] = str(pair._2())
    return pairs


def snapshot(spark: SparkSession, path: str) -> Any:
    """Delta's own object for the latest version."""
    nothing = _jvm(spark).scala.Option.empty()
    return _log(spark, path).update(False, nothing, nothing)


def note_text(note: Mapping[str, Any]) -> str:
    """``note`` as a commit keeps it."""
    return json.dumps(dict(note), sort_keys=True)


def log_texts(spark: SparkSession, path: str, first: int, last: int | None = None) -> Iterator[tuple[int, str]]:
    """Version, and the log's own text of it: a JSON document a line."""
    log = _log(spark, path)
    settings = log.newDeltaHadoopConf()
    for version, file in _log_files(spark, path, first, last):
        yield version, str(log.store().read(file, settings).mkString("\n"))


def _told(spark: SparkSession, path: str, first: int, last: int | None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Version, and Delta's ``commitInfo``; empty where another tool's commit has none."""
    delta, log = _jvm(spark).org.apache.spark.sql.delta, _log(spark, path)
    settings = log.newDeltaHadoopConf()
    for version, file in _log_files(spark, path, first, last):
        info = delta.DeltaHistoryManager.getCommitInfoOpt(log.store(), file, settings)
        yield version, json.loads(info.get().json())["commitInfo"] if info.isDefined() else {}


def _log_files(spark: SparkSession, path: str, first: int, last: int | None) -> Iterator[tuple[int, Any]]:
    log, _ = _log(spark, path), snapshot(spark, path)  # which brings the log up to date
    span = (first,) if last is None else (first, last)
    files = log.getChangeLogFiles(*span, _jvm(spark).scala.Option.empty(), False)
    while files.hasNext():
        file = files.next()
        yield int(file._1()), file._2().getPath()


def _parsed(version: int, told: Mapping[str, Any]) -> Commit:
    restored = told.get("operationParameters", {}).get("version") if told.get("operation") == "RESTORE" else None
    rows = int(told.get("operationMetrics", {}).get("numOutputRows", 0))
    note, operation = _parse_note(told.get("userMetadata")), str(told.get("operation", ""))
    return Commit(version, rows, note, None if restored is None else int(restored), operation)


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
