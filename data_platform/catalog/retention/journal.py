"""One archive at a time in a folder, and what one that died has left there.

A batch names its files here before it makes them, and is struck out once they are registered. Files of a batch that
is still named, and that are not registered, are of nobody, and are removed. No other file is ever touched: a folder may
be shared with another catalog, which has a journal of its own there.
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
    """Of one folder and catalog, while the folder's lock is held."""

    def __init__(self, folder: Path, catalog: str) -> None:
        name = hashlib.sha256(catalog.encode()).hexdigest()[:12]
        self._folder, self._path = folder, folder / f".archive-{name}.journal"

    def note(self, paths: Iterable[Path]) -> None:
        fresh = self._path.with_suffix(".tmp")
        with fresh.open("w", encoding="utf-8") as file:
            json.dump([str(path.relative_to(self._folder)) for path in paths], file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._path)
        sync_folder(self._folder)

    def strike(self) -> None:
        self._path.unlink(missing_ok=True)

    def clear(self, is_registered: Callable[[Path], bool]) -> int:
        """How many files of a batch that did not get there were removed."""
        if not self._path.exists():
            return 0
        removed = 0
        for name in json.loads(self._path.read_text(encoding="utf-8")):
            path = self._folder / name
            if path.exists() and not is_registered(path):
                path.unlink()
                removed += 1
        self.strike()
        return removed


@contextmanager
def opened_journal(folder: Path, catalog: str) -> Iterator[Journal]:
    """``catalog`` is its URL without secrets. Makes the folder if need be. The lock goes with the process.

    Raises:
        ConflictError: Another archive is at work in the folder.
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
            raise ConflictError(f"another archive is at work in {folder}: wait until it has ended") from None
        yield Journal(folder, catalog)
