"""The files of a backup with their sizes and checksums. The list is written last: without it there is no backup."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from data_platform.errors import SourceError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Progress = Callable[[str, int, int], None]
    """Takes what is done, how much of it is done, and the total."""

NAME, LAKE, CATALOG, KEYS = "backup.json", "lake", "catalog.db", "keys"
_FORMAT = 1
_CHUNK = 1 << 20


@dataclass(frozen=True)
class SavedFile:
    """``modified_ns`` is the file's time of modification, ``sha256`` its checksum in hexadecimal digits."""

    size: int
    modified_ns: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class BackupManifest:
    """``lake`` is where the tables were, which the catalog and Delta's logs name. ``files`` are by relative path."""

    created_at: datetime
    lake: str
    rows: Mapping[str, int]
    files: Mapping[str, SavedFile]
    has_keys: bool

    @property
    def size(self) -> int:
        return sum(one.size for one in self.files.values())

    def write(self, folder: Path) -> None:
        files = {name: [one.size, one.modified_ns, one.sha256] for name, one in sorted(self.files.items())}
        document = {
            "format": _FORMAT,
            "created_at": self.created_at.isoformat(),
            "lake": self.lake,
            "rows": dict(self.rows),
            "has_keys": self.has_keys,
            "files": files,
        }
        new = folder / f"{NAME}.new"
        with new.open("w") as file:
            json.dump(document, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        new.replace(folder / NAME)


def read_manifest(folder: Path) -> BackupManifest:
    """Raises: UsageError, if ``folder`` is no backup, was not finished, or a newer version of the platform wrote it."""
    try:
        document = json.loads((folder / NAME).read_text())
        if document["format"] != _FORMAT:
            raise UsageError(f"{folder} is a backup of format {document['format']}, which this version cannot read")
        return BackupManifest(
            created_at=datetime.fromisoformat(document["created_at"]),
            lake=document["lake"],
            rows=document["rows"],
            files={name: SavedFile(*fields) for name, fields in document["files"].items()},
            has_keys=document["has_keys"],
        )
    except FileNotFoundError:
        raise UsageError(f"{folder} is no finished backup: it has no {NAME}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{folder / NAME} cannot be read: {type(error).__name__}") from None


def backups_in(folder: Path) -> list[tuple[Path, BackupManifest]]:
    """The finished backups of ``folder``, the oldest first."""
    found = [(path.parent, read_manifest(path.parent)) for path in folder.glob(f"*/{NAME}")]
    return sorted(found, key=lambda one: one[1].created_at)


def verify(folder: Path, manifest: BackupManifest, progress: Progress) -> None:
    """Raises: SourceError, with the files that are missing or have other bytes."""
    wrong: list[str] = []
    for position, (name, saved) in enumerate(manifest.files.items(), start=1):
        try:
            is_right = sha256_of(folder / name) == saved.sha256
        except OSError:
            is_right = False
        if not is_right:
            wrong.append(name)
        progress("checking files", position, len(manifest.files))
    if wrong:
        more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        raise SourceError(
            f"{folder} is damaged: {', '.join(wrong[:3])}{more} are missing or changed; use another backup"
        )


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def files_below(folder: Path) -> Iterator[Path]:
    """The files, at any depth, in order of their paths."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (Path(place) / name for name in sorted(names))
