"""Does gold, at its latest version, contain only rows that were judged?

A version may be certified if each commit since the certified one that is still part of the table is the platform's own
and passed, or changes nothing that a reader sees: VACUUM, OPTIMIZE, a table property. ``data-platform restore`` finds
commits that were not judged, and restores the table to the version before them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.errors import ConflictError
from data_platform.lake.change import changes, live_files
from data_platform.lake.table import schema_of
from data_platform.model.dataset import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.installation import Platform
    from data_platform.lake.commit import Commit
    from data_platform.lake.table import LakeTable
    from data_platform.model.certification import Certification
    from data_platform.model.run import RunRow
    from data_platform.policies import Dataset


@dataclass(frozen=True)
class Unjudged:
    """The oldest commit that was not judged, and the reason."""

    commit: Commit
    reason: str


@dataclass(frozen=True)
class Write:
    """A commit of rows by the platform, and the record of its run; None if it was not judged."""

    commit: Commit
    row: RunRow | None

    @property
    def partition(self) -> Any:
        return self.commit.note.get("partition")


def standing(commits: Sequence[Commit]) -> list[Commit]:
    """Those of ``commits``, the latest first, that are still part of the table: a restore rolls back what it skips."""
    kept = []
    back_to: int | None = None
    for commit in commits:
        if back_to is not None and commit.version > back_to:
            continue
        back_to = commit.restored
        if back_to is None:
            kept.append(commit)
    return kept


def discarded(commits: Sequence[Commit]) -> set[int]:
    """Versions among ``commits``, the latest first, that a later restore rolled back."""
    versions = set()
    back_to: int | None = None
    for commit in commits:
        if back_to is not None and commit.version > back_to:
            versions.add(commit.version)
        else:
            back_to = commit.restored
    return versions


def refuse_unjudged(platform: Platform, dataset: Dataset, table: LakeTable, previous: Certification | None) -> None:
    """Raises: ConflictError, if the latest version contains a commit that was not judged."""
    unjudged = find_unjudged(platform, dataset, table, previous)
    if unjudged is not None:
        raise ConflictError(
            f"version {unjudged.commit.version} of {table.path} {unjudged.reason}: consumers keep what they see; "
            f"look at it, then roll it back with data-platform restore {dataset.urn}, and run again"
        )
    _refuse_unknown_files(dataset, table, previous)


def find_unjudged(
    platform: Platform, dataset: Dataset, table: LakeTable, previous: Certification | None
) -> Unjudged | None:
    floor = floor_of(previous)
    since = table.history_since(floor)
    for commit in reversed(since):
        if commit.restored is not None and commit.restored < floor and commit.version not in discarded(since):
            return Unjudged(commit, f"brings back v{commit.restored}, which is older than what consumers see")
    kept = standing(since)
    for commit in reversed(kept):
        reason = _reason(platform, dataset, table, commit)
        if reason is not None and not _is_replaced(platform, dataset, table, commit, kept):
            return Unjudged(commit, reason)
    return None


def _is_replaced(
    platform: Platform, dataset: Dataset, table: LakeTable, commit: Commit, kept: Sequence[Commit]
) -> bool:
    """Whether a later run of the same day passed, and replaced all of ``commit``, which could not be rolled back."""
    rows = (row_of(platform, dataset, later) for later in _later_of_slice(dataset, commit, kept))
    return any(row is not None and row.qualifies for row in rows) and _has_no_file(table, commit)


def _later_of_slice(dataset: Dataset, commit: Commit, kept: Sequence[Commit]) -> list[Commit]:
    """The later commits of ``kept`` that wrote the same partition."""
    if commit.note.get("dataset") != dataset.urn:
        return []
    same = ("dataset", "kind", "partition")
    return [c for c in kept if c.version > commit.version and all(c.note.get(k) == commit.note.get(k) for k in same)]


def _has_no_file(table: LakeTable, commit: Commit) -> bool:
    """Whether no file of ``commit`` is part of the latest version."""
    [change] = changes(table.spark, table.path, commit.version, commit.version)
    return change.files.isdisjoint(file for file, _ in live_files(table.spark, table.path))


def row_of(platform: Platform, dataset: Dataset, commit: Commit) -> RunRow | None:
    """The record of the run that made ``commit``; None if it was not judged. Other runs may have judged its version:
    a write of no rows makes none of its own."""
    run_id = str(commit.note.get("run_id", ""))
    row = platform.catalog.runs.get(run_id, dataset.urn, Stage.GOLD)
    return row if row is not None and row.version == commit.version else None


def writes_since(
    platform: Platform, dataset: Dataset, table: LakeTable, previous: Certification | None
) -> tuple[Write, ...]:
    """The platform's own writes since the certified version that are part of the table, the oldest first."""
    kept = reversed(standing(table.history_since(floor_of(previous))))
    own = (c for c in kept if c.note.get("dataset") == dataset.urn and c.note.get("kind") == "data")
    return tuple(Write(commit, row_of(platform, dataset, commit)) for commit in own)


def find_failed(table: LakeTable, writes: Sequence[Write]) -> tuple[RunRow, ...]:
    """The runs whose slices are in the latest version although they failed: their enforcement mode did not hold them.

    A slice that a later run of its day replaced is not part of it.
    """
    return tuple(
        write.row
        for place, write in enumerate(writes)
        if write.row is not None and not write.row.qualifies and not _is_rewritten(table, write, writes[place + 1 :])
    )


def _is_rewritten(table: LakeTable, write: Write, later: Sequence[Write]) -> bool:
    return any(other.partition == write.partition for other in later) and _has_no_file(table, write.commit)


def slices_of(writes: Sequence[Write]) -> tuple[RunRow, ...]:
    """The last run of each partition among ``writes``."""
    rows = {write.partition: write.row for write in writes}
    return tuple(row for row in rows.values() if row is not None)


def floor_of(previous: Certification | None) -> int:
    """The version after which commits have to be judged. Without a certified one that includes the first commit:
    somebody else may have made the table, with rows in it."""
    return previous.version if previous and previous.version is not None else -1


def _reason(platform: Platform, dataset: Dataset, table: LakeTable, commit: Commit) -> str | None:
    if commit.note.get("dataset") == dataset.urn:
        if commit.note.get("kind") != "data":
            return None
        row = row_of(platform, dataset, commit)
        return None if row is not None and row.qualifies else "has no passed verdict in the catalog"
    return _what_others_changed(table, commit)


def _what_others_changed(table: LakeTable, commit: Commit) -> str | None:
    """None if the commit, which is not the platform's own, changes nothing that a reader of the table sees."""
    commit_changes = changes(table.spark, table.path, commit.version, commit.version)
    by = f"was not written by the platform ({commit.operation or 'unknown operation'}), so nobody has judged it"
    if not commit_changes or commit_changes[0].changes_rows:
        return by
    if commit.version == 0:
        return None  # an empty new table, such as the platform itself makes
    if commit_changes[0].protocol:
        return by
    if commit_changes[0].metadata and schema_of(table.at(commit.version)) != schema_of(table.at(commit.version - 1)):
        return by
    return None


def _refuse_unknown_files(dataset: Dataset, table: LakeTable, previous: Certification | None) -> None:
    """Where the log of a commit was deleted, each file must be older than the certified version, or be named.

    Raises:
        ConflictError: The log no longer has the commit that wrote a file of the latest version.
    """
    floor, latest = floor_of(previous), table.version()
    since = changes(table.spark, table.path, floor + 1)
    if len(since) == latest - floor:
        return
    named = {file for change in since for file in change.files}
    certified_at = previous.certified_at if previous else None
    until = certified_at.timestamp() * 1000 if certified_at else 0
    unknown = [file for file, modified in live_files(table.spark, table.path) if file not in named and modified > until]
    if unknown:
        raise ConflictError(
            f"{len(unknown)} files of v{latest} of {table.path} were written by commits whose log was deleted, so "
            f"it is unknown whether they were judged: run gold of every day of {dataset.urn} again, and then certify"
        )
