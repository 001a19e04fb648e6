"""Checks whether a version can still be read, and reads first rows, from the log and the file system without Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

PLACES_SHOWN = 5


def find_damage(path: str, version: int) -> str | None:
    """Returns what is missing of ``version`` of the table at ``path``, None if nothing is.

    Also None for a remote path, which is not checked, and for a table that delta-rs cannot read: neither proves that
    files are gone.
    """
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    folder = Path(path.removeprefix("file://"))
    if is_remote(path):
        return None
    if not (folder / "_delta_log").is_dir():
        return f"there is no table at {path}"
    try:
        files = DeltaTable(str(folder), version=version).get_add_actions(flatten=True)["path"].to_pylist()
    except (DeltaError, OSError):
        is_logged = (folder / "_delta_log" / f"{version:020d}.json").exists()
        return None if is_logged else f"the log of v{version} is gone"
    gone = [file for file in files if not _exists(folder, file)]
    return f"{len(gone)} of the {len(files)} files of v{version} are gone{_places(gone)}" if gone else None


def _places(files: list[str]) -> str:
    """Returns the partition folders of ``files``; empty if the table is not partitioned."""
    folders = sorted({unquote(file.rpartition("/")[0]) for file in files} - {""})
    more = f" and {len(folders) - PLACES_SHOWN} more" if len(folders) > PLACES_SHOWN else ""
    return f" ({', '.join(folders[:PLACES_SHOWN])}{more})" if folders else ""


def first_rows(path: str, limit: int) -> list[dict[str, Any]] | None:
    """Returns up to ``limit`` rows of the latest version, column to value; None if there is no table at ``path``."""
    from deltalake import DeltaTable
    from deltalake.exceptions import TableNotFoundError

    try:
        rows: list[dict[str, Any]] = DeltaTable(path).to_pyarrow_dataset().head(limit).to_pylist()
    except TableNotFoundError:
        return None
    return rows


def is_remote(path: str) -> bool:
    """Returns whether ``path`` is on storage that only Spark has the credentials for, such as ``s3a://``."""
    return "://" in path.removeprefix("file://")


def _exists(folder: Path, file: str) -> bool:
    """Checks both spellings of the name: the log escapes names, and delta-rs may have unescaped them."""
    return any((folder / name).exists() for name in dict.fromkeys((file, unquote(file))))


def may_exist(path: str) -> bool:
    """Returns whether a table can be at ``path``; a remote path is not checked and may have one."""
    return is_remote(path) or (Path(path.removeprefix("file://")) / "_delta_log").is_dir()


def peek(path: str) -> tuple[int, dict[str, str]] | None:
    """Returns the latest version and the properties of a local table; None if there is no table, or it is remote."""
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    folder = Path(path.removeprefix("file://"))
    if is_remote(path) or not (folder / "_delta_log").is_dir():
        return None
    try:
        table = DeltaTable(str(folder))
    except (DeltaError, OSError):
        return None
    return table.version(), {key: value or "" for key, value in table.metadata().configuration.items()}


def row_count(path: str, version: int) -> int | None:
    """Returns the rows of ``version`` by the statistics in its log; None if it cannot be read without Spark."""
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        files = DeltaTable(path, version=version).get_add_actions(flatten=True)
    except (DeltaError, OSError):
        return None
    counts = files["num_records"].to_pylist() if "num_records" in files.schema.names else [None]
    return None if None in counts else sum(counts)
