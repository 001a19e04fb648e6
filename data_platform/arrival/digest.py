"""Digests of files that may take longer to read than the time limit: reading continues where it stopped."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.ingestion.landing.folder import open_inside

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_CHUNK = 4 << 20
_MOST = 20_000


@dataclass
class _Reading:
    seen: tuple[int, ...]
    digest: Any
    offset: int = 0


class Digests:
    """``allow`` sets until when files may be read; a file that changes meanwhile is read again, others only once."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = float("inf")
        self._begun: dict[str, _Reading] = {}
        self._known: dict[str, tuple[tuple[int, ...], str]] = {}

    def allow(self, seconds: float) -> None:
        self._until = self._clock() + seconds

    def of(self, path: Path, root: str = "", algorithm: str = "sha256") -> str | None:
        """The digest in hexadecimal digits; None if the time is over.

        Raises:
            OSError: It cannot be read.
            SourceError: It is outside ``root``.
        """
        key = f"{algorithm}:{path}"
        with open_inside(str(path), root) as file:
            seen = _seen(os.fstat(file.fileno()))
            stored = self._known.get(key)
            if stored is not None and stored[0] == seen:
                return stored[1]
            reading = self._begun.get(key)
            if reading is None or reading.seen != seen:
                reading = _Reading(seen, hashlib.new(algorithm, usedforsecurity=False))
            file.seek(reading.offset)
            while self._clock() < self._until:
                chunk = file.read(_CHUNK)
                if not chunk:
                    self._begun.pop(key, None)
                    return self._keep(key, reading) if _seen(os.fstat(file.fileno())) == seen else None
                reading.digest.update(chunk)
                reading.offset += len(chunk)
        self._begun[key] = reading
        return None

    def _keep(self, path: str, reading: _Reading) -> str:
        if len(self._known) >= _MOST:
            self._known.pop(next(iter(self._known)))
        digest = str(reading.digest.hexdigest())
        self._known[path] = reading.seen, digest
        return digest


def _seen(stat: os.stat_result) -> tuple[int, ...]:
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino
