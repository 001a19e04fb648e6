"""Reads a source ahead: bytes can be peeked at before they are taken, so that a parser can be tried on them."""

from __future__ import annotations

from typing import IO

from data_platform.errors import SourceError

READ_AHEAD = 1 << 20
BLOCK = 1 << 18


class Window:
    """At most ``length`` bytes of a source from its current position; they can be peeked at before they are taken."""

    def __init__(self, source: IO[bytes], length: int | None = None) -> None:
        self._source, self._left = source, length
        self._data, self._at, self._ended = b"", 0, False
        self._error: SourceError | None = None
        self.taken = 0

    def peek(self, size: int) -> bytes:
        """Returns ``size`` bytes; fewer only at the end or before an error."""
        if self._at + size > len(self._data) and not self._ended:
            blocks = [self._data[self._at :]]
            have = len(blocks[0])
            while have < max(size, READ_AHEAD) and (block := self._read()):
                blocks.append(block)
                have += len(block)
            self._data, self._at = b"".join(blocks), 0
        return self._data[self._at : self._at + size]

    def _read(self) -> bytes:
        size = BLOCK if self._left is None else min(BLOCK, self._left)
        try:
            block = self._source.read(size) if size else b""
        except SourceError as error:
            self._error, block = error, b""
        self._ended = not block
        if self._left is not None:
            self._left -= len(block)
        return block

    def take(self, size: int) -> None:
        self._at += size
        self.taken += size

    def ends_within(self, size: int) -> bool:
        """Whether neither bytes nor an error follow the next ``size`` bytes."""
        return self._ended and self._error is None and len(self._data) - self._at <= size

    def raise_error(self) -> None:
        if self._error is not None:
            raise self._error
