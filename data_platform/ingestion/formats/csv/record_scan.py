"""Finds the records of a piece of CSV bytes without parsing their fields; returns None where that is not safe.

A piece is regular if every quote opens a field at its start or closes it at its end, and every line ends in
``\\n`` or ``\\r\\n``. In such a piece a line end is the end of a record exactly if the number of quotes before
it is even. ``parser`` reads everything else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from data_platform.errors import SourceError
from data_platform.ingestion.formats.csv.line_kind import blanks_of
from data_platform.ingestion.formats.csv.parser import MAX_RECORD_LINES
from data_platform.model.text_form import codec_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from data_platform.ingestion.formats.csv.dialect import CsvDialect

_BOM = b"\xef\xbb\xbf"
_ONE_BYTE = re.compile(r"iso8859-\d+|cp125\d|cp437|cp85[028]|cp866|koi8-[ru]|ascii")
"""Encodings with one byte for each character, in which bytes below 0x80 are ASCII."""


@dataclass(frozen=True)
class Scan:
    """``content`` ends with a record. ``lines`` counts its lines; ``starts`` returns each record's line, from 0."""

    content: bytes
    lines: int
    starts: Callable[[], Any]


@dataclass(frozen=True)
class ScanRules:
    """The properties of a format that a scan needs. ``regular`` is False if no piece of such a text can be scanned."""

    dialect: CsvDialect
    names: tuple[str, ...] = ()

    @cached_property
    def codec(self) -> str:
        try:
            return codec_of(self.dialect.encoding)
        except ValueError as error:
            raise SourceError(str(error)) from None

    @cached_property
    def regular(self) -> bool:
        marks = self.dialect.delimiter + self.dialect.quote
        return marks.isascii() and len(marks) == 2 and bool(self.codec == "utf-8" or _ONE_BYTE.fullmatch(self.codec))

    @cached_property
    def trailer(self) -> re.Pattern[bytes] | None:
        """Matches every possible trailer, and some other lines: it accepts many kinds of blanks."""
        if not self.dialect.trailer_prefix:
            return None
        quote, delimiter = re.escape(self.dialect.quote.encode()), re.escape(self.dialect.delimiter.encode())
        blank = rb"[ \t\r\x0b\x0c\x1c-\x1f\x80-\xff" + quote + rb"]*"
        prefix = re.escape(self.dialect.trailer_prefix.encode(self.codec, "ignore"))
        return re.compile(rb"(?:^|\n)" + blank + prefix + blank + rb"(?:$|\n|" + delimiter + rb")")

    def has_odd_line(self, content: bytes) -> bool:
        """Whether there is a line of blanks or dashes, one that may repeat the column names, or one with a mark."""
        import numpy as np

        text = np.frombuffer(content + b"\n\n", np.uint8)
        begins = np.concatenate(([0], _places(content, 10) + 1))
        odd = begins[self._odd_starts[text[begins], text[begins + 1]]]
        return any(self._odd_line.match(content, int(place)) for place in odd)

    @cached_property
    def _odd_starts(self) -> Any:
        """Whether a line may be odd, by its first two bytes: checking only these is fast."""
        import numpy as np

        is_odd = np.zeros((256, 256), bool)
        for blank in blanks_of(self.dialect).encode():
            is_odd[blank] = True
        is_odd[_BOM[0], _BOM[1]] = True
        if len(self.names) > 1:  # the name of a single column may be a value
            name = self._written(self.names[0]) + self.dialect.delimiter.encode()
            for first, second in (b"--", b"==", name[:2]):
                is_odd[first, second] = True
            is_odd[name[0], list(b" \"'")] = True
            is_odd[np.ix_(list(b"\"'"), [*b" \"'", _BOM[0], name[0]])] = True
        return is_odd

    @cached_property
    def _odd_line(self) -> re.Pattern[bytes]:
        pattern = rb"[" + blanks_of(self.dialect).encode() + rb"]+\r?(?:\n|$)|" + _BOM
        if len(self.names) > 1:
            delimiter, around = re.escape(self.dialect.delimiter.encode()), rb"[ \xef\xbb\xbf\"']*"
            pattern += rb"|(?:--|==)[-=+ " + delimiter + rb"]*\r?(?:\n|$)"
            first, second = (around + re.escape(self._written(name)) + around for name in self.names[:2])
            pattern += rb"|" + first + delimiter + second + rb"(?:" + delimiter + rb"|[\r\n]|$)"
        return re.compile(pattern)

    def _written(self, name: str) -> bytes:
        return name.replace(self.dialect.quote, 2 * self.dialect.quote).encode(self.codec, "ignore")


def scan(piece: bytes, rules: ScanRules) -> Scan | None:
    """The complete records in ``piece``, which starts with one; None, if it has none or is not regular."""
    quote = rules.dialect.quote.encode()
    if quote in piece:
        return _with_quotes(piece, quote[0], ord(rules.dialect.delimiter), rules)
    content = piece[: piece.rfind(b"\n") + 1]
    if not _is_plain(content, rules):
        return None
    return Scan(content, content.count(b"\n"), lambda: _starts(content, _places(content, 10)))


def _is_plain(content: bytes, rules: ScanRules) -> bool:
    """Whether ``content`` is valid text with usual line ends, and without anything that a scan cannot handle."""
    if not content or b"\0" in content or content.startswith((_BOM, b"\x1a")) or b"\n\x1a" in content:
        return False
    if b"\r" in content and content.count(b"\r") != content.count(b"\r\n"):
        return False
    if rules.has_odd_line(content) or (rules.trailer and rules.trailer.search(content)):
        return False
    return content.isascii() or _is_decodable(content, rules.codec)


def _is_decodable(content: bytes, codec: str) -> bool:
    try:
        content.decode(codec)
    except UnicodeError:
        return False
    return True


def _with_quotes(piece: bytes, quote: int, delimiter: int, rules: ScanRules) -> Scan | None:
    import numpy as np

    quotes_at, ends = _places(piece, quote), _places(piece, 10)
    closed = np.flatnonzero(np.searchsorted(quotes_at, ends) % 2 == 0)  # indices of the line ends outside quotes
    if not len(closed) or np.diff(closed, prepend=-1).max() > MAX_RECORD_LINES:
        return None
    content = piece[: int(ends[closed[-1]]) + 1]
    if not _is_plain(content, rules):
        return None
    inside = quotes_at[: int(np.searchsorted(quotes_at, len(content)))]
    opening, closing = inside[::2], inside[1::2]
    text = np.frombuffer(content, np.uint8)
    before = text[opening[1:] - 1] if len(opening) and opening[0] == 0 else text[opening - 1]
    after = text[closing + 1]
    fits = np.zeros(256, bool)
    fits[[delimiter, 10, quote]] = True
    if not fits[before].all():
        return None
    fits[13] = True
    if not fits[after].all():
        return None
    return Scan(content, int(closed[-1]) + 1, lambda: _starts(content, ends[closed], closed))


def _starts(content: bytes, ends: Any, numbers: Any = None) -> Any:
    """The line of each record that is not blank; ``numbers`` are the numbers of the lines that end at ``ends``."""
    import numpy as np

    text = np.frombuffer(content, np.uint8)
    begins = np.concatenate(([0], ends[:-1] + 1))
    lines = np.arange(len(ends)) if numbers is None else np.concatenate(([0], numbers[:-1] + 1))
    sizes = ends - begins
    return lines[(sizes > 1) | ((sizes == 1) & (text[begins] != 13))]


def _places(content: bytes, byte: int) -> Any:
    import numpy as np

    return np.flatnonzero(np.frombuffer(content, np.uint8) == byte)
