"""Keeps the contents and checksums of files, so that a delivery that is examined twice is read only once.

A run examines a delivery before it waits for the lease of its dataset, since the checksum of a large file takes long,
and once more when it has the lease, since the delivery may be another one then. A file that has changed is read again.
"""

from __future__ import annotations

import hashlib
import os
import time
from typing import TYPE_CHECKING, TypeAlias

from data_platform.ingestion.content import read_content
from data_platform.ingestion.landing.folder import open_inside
from data_platform.model.packing import Packing

if TYPE_CHECKING:
    from data_platform.ingestion.content import FileContent
    from data_platform.ingestion.formats.protocol import FileFormat
    from data_platform.ingestion.packing import Budget
    from data_platform.model.source import Source

Stamp: TypeAlias = tuple[int, ...]
TICK_NS = 1_000_000_000
"""No common file system has a coarser time of the last change than a second."""


class ExaminedFiles:
    """What was read of files so far; they are the same files as long as their stamps are."""

    def __init__(self) -> None:
        self._contents: dict[tuple[str, str], tuple[Stamp, Source, FileContent]] = {}
        self._digests: dict[tuple[str, str], tuple[Stamp, str]] = {}

    def content(
        self, path: str, root: str, name: str, source: Source, file_format: FileFormat, budget: Budget
    ) -> FileContent:
        """As ``read_content``; what a compressed file unpacks to counts in ``budget`` in any case."""
        stamp = _stamp_of(path, root)
        known = self._contents.get((path, name))
        if known is not None and known[:2] == (stamp, source):
            for member, content in known[2].parts.values():
                if member.packing is not Packing.NONE:
                    budget.count(content.size, name)
            return known[2]
        found = read_content(path, root, name, source, file_format, budget)
        if _is_settled(stamp):
            self._contents[path, name] = stamp, source, found
        return found

    def digest(self, path: str, root: str, algorithm: str) -> str:
        """The checksum of the file as it is on disk, in hexadecimal digits; without ``root`` it may be anywhere.

        Raises:
            SourceError: It is outside ``root``, or not a regular file.
            OSError: It does not exist, or cannot be opened.
        """
        stamp = _stamp_of(path, root)
        known = self._digests.get((path, algorithm))
        if known is not None and known[0] == stamp:
            return known[1]
        with open_inside(path, root) as file:
            found = hashlib.file_digest(file, lambda: hashlib.new(algorithm, usedforsecurity=False)).hexdigest()  # type: ignore[arg-type]
        if _is_settled(stamp):
            self._digests[path, algorithm] = stamp, found
        return found


def _is_settled(stamp: Stamp) -> bool:
    """Whether a write from now on changes the stamp: file systems have ticks, and two writes in one are the same."""
    return time.time_ns() - stamp[-1] > TICK_NS


def _stamp_of(path: str, root: str) -> Stamp:
    """Differs if the file is another one or was written to: nobody can set the time of the last change of its inode."""
    with open_inside(path, root) as file:
        status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
