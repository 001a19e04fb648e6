"""Events on disk until the service has them: one file an event, whole or not there, oldest first by name.

``refused/`` has those that the service will never take, each with its answer; moved back, they are sent again.
``running/`` and ``shell/`` are of ``running`` and ``run_id``. There is no limit to how many wait. Clocks make
the names, so a clock that was set back may let a later event go first; the service takes them in any order.
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
REFUSED = "refused"
_AWAY_SECONDS = 60
_LEFTOVER_SECONDS = 3_600
_WAIT_SECONDS = 0.02


class Spool:
    """Nothing is made before something is kept."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def keep(self, body: bytes) -> str:
        """The file's name, once its content is safely on the disk.

        Raises:
            OSError: It could not be written; nothing of it is left.
        """
        name = f"{time.time_ns():020}-{os.getpid()}-{os.urandom(4).hex()}.json"
        write_whole(self.folder, name, body)
        return name

    def waiting(self) -> list[str]:
        """Raises: OSError, if the folder cannot be read."""
        try:
            return sorted(name for name in os.listdir(self.folder) if name.endswith(".json") and name[0] != ".")
        except FileNotFoundError:
            return []

    def read(self, name: str) -> bytes | None:
        """None if somebody else has sent it."""
        try:
            with open(os.path.join(self.folder, name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def drop(self, name: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(self.folder, name))

    def refuse(self, name: str, answer: str) -> None:
        """Raises: OSError, if it cannot be moved; it waits on then."""
        folder = os.path.join(self.folder, REFUSED)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.replace(os.path.join(self.folder, name), os.path.join(folder, name))
        with suppress(OSError):
            write_whole(folder, f"{name}.answer", answer.encode(errors="replace"))

    @contextmanager
    def alone(self, seconds: float) -> Iterator[bool]:
        """One forwarder at a time, so that events go in their order. False: another one is at it for too long.

        Where the file system has no locks, nobody waits: the service drops what comes twice.
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
        """Drafts of writers that died."""
        with suppress(OSError):
            for name in os.listdir(self.folder):
                path = os.path.join(self.folder, name)
                if name.endswith(".draft") and time.time() - os.stat(path).st_mtime > _LEFTOVER_SECONDS:
                    os.unlink(path)

    def was_away(self) -> bool:
        """Whether the service let somebody wait in the last minute."""
        try:
            return 0 <= time.time() - os.stat(self._away).st_mtime < _AWAY_SECONDS
        except OSError:
            return False

    def say_away(self, *, away: bool) -> None:
        with suppress(OSError):
            if away:
                os.close(os.open(self._away, os.O_CREAT | os.O_WRONLY, 0o600))
                os.utime(self._away)
            elif os.path.exists(self._away):
                os.unlink(self._away)

    @property
    def _away(self) -> str:
        return os.path.join(self.folder, ".away")


def write_whole(folder: str, name: str, body: bytes, *, durable: bool = True) -> None:
    """A draft, on the disk, then its name: a reader finds all of it or nothing, ``durable`` after a power cut too.

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
    """The name, too, outlives a power cut. A file system that cannot do that has still the file."""
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
