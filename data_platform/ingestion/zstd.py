"""Reads files that are compressed with zstd, with Arrow's library: Python 3.11 has none."""

from __future__ import annotations

import io
from typing import IO, Any


class _KeptOpen:
    """A file that stays open when Arrow closes it, as it does when it is rewound."""

    closed = False

    def __init__(self, raw: IO[bytes]) -> None:
        self.read = raw.read

    def close(self) -> None:
        """The owner closes the file itself."""


class ZstdFile:
    """The unpacked bytes of ``raw``, of all its frames; it can only be rewound to its start."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw, self._position = raw, 0
        self._stream = self._from_start()

    def _from_start(self) -> Any:
        import pyarrow as pa  # type: ignore[import-untyped]

        self._raw.seek(0)
        return pa.CompressedInputStream(pa.PythonFile(_KeptOpen(self._raw), "r"), "zstd")

    def read(self, size: int) -> bytes:
        block = bytes(self._stream.read(size))
        self._position += len(block)
        return block

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence == io.SEEK_CUR and not offset:
            return self._position
        if offset or whence:
            raise ValueError("a zstd file can only be rewound to its start")
        self._stream, self._position = self._from_start(), 0
        return 0

    def close(self) -> None:
        """The owner closes the file itself."""
