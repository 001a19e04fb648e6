"""Reads a stage's table at the version that was judged, however old that is."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from data_platform.errors import UnreadableVersionError
from data_platform.lake.presence import find_damage
from data_platform.lake.written_rows import written_rows
from data_platform.model.dataset import Stage
from data_platform.stage.spark_failure import condition_of, spark_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from data_platform.installation import Platform
    from data_platform.lake.partition import Slice
    from data_platform.lake.table import LakeTable
    from data_platform.policies import Dataset

READER = "reader"
"""Used in place of a run id if the reader is not a run."""

_TOO_OLD = "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION"


def rows_at(
    platform: Platform, dataset: Dataset, stage: Stage, version: int, run_id: str, session: SparkSession | None = None
) -> DataFrame:
    """The rows of exactly this version of a stage's table; ``run_id`` is the reader."""
    return rows_of(platform.table(dataset, stage, session), dataset, stage, version, run_id)


def rows_of(table: LakeTable, dataset: Dataset, stage: Stage, version: int, run_id: str) -> DataFrame:
    """The rows of exactly this version. An older table without the platform's protection gets it now.

    Raises:
        UnreadableVersionError: Its log or its files are gone.
        ConflictError: The table had to be protected, and another run was writing it at that moment.
    """
    try:
        return table.at(version)
    except spark_errors() as error:
        if condition_of(error) != _TOO_OLD:
            raise _unreadable(dataset, stage, table.path, version, error) from None
    # Without the dataset's lease: a stage may read a dataset whose own run waits for it, which would deadlock.
    table.protect(protect_note(dataset, stage, run_id))
    try:
        return table.at(version)
    except spark_errors() as error:
        raise _unreadable(dataset, stage, table.path, version, error) from None


def slice_of(
    table: LakeTable, dataset: Dataset, stage: Stage, version: int, run_id: str, only: Slice | None
) -> DataFrame:
    """The rows of ``only`` at exactly this version, or all of them; quickly if that version has just written them.

    Raises:
        UnreadableVersionError, ConflictError: As ``rows_of``.
    """
    rows = None
    with suppress(*spark_errors()):  # what is wrong with the version is reported by who reads all of it
        rows = written_rows(table.spark, table.path, version, only)
    if rows is None:
        rows = rows_of(table, dataset, stage, version, run_id)
    return rows if only is None else only.of(rows)


def restore(table: LakeTable, version: int, note: Mapping[str, Any]) -> int:
    """Restores the table to its state at ``version``, and returns the new version.

    Raises:
        UnreadableVersionError: Files that the older version needs are gone. Nothing was changed.
    """
    try:
        return table.restore(version, note)
    except spark_errors() as error:
        raise UnreadableVersionError(
            f"v{version} of {table.path} cannot be restored ({condition_of(error)}): somebody deleted files that it "
            f"needs, such as by VACUUM with a short retention. Nothing that was not judged is certified; run "
            f"{note['dataset']} again, each day whose files are gone"
        ) from None


def protect_note(dataset: Dataset, stage: Stage, run_id: str) -> dict[str, str]:
    """The note of a commit that sets table properties, and changes no row."""
    return {"run_id": run_id, "dataset": dataset.urn, "stage": stage.value, "kind": "protect"}


def _unreadable(dataset: Dataset, stage: Stage, path: str, version: int, error: Exception) -> UnreadableVersionError:
    reason = find_damage(path, version) or condition_of(error)
    certified = stage is Stage.CERTIFIED
    what = "run the dataset, so that a new version is certified" if certified else f"run {stage} of that day again"
    return UnreadableVersionError(
        f"v{version} of {path} ({stage} of {dataset.urn}) cannot be read: {reason}. Somebody deleted files or log of a "
        f"version that was in use, such as by VACUUM with a short retention; {what}",
        inputs=(name_of_input(dataset, stage),),
    )


def name_of_input(dataset: Dataset, stage: Stage) -> str:
    """``sales/orders/gold``: a table that a stage reads, as signatures name it."""
    return f"{dataset.id.zone}/{dataset.id.name}/{Stage.GOLD if stage is Stage.CERTIFIED else stage}"


def missing_tables(platform: Platform, versions: Iterable[tuple[Dataset, Stage, int | None]]) -> tuple[str, ...]:
    """The tables of ``versions`` whose files or log are gone. It looks at the file system, without Spark."""
    found = [
        name_of_input(dataset, stage)
        for dataset, stage, version in versions
        if version is not None and find_damage(platform.path(dataset, stage), version)
    ]
    return tuple(dict.fromkeys(found))
