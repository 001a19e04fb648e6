"""What is in the folder of a delivery, and which of it belongs to the delivery: one folder may hold many days."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from data_platform.errors import DataPlatformError
from data_platform.ingestion.landing.folder import Files, walk
from data_platform.ingestion.landing.selection import is_data
from data_platform.ingestion.manifest.document import listed_files, read_manifest
from data_platform.model.partition_path import has_partition, match_name

if TYPE_CHECKING:
    from pathlib import Path

    from data_platform.model.source import Arrival

_GLOB = ("*", "?", "[")


class Listings:
    """The folders of one look, each listed once, since one folder may hold many days."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._found: dict[Path, Files] = {}

    def of(self, folder: Path) -> Files:
        """Raises: OSError, if it cannot be listed."""
        if folder not in self._found:
            self._found[folder] = walk(self._root, folder).files
        return self._found[folder]


def stamp_of(files: Files) -> str:
    whole = hashlib.sha256()
    for name, stat in sorted(files.items()):
        seen = (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
        whole.update(f"{name}\0{seen}\n".encode(errors="surrogateescape"))
    return whole.hexdigest()[:32]


def shares_folder(arrival: Arrival) -> bool:
    """Whether other deliveries may be in the same folder: then markers differ by their own names."""
    pattern = PurePosixPath(arrival.marker or "").name
    return is_pattern(pattern) or has_partition(pattern)


def own_files(files: Files, arrival: Arrival, dated: Arrival, marker: str, folder: Path) -> Files:
    """The files of this delivery in a shared folder: those that its manifest names, or with its partition or name."""
    named = {marker, dated.manifest}
    if dated.manifest:
        with suppress(DataPlatformError):  # an unreadable manifest is judged, and waited for, like any other
            named.update(listed_files(read_manifest(folder / dated.manifest), dated.manifest))
        return {name: stat for name, stat in files.items() if name in named}
    if has_partition(arrival.files):
        its = (name for name in files if is_data(name, dated, marker))
    else:
        its = (name for name in files if _has_name_of(name, marker))
    pattern = PurePosixPath(arrival.marker or "").name
    named.update(name for name in its if not match_name(pattern, _last(name))[0])  # no other delivery's marker
    return {name: stat for name, stat in files.items() if name in named}


def _has_name_of(name: str, marker: str) -> bool:
    """Whether the file name begins with the marker's own name: ``a.done`` has ``a_1.csv``."""
    stem, own = _last(marker).partition(".")[0], _last(name)
    return own.startswith(stem) and not own[len(stem) : len(stem) + 1].isalnum()


def _last(name: str) -> str:
    """The name without folders; ``PurePosixPath`` takes ten times as long, and every look does this for every file."""
    return name.rpartition("/")[2]


def is_pattern(text: str) -> bool:
    return any(sign in text for sign in _GLOB)
