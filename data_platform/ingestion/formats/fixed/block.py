"""Cuts a fixed-width file into blocks of complete records as text: at line ends, or after a number of bytes.

The lines of a block that can be decoded at once become a block at once. From the first block on that cannot, all lines
are decoded one by one (``text.encoding``), so that the good ones before a bad byte are read. In a file without line
ends a bad byte costs one record, because the next begins at a known place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, cast

from data_platform.errors import SourceError
from data_platform.ingestion.formats.fixed.codec import NEW_LINE
from data_platform.ingestion.formats.fixed.grid import grid_of_lines, grid_of_records
from data_platform.ingestion.formats.text.encoding import END_OF_TEXT, decoded_lines, other_encoding
from data_platform.ingestion.formats.text.piece import line_pieces
from data_platform.ingestion.formats.text.record import Record
from data_platform.ingestion.formats.text.window import Window

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.ingestion.formats.fixed.codec import FixedCodec
    from data_platform.ingestion.formats.fixed.grid import Grid
    from data_platform.model.fixed_layout import FixedLayout

LARGE = 1 << 20
_LINES = 5_000
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_LINE_END = re.compile(r"[\r\n]")
_LINE_END_WITHIN = "a line end within the record, whose length is source.layout.record_bytes"
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class Block:
    """Records in ``grid``, whose numbers, or lines, are ``lines``; ``odd`` are those between them that are malformed.

    ``bytes`` and ``line_count`` are what the block takes of the file; a file may be cut behind it if ``is_regular``.
    """

    grid: Grid
    lines: Any
    bytes: int
    line_count: int
    odd: list[Record] = field(default_factory=list)
    is_regular: bool = True


@dataclass(frozen=True)
class Blocks:
    """Reads blocks of the file ``name``, as ``layout`` and ``codec`` say."""

    layout: FixedLayout
    codec: FixedCodec
    name: str

    def read(self, source: IO[bytes], line: int = 1, length: int | None = None) -> Iterator[Block]:
        """Yields the next ``length`` bytes of ``source``, whose current position is at ``line``.

        Raises:
            SourceError: After all records before a place that cannot be read.
        """
        window = Window(source, length)
        if self.layout.record_bytes:
            return self._records(window, line)
        return self._lines(line_pieces(window, LARGE, self.codec.line_ends), line)

    def _lines(self, pieces: Iterator[bytes], line: int) -> Iterator[Block]:
        for piece in pieces:
            text = self._decoded(piece, line)
            if text is None:
                rest = cast("IO[bytes]", _Rest(piece, pieces))
                lines = decoded_lines(rest, self.name, self.codec.encoding, first=line)
                yield from self._line_by_line(lines, line)
                return
            block = self._block(text, len(piece), line)
            yield block
            line += block.line_count

    def _decoded(self, piece: bytes, line: int) -> str | None:
        """The text of complete lines; None, if they are to be decoded one by one."""
        if self.codec.is_ebcdic:
            return self.codec.text_of(piece)  # every byte is a character, and NUL fills empty fields
        odd = b"\0" in piece or (b"\r" in piece and _LONE_RETURN.search(piece))
        if odd or not self.codec.can_be_cut or (line == 1 and other_encoding(piece, self.codec.name)):
            return None
        try:
            text = self.codec.text_of(piece)
        except UnicodeError:
            return None
        return text.removeprefix(_BYTE_ORDER_MARK) if line == 1 else text

    def _line_by_line(self, lines: Iterator[str], line: int) -> Iterator[Block]:
        waiting: list[str] = []
        try:
            for one in lines:
                waiting.append(one.rstrip("\r\n") + "\n")
                if len(waiting) == _LINES:
                    yield self._block("".join(waiting), 0, line, is_regular=False)
                    line, waiting = line + _LINES, []
        except SourceError:
            if waiting:
                yield self._block("".join(waiting), 0, line, is_regular=False)
            raise
        if waiting:
            yield self._block("".join(waiting), 0, line, is_regular=False)

    def _block(self, text: str, size: int, line: int, *, is_regular: bool = True) -> Block:
        import numpy as np

        grid = grid_of_lines(text, self.codec.widths if self.layout.counts_bytes else None)
        return Block(grid, np.arange(line, line + grid.count), size, grid.count, is_regular=is_regular)

    def _records(self, window: Window, line: int) -> Iterator[Block]:
        length = self.layout.record_length
        large = max(1, LARGE // length) * length
        while content := window.peek(large):
            window.take(len(content))
            block = self._records_of(content, line, length)
            yield block
            line += block.line_count
        window.raise_error()

    def _records_of(self, content: bytes, line: int, length: int) -> Block:
        import numpy as np

        count = -(-len(content) // length)
        odd: list[Record] = []
        if (text := self._text_of_records(content, length)) is None:
            texts = []
            for number, part in enumerate(content[at : at + length] for at in range(0, len(content), length)):
                if reason := self._problem(part, length):
                    odd.append(Record(line + number, (), self.codec.shown(part), reason))
                else:
                    texts.append(self.codec.text_of(part))
            text = "".join(texts)
        lines = np.setdiff1d(np.arange(line, line + count), [record.line for record in odd])
        odd = [record for record in odd if record.raw.strip("\r\n " + NEW_LINE + END_OF_TEXT)]
        return Block(grid_of_records(text, length, self.codec.widths), lines, len(content), count, odd)

    def _text_of_records(self, content: bytes, length: int) -> str | None:
        """The text of all records; None, if one of them may be malformed."""
        if len(content) % length or not (self.codec.has_one_byte or content.isascii()):
            return None
        try:
            text = self.codec.text_of(content)
        except UnicodeError:
            return None
        return None if _LINE_END.search(text) else text

    def _problem(self, part: bytes, length: int) -> str:
        if len(part) < length:
            return f"{len(part)} bytes, expected {length}"
        try:
            text = self.codec.text_of(part)
        except UnicodeError:
            return f"not valid {self.codec.encoding}"
        return _LINE_END_WITHIN if _LINE_END.search(text) else ""


class _Rest:
    """The pieces of a text from ``first`` on, as a source."""

    def __init__(self, first: bytes, pieces: Iterator[bytes]) -> None:
        self._pieces = chain([first], pieces)

    def read(self, _size: int) -> bytes:
        return next(self._pieces, b"")
