"""Stores events on disk until the service has them: one file per event, written atomically, oldest first by name.

``refused/`` holds the events that the service permanently rejects, each with its answer; moved back, they are sent
again. ``running/``, ``shell/`` and ``spark/`` belong to ``running``, ``run_id`` and ``spark_events``. The number of
waiting events has no limit. The names come from the clock, so after a clock was set back a later event may go first;
the service accepts any order.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT = "~/.data_platform/spool"
REFUSED, SPARK = "refused", "spark"
_AWAY_SECONDS = 60
_LEFTOVER_SECONDS = 3_600
_WAIT_SECONDS = 0.02


class Spool:
    """The folder is created with the first event."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def keep(self, body: bytes) -> str:
        """Writes the event durably to disk and returns the file's name.

        Raises:
            OSError: It could not be written; nothing of it is left.
        """
        name = f"{time.time_ns():020}-{os.getpid()}-{os.urandom(4).hex()}.json"
        write_whole(self.folder, name, body)
        return name

    def waiting(self) -> list[str]:
        """Returns the names of the waiting events, oldest first. Raises: OSError, if the folder cannot be read."""
        try:
            return sorted(name for name in os.listdir(self.folder) if name.endswith(".json") and name[0] != ".")
        except FileNotFoundError:
            return []

    def read(self, name: str) -> bytes | None:
        """Returns the event; None if another process has sent it."""
        try:
            with open(os.path.join(self.folder, name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def drop(self, name: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(self.folder, name))

    def refuse(self, name: str, answer: str) -> None:
        """Moves the event to ``refused/``. Raises: OSError, if it cannot be moved; it stays in the spool then."""
        folder = os.path.join(self.folder, REFUSED)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.replace(os.path.join(self.folder, name), os.path.join(folder, name))
        with suppress(OSError):
            write_whole(folder, f"{name}.answer", answer.encode(errors="replace"))

    @contextmanager
    def lock(self, seconds: float) -> Iterator[bool]:
        """Allows one forwarder at a time, so that events go in order. Yields False if another one holds the lock.

        On a file system without locks it does not wait: the service drops duplicate events.
        """
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            lock = os.open(os.path.join(self.folder, ".lock"), os.O_CREAT | os.O_RDWR, 0o600)
        except OSError:
            yield True
            return
        try:
            yield _locked(lock, time.monotonic() + seconds)
        finally:
            os.close(lock)

    def sweep(self) -> None:
        """Deletes the drafts of dead writers."""
        with suppress(OSError):
            for name in os.listdir(self.folder):
                path = os.path.join(self.folder, name)
                if name.endswith(".draft") and time.time() - os.stat(path).st_mtime > _LEFTOVER_SECONDS:
                    os.unlink(path)

    def was_away(self) -> bool:
        """Returns whether a call to the service timed out in the last minute."""
        try:
            return 0 <= time.time() - os.stat(self._away_file).st_mtime < _AWAY_SECONDS
        except OSError:
            return False

    def mark_away(self, *, away: bool) -> None:
        with suppress(OSError):
            if away:
                os.close(os.open(self._away_file, os.O_CREAT | os.O_WRONLY, 0o600))
                os.utime(self._away_file)
            elif os.path.exists(self._away_file):
                os.unlink(self._away_file)

    @property
    def _away_file(self) -> str:
        return os.path.join(self.folder, ".away")


def write_whole(folder: str, name: str, body: bytes, *, durable: bool = True) -> None:
    """Writes a draft and renames it: a reader finds all of it or nothing, with ``durable`` also after a power cut.

    Raises:
        OSError: It could not be written; nothing of it is left.
    """
    os.makedirs(folder, mode=0o700, exist_ok=True)
    draft = os.path.join(folder, f".{name}.{os.getpid()}.draft")
    try:
        file = os.open(draft, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        try:
            rest = memoryview(body)
            while rest:
                rest = rest[os.write(file, rest) :]
            if durable:
                os.fsync(file)
        finally:
            os.close(file)
        os.replace(draft, os.path.join(folder, name))
    except OSError:
        with suppress(OSError):
            os.unlink(draft)
        raise
    if durable:
        _sync(folder)


def _sync(folder: str) -> None:
    """Makes the name survive a power cut, too. Where the file system cannot do that, the file is still there."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _locked(lock: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_WAIT_SECONDS)
        except OSError:
            return True
        else:
            return True
