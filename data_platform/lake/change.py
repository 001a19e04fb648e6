"""What a range of commits did to the files of a table: whether its rows are still those of an older version.

Read from the log alone, so that it can be answered when the older version itself can no longer be read. Files are
compared, not rows: RESTORE adds the very files of the version that it brings back. What a commit marks with
``dataChange: false`` (OPTIMIZE, our own rewrite of timestamps) moves rows to other files, and changes none.
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
"""Its path, and its deletion vector: the same file with another one has other rows."""


@dataclass(frozen=True)
class Change:
    """One commit. ``added`` and ``removed`` are files whose rows changed; ``rewritten`` says that others moved."""

    version: int
    added: frozenset[File]
    removed: frozenset[File]
    files: frozenset[str]  # every file that it added, those of rewritten rows too
    rewritten: bool
    metadata: bool  # schema, partitioning or properties
    protocol: bool

    @property
    def changes_rows(self) -> bool:
        return bool(self.added or self.removed)


def changes(spark: SparkSession, path: str, first: int, last: int | None = None) -> list[Change]:
    """Of the commits from ``first`` to ``last``, the oldest first; those whose log was cleaned away are left out."""
    return [_change(version, text.splitlines()) for version, text in log_texts(spark, path, first, last)]


def has_same_rows(spark: SparkSession, path: str, version: int, later: int) -> bool:
    """Whether ``later`` has exactly the rows of ``version``; False also if the log of a commit between is gone."""
    since = changes(spark, path, version + 1, later)
    if [change.version for change in since] != list(range(version + 1, later + 1)):
        return False
    return _cancel_out(since)


def live_files(spark: SparkSession, path: str) -> list[tuple[str, int]]:
    """The files of the latest version, each with the time of its last change in milliseconds since 1970."""
    from pyspark.sql import DataFrame

    rows = DataFrame(snapshot(spark, path).allFiles().toDF(), spark).select("path", "modificationTime").collect()
    return [(row["path"], int(row["modificationTime"])) for row in rows]


def _cancel_out(since: Sequence[Change]) -> bool:
    """Whether each file is present at the end if it was at the beginning, which its first change tells."""
    began: dict[File, bool] = {}
    ended: dict[File, bool] = {}
    for change in since:
        for files, present in ((change.removed, False), (change.added, True)):
            for file in files:
                began.setdefault(file, not present)
                ended[file] = present
    return began == ended


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
