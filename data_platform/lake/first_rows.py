"""Writes the first rows of a partition: an append, since there is nothing to replace.

To replace a partition, Delta computes which files the table has, in several Spark jobs, and finds none for a new day.
Whether the partition is empty is read from the log without Spark. An append does not notice a row of another partition,
nor another writer's rows in this one, so both are looked for after it, and such a commit is rolled back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.errors import ConflictError, ConservationError
from data_platform.lake.change import added_partitions
from data_platform.lake.presence import is_remote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.lake.commit import Commit
    from data_platform.lake.partition import Slice
    from data_platform.lake.table import LakeTable


def is_empty(path: str, version: int, only: Slice) -> bool:
    """Whether no file of ``version`` has rows of ``only``; False if it cannot be read without Spark."""
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    if is_remote(path):
        return False
    try:
        files = DeltaTable(path.removeprefix("file://"), version=version).get_add_actions(flatten=True)
    except (DeltaError, OSError):
        return False
    column = f"partition.{only.column}"
    if [name for name in files.schema.names if name.startswith("partition.")] != [column]:
        return False
    values = files[column].to_pylist()
    kinds = {type(value) for value in values if value is not None}
    return kinds <= {type(only.partition.value)} and only.partition.value not in values


def check_first(table: LakeTable, before: int, commit: Commit, only: Slice, note: Mapping[str, Any]) -> None:
    """Rolls an append of the first rows of ``only`` back that was not alone in its partition, or not only of it.

    Raises:
        ConflictError: Another writer has written rows of the partition since version ``before``.
        ConservationError: Rows have another partition.
    """
    others = added_partitions(table.spark, table.path, commit.version) - {(only.column, str(only.partition))}
    alone = commit.version == before + 1 or is_empty(table.path, commit.version - 1, only)
    if alone and not others:
        return
    table.restore(commit.version - 1, {**note, "kind": "restore"})
    if others:
        raise ConservationError(f"rows for {only.condition} of {table.path} have another partition; rolled back")
    raise ConflictError(f"another writer changed {table.path} at the same time; nothing was written, run again")
