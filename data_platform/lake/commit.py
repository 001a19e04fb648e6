"""Reads the commits of a Delta table from its log: who wrote each, and how many rows Delta itself counted.

It reads the log's own files. Delta's history returns the same, but costs two Spark jobs each time, and reads the whole
log to return its end.
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
    """One version of the table, and how many rows it wrote by Delta's own count."""

    version: int
    rows: int
    note: dict[str, Any] = field(default_factory=dict)
    restored: int | None = None  # the older version that this one restored
    operation: str = ""  # Delta's name for it: WRITE, RESTORE, VACUUM END


def latest_version(spark: SparkSession, path: str) -> int:
    """Returns the latest version, -1 if there is none; runs no Spark job."""
    return int(snapshot(spark, path).version())


def commits(spark: SparkSession, path: str, first: int, last: int | None = None) -> list[Commit]:
    """Returns the commits from ``first`` to ``last``, the latest first, without those whose log was cleaned up."""
    return [_parsed(version, info) for version, info in _commit_infos(spark, path, first, last)][::-1]


def properties(spark: SparkSession, path: str) -> dict[str, str]:
    """Returns the table properties of the latest version; runs no Spark job."""
    metadata = json.loads(snapshot(spark, path).metadata().json())["metaData"]  # one call of the JVM, whatever it has
    return {str(key): str(value) for key, value in metadata.get("configuration", {}).items()}


def snapshot(spark: SparkSession, path: str) -> Any:
    """Returns Delta's own object for the latest version."""
    nothing = _jvm(spark).scala.Option.empty()
    return _log(spark, path).update(False, nothing, nothing)


def note_text(note: Mapping[str, Any]) -> str:
    """Returns ``note`` as it is stored in a commit."""
    return json.dumps(dict(note), sort_keys=True)


def log_texts(spark: SparkSession, path: str, first: int, last: int | None = None) -> Iterator[tuple[int, str]]:
    """Yields each version and its log text, which is one JSON document per line."""
    log = _log(spark, path)
    settings = log.newDeltaHadoopConf()
    for version, file in _log_files(spark, path, first, last):
        yield version, str(log.store().read(file, settings).mkString("\n"))


def _commit_infos(spark: SparkSession, path: str, first: int, last: int | None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields each version and Delta's ``commitInfo``, which is empty if another tool's commit has none."""
    delta, log = _jvm(spark).org.apache.spark.sql.delta, _log(spark, path)
    settings = log.newDeltaHadoopConf()
    for version, file in _log_files(spark, path, first, last):
        info = delta.DeltaHistoryManager.getCommitInfoOpt(log.store(), file, settings)
        yield version, json.loads(info.get().json())["commitInfo"] if info.isDefined() else {}


def _log_files(spark: SparkSession, path: str, first: int, last: int | None) -> Iterator[tuple[int, Any]]:
    log, _ = _log(spark, path), snapshot(spark, path)  # the snapshot brings the log up to date
    span = (first,) if last is None else (first, last)
    files = log.getChangeLogFiles(*span, _jvm(spark).scala.Option.empty(), False)
    while files.hasNext():
        file = files.next()
        yield int(file._1()), file._2().getPath()


def _parsed(version: int, info: Mapping[str, Any]) -> Commit:
    restored = info.get("operationParameters", {}).get("version") if info.get("operation") == "RESTORE" else None
    rows = int(info.get("operationMetrics", {}).get("numOutputRows", 0))
    note, operation = parse_note(info.get("userMetadata")), str(info.get("operation", ""))
    return Commit(version, rows, note, None if restored is None else int(restored), operation)


def parse_note(text: str | None) -> dict[str, Any]:
    """Parses a note; the note of another tool's commit is ignored."""
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
