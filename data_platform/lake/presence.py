"""Whether a version can still be read, and its first rows; asked of the log and the file system, without Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

PLACES_SHOWN = 5


def find_damage(path: str, version: int) -> str | None:
    """What ``version`` of the table at ``path`` lacks, None if nothing.

    Also None for a remote place, which is not asked, and for a table that delta-rs does not understand: neither is a
    reason to say that files are gone.
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
        known = (folder / "_delta_log" / f"{version:020d}.json").exists()
        return None if known else f"the log of v{version} is gone"
    gone = [file for file in files if not _exists(folder, file)]
    return f"{len(gone)} of the {len(files)} files of v{version} are gone{_places(gone)}" if gone else None


def _places(files: list[str]) -> str:
    """The partitions of ``files``, as the folders of a partitioned table are called; empty if it is not partitioned."""
    folders = sorted({unquote(file.rpartition("/")[0]) for file in files} - {""})
    more = f" and {len(folders) - PLACES_SHOWN} more" if len(folders) > PLACES_SHOWN else ""
    return f" ({', '.join(folders[:PLACES_SHOWN])}{more})" if folders else ""


def first_rows(path: str, limit: int) -> list[dict[str, Any]] | None:
    """Up to ``limit`` rows of the latest version, column to value; None if there is no table at ``path``."""
    from deltalake import DeltaTable
    from deltalake.exceptions import TableNotFoundError

    try:
        found: list[dict[str, Any]] = DeltaTable(path).to_pyarrow_dataset().head(limit).to_pylist()
    except TableNotFoundError:
        return None
    return found


def is_remote(path: str) -> bool:
    """Whether ``path`` is on storage that only Spark has the credentials for, such as ``s3a://``."""
    return "://" in path.removeprefix("file://")


def _exists(folder: Path, file: str) -> bool:
    """The log escapes names; delta-rs may have unescaped them."""
    return any((folder / name).exists() for name in dict.fromkeys((file, unquote(file))))


def may_exist(path: str) -> bool:
    """Whether a table can be at ``path``: a remote place is not asked."""
    return is_remote(path) or (Path(path.removeprefix("file://")) / "_delta_log").is_dir()


def peek(path: str) -> tuple[int, dict[str, str]] | None:
    """The latest version and the properties of a local table; None if there is none, or it is remote."""
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
