"""Walks through a CSV text: regular pieces go to a fast parser as bytes, all other records are parsed one by one.

If a piece is not regular, a smaller one is tried, so that one odd record costs a few kilobytes of slow parsing, not the
whole file. Slow parsing ends where the slow parser (``parser``) holds no line that it has read ahead: there a record
starts for either parser, and pieces are tried again. The walk reads each byte once, and needs no seeking.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from data_platform.ingestion.formats.csv.line_kind import begins_with, checked, trailer_is_last
from data_platform.ingestion.formats.csv.parser import parse_lines
from data_platform.ingestion.formats.csv.record_scan import Scan, ScanRules, scan
from data_platform.ingestion.formats.text.encoding import END_OF_TEXT, decoded_lines
from data_platform.ingestion.formats.text.window import Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from data_platform.ingestion.formats.csv.dialect import CsvDialect
    from data_platform.ingestion.formats.text.record import Record

LARGE = 1 << 20
SMALL = 1 << 13
_MOST_AT_ONCE = 1 << 24
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Piece:
    """Regular records that start at ``line``; ``values`` is the result of ``parse``."""

    line: int
    scan: Scan
    values: Any


class _Ahead:
    """A window as the source of the slow parser. ``taking`` takes bytes as they are read, else ``_counted`` does it."""

    def __init__(self, window: Window, *, taking: bool) -> None:
        self._window, self._taking, self._size, self._read = window, taking, SMALL, window.taken

    def read(self, _size: int) -> bytes:
        offset = self._read - self._window.taken
        block = self._window.peek(offset + self._size)[offset:]
        if not block:
            self._window.raise_error()
        self._read += len(block)
        if self._taking:
            self._window.take(len(block))
        self._size = min(2 * self._size, _MOST_AT_ONCE)
        return block


class TextWalk:
    """One walk through ``source``, whose current position is at line ``line``.

    ``width`` is the number of fields of a record, None if it is not checked; ``names`` are the names of the header.
    ``parse`` turns a regular piece into values, or returns None if it has an odd record after all. ``taken`` and
    ``line`` are the bytes and the line that the walk has reached when it yields a piece, or the last record before one.
    """

    def __init__(
        self,
        source: IO[bytes],
        file: str,
        dialect: CsvDialect,
        *,
        width: int | None,
        parse: Callable[[Scan], Any],
        names: tuple[str, ...] = (),
        line: int = 1,
        length: int | None = None,
    ) -> None:
        self.line = line
        self._window = Window(source, length)
        self._file, self._dialect, self._rules = file, dialect, ScanRules(dialect, names)
        self._width, self._names, self._parse = width, names, parse
        self._is_past_header, self._final, self._done = line > 1, not self._rules.regular, False

    @property
    def taken(self) -> int:
        return self._window.taken

    @property
    def is_final(self) -> bool:
        """Whether the slow parser reads all the rest, which cannot be split."""
        return self._final

    def __iter__(self) -> Iterator[Piece | Record]:
        """Raises: SourceError, after it has yielded all records before the error: as ``parser.read_records``."""
        size = LARGE
        while not self._done and (content := self._window.peek(size)):
            piece = self._piece(content, size) if self._is_past_header and not self._final else None
            if piece is not None:
                self._window.take(min(len(piece.scan.content), len(content)))
                self.line += piece.scan.lines
                yield piece
                size = min(2 * size, LARGE)
            elif size > SMALL and self._is_past_header and not self._final:
                size = max(size // 8, SMALL)
            else:
                yield from self._parse_records(min(len(content), size if self._is_past_header else 1))
        if not self._done:
            self._window.raise_error()

    def _piece(self, content: bytes, size: int) -> Piece | None:
        whole = content
        if self._window.ends_within(size) and not content.endswith(b"\n"):
            whole += b"\n"  # the last record needs no line end
        scanned = scan(whole, self._rules)
        values = self._parse(scanned) if scanned is not None else None
        return None if scanned is None or values is None else Piece(self.line, scanned, values)

    def _parse_records(self, at_least: int) -> Iterator[Record]:
        """Yields records one by one, until ``at_least`` bytes are taken and a record starts after them."""
        goal, waiting = self._window.taken + at_least, deque[str]()
        source: Any = _Ahead(self._window, taking=not self._rules.regular)
        lines = decoded_lines(source, self._file, self._dialect.encoding, first=self.line)
        records = parse_lines(self._counted(lines), self._dialect, self.line, waiting)
        if self._dialect.trailer_prefix:
            records = trailer_is_last(records, self._is_trailer, self._file)
        for record in records:
            if not self._is_past_header:
                self._is_past_header = not self._is_above_header(record)
            else:
                yield record if self._width is None else checked(record, self._width, self._names)
            if self._is_past_header and self._window.taken >= goal and not waiting and not self._final:
                return
        self._done = True

    def _counted(self, lines: Iterator[str]) -> Iterator[str]:
        has_mark = self.line == 1 and self._rules.codec == "utf-8" and self._window.peek(len(_BOM)) == _BOM
        for line in lines:
            if has_mark:
                self._window.take(len(_BOM))
                has_mark = False
            if line.rstrip("\r\n") == END_OF_TEXT:
                self._final = True  # only the slow parser can find out whether it is the last line
            if self._rules.regular:
                self._window.take(len(line.encode(self._rules.codec)))
            self.line += 1
            yield line

    def _is_above_header(self, record: Record) -> bool:
        prefix = self._dialect.header_prefix
        return bool(prefix) and begins_with(record.raw, prefix, self._dialect)

    def _is_trailer(self, record: Record) -> bool:
        is_trailer = self._is_past_header and begins_with(record.raw, self._dialect.trailer_prefix, self._dialect)
        self._final = self._final or is_trailer
        return is_trailer
