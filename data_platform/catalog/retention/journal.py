"""Allows one archiving at a time in a folder, and removes the files of one that died.

A batch records its files in the journal before it creates them, and the journal is deleted once they are registered.
Files in a remaining journal that are not registered belong to no archive and are removed. Other files are never
changed: another catalog may share the folder, with its own journal.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from data_platform.catalog.retention.parquet import sync_folder
from data_platform.errors import ConflictError, EnvironmentProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


class Journal:
    """The journal of one folder and catalog, used while the folder's lock is held."""

    def __init__(self, folder: Path, catalog: str) -> None:
        name = hashlib.sha256(catalog.encode()).hexdigest()[:12]
        self._folder, self._path = folder, folder / f".archive-{name}.journal"

    def note(self, paths: Iterable[Path]) -> None:
        temporary = self._path.with_suffix(".tmp")
        with temporary.open("w", encoding="utf-8") as file:
            json.dump([str(path.relative_to(self._folder)) for path in paths], file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self._path)
        sync_folder(self._folder)

    def delete(self) -> None:
        self._path.unlink(missing_ok=True)

    def clear(self, is_registered: Callable[[Path], bool]) -> int:
        """Removes files of an unfinished batch; returns their number."""
        if not self._path.exists():
            return 0
        removed = 0
        for name in json.loads(self._path.read_text(encoding="utf-8")):
            path = self._folder / name
            if path.exists() and not is_registered(path):
                path.unlink()
                removed += 1
        self.delete()
        return removed


@contextmanager
def opened_journal(folder: Path, catalog: str) -> Iterator[Journal]:
    """Locks the folder, and creates it if needed; the lock ends with the process. ``catalog`` is a URL without secrets.

    Raises:
        ConflictError: Another archiving is running in the folder.
        EnvironmentProblem: The folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".archive.lock").open("w")
    except OSError as error:
        raise EnvironmentProblem(
            f"the archive's folder {folder} cannot be written: {error.strerror}; name another, or make it writable"
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ConflictError(f"another archiving is running in {folder}: wait until it has ended") from None
        yield Journal(folder, catalog)
