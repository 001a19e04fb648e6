"""Reads what a range of commits did to the files of a table: whether its rows are still those of an older version.

It reads only the log, so it works when the older version itself can no longer be read. It compares files, not rows:
RESTORE adds exactly the files of the version that it restores. Files that a commit marks with ``dataChange: false``
(OPTIMIZE, our own rewrite of timestamps) contain moved rows, not changed ones.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.lake.commit import log_texts, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import SparkSession

File = tuple[str, str]
"""A file's path and its deletion vector: the same file with another vector has other rows."""


@dataclass(frozen=True)
class Change:
    """One commit. ``added`` and ``removed`` are files whose rows changed; ``rewritten``: it also moved rows."""

    version: int
    added: frozenset[File]
    removed: frozenset[File]
    files: frozenset[str]  # every file that it added, also those with moved rows
    rewritten: bool
    metadata: bool  # schema, partitioning or properties
    protocol: bool

    @property
    def changes_rows(self) -> bool:
        return bool(self.added or self.removed)


def changes(spark: SparkSession, path: str, first: int, last: int | None = None) -> list[Change]:
    """Returns the changes from ``first`` to ``last``, the oldest first, without commits whose log was cleaned up."""
    return [_change(version, text.splitlines()) for version, text in log_texts(spark, path, first, last)]


def has_same_rows(spark: SparkSession, path: str, version: int, later: int) -> bool:
    """Returns whether ``later`` has exactly the rows of ``version``; False also if a log between them is gone."""
    since = changes(spark, path, version + 1, later)
    if [change.version for change in since] != list(range(version + 1, later + 1)):
        return False
    return _cancel_out(since)


def live_files(spark: SparkSession, path: str) -> list[tuple[str, int]]:
    """Returns the files of the latest version, each with the time of its last change in milliseconds since 1970."""
    from pyspark.sql import DataFrame

    rows = DataFrame(snapshot(spark, path).allFiles().toDF(), spark).select("path", "modificationTime").collect()
    return [(row["path"], int(row["modificationTime"])) for row in rows]


def added_partitions(spark: SparkSession, path: str, version: int) -> set[tuple[str, str | None]]:
    """Returns the columns and values of the partitions whose files the commit ``version`` added."""
    texts = [text for _, text in log_texts(spark, path, version, version)]
    actions = [json.loads(line) for text in texts for line in text.splitlines() if line.strip()]
    return {pair for a in actions if "add" in a for pair in a["add"]["partitionValues"].items()}


def _cancel_out(since: Sequence[Change]) -> bool:
    """Returns whether each file is present at the end if it was at the start, which its first change shows."""
    at_start: dict[File, bool] = {}
    at_end: dict[File, bool] = {}
    for change in since:
        for files, present in ((change.removed, False), (change.added, True)):
            for file in files:
                at_start.setdefault(file, not present)
                at_end[file] = present
    return at_start == at_end


def _change(version: int, lines: Sequence[str]) -> Change:
    actions = [json.loads(line) for line in lines if line.strip()]
    added, removed = ([a[kind] for a in actions if kind in a] for kind in ("add", "remove"))
    return Change(
        version=version,
        added=frozenset(_changed(added)),
        removed=frozenset(_changed(removed)),
        files=frozenset(action["path"] for action in added),
        rewritten=any(not _changes_data(action) for action in added),
        metadata=any("metaData" in action for action in actions),
        protocol=any("protocol" in action for action in actions),
    )


def _changed(actions: Sequence[dict[str, Any]]) -> Iterator[File]:
    for action in actions:
        if _changes_data(action):
            yield action["path"], json.dumps(action.get("deletionVector") or {}, sort_keys=True)


def _changes_data(action: dict[str, Any]) -> bool:
    return bool(action.get("dataChange", True))
