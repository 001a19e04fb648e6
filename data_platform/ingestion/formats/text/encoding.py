"""Decodes the lines of a text file strictly: a byte that is invalid in the encoding is an error, never U+FFFD.

Why not ``io.TextIOWrapper``: at an invalid byte it loses the good lines before it in the same
block, so it cannot report the line of the byte.
"""

from __future__ import annotations

import codecs
import io
from typing import IO, TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.model.text_form import codec_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BLOCK = 1 << 18
END_OF_TEXT = "\x1a"
"""The end-of-file character of DOS."""
MARK_WITHIN = "a byte-order mark within the file, as where files were joined"
"""The reason for quarantining the record behind it."""
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_KEEPING_MARK = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
"""These codecs leave a byte-order mark in the text."""
_EXAMINED = 512
_NAME_IT = "Name the encoding in source.encoding or in the manifest, such as utf-16 or cp1252."


def decoded_lines(source: IO[bytes], file: str, encoding: str, *, first: int = 1) -> Iterator[str]:
    """Yields lines with their line ends (``\\n``, ``\\r\\n`` or ``\\r``), without a byte-order mark.

    The function reads ``source`` block by block from its current position, and leaves it open. ``first`` is the number
    of the line there; only the first line of a file can have a byte-order mark.

    Raises:
        SourceError: ``encoding`` is unknown; or, after the last complete line before it, a byte is not valid in the
            encoding or is a NUL character, which appears only if text is read in the wrong encoding.
    """
    try:
        codec = codec_of(encoding)
    except ValueError as error:
        raise SourceError(f"{file}: {error}") from None
    decoder = codecs.getincrementaldecoder("utf-8-sig" if codec == "utf-8" and first == 1 else codec)()
    name = "UTF-8" if codec == "utf-8" else encoding
    number = first - 1
    blocks = _Blocks(source, codec, first)
    try:
        for number, line in enumerate(_lines(_texts(blocks, decoder)), start=first):
            if blocks.other:
                raise UnicodeError
            if "\0" in line:
                raise SourceError(f"{file}:{number}: not valid {name}: NUL character. {_NAME_IT}")
            yield line.removeprefix("\ufeff") if number == 1 and codec in _KEEPING_MARK else line
    except UnicodeError:
        if blocks.other:
            raise SourceError(
                f"{file}:1: not valid {name}: its first bytes are {blocks.other.upper()}. "
                f"Declare source.encoding: {blocks.other}, or name it in the manifest."
            ) from None
        raise SourceError(f"{file}:{number + 1}: not valid {name}. {_NAME_IT}") from None


class _Blocks:
    """A source that checks its first block for the byte-order mark of another encoding."""

    def __init__(self, source: IO[bytes], codec: str, first: int) -> None:
        self._source, self._codec, self._is_first, self.other = source, codec, first == 1, ""

    def read(self, size: int) -> bytes:
        block = self._source.read(size)
        if self._is_first:
            self._is_first, self.other = False, other_encoding(block, self._codec)
        return block


def other_encoding(head: bytes, codec: str) -> str:
    """The encoding that the first bytes of a file indicate, if it is not ``codec`` (a normalized name); else empty."""
    codec = codec.removesuffix("-sig")
    indicated = next((name for mark, name in _BYTE_ORDER_MARKS if head.startswith(mark)), "")
    family = indicated[:6] if indicated.startswith(("utf-16", "utf-32")) else indicated
    if indicated and codec not in (indicated, family):
        return indicated if codec.startswith(family) else family
    unmarked = "" if indicated or codec.startswith("utf-32") else _utf16_without_mark(head[:_EXAMINED])
    return unmarked if unmarked != codec else ""


def _utf16_without_mark(head: bytes) -> str:
    """The byte order of UTF-16, in which nearly every second byte of names and numbers is NUL; else empty."""
    even, odd = head[::2], head[1::2]
    if len(odd) > 1 and odd.count(0) > len(odd) / 2 and not even.count(0):
        return "utf-16-le"
    if len(odd) > 1 and even.count(0) > len(even) / 2 and not odd.count(0):
        return "utf-16-be"
    return ""


def has_windows_characters(part: bytes, codec: str) -> bool:
    """Whether ``part`` has bytes that are control characters in ``codec``, and quotes or € in Windows-1252."""
    return codec.startswith("iso8859") and any(0x80 <= byte < 0xA0 for byte in part)


def looks_like_utf8(part: bytes) -> bool:
    """Whether ``part`` of a text has characters of several bytes, and all of them are valid UTF-8."""
    if part.isascii():
        return False
    text = part.lstrip(bytes(range(0x80, 0xC0)))  # bytes of a character that begins earlier
    try:
        codecs.getincrementaldecoder("utf-8")().decode(text)
    except UnicodeError:
        return False
    return not text.isascii()


def without_end_of_text(lines: Iterable[str]) -> Iterator[str]:
    """Yields the lines without a last line that holds only the end-of-file character of DOS."""
    held = ""
    for line in lines:
        if held:
            yield held
        held = line if line.startswith(END_OF_TEXT) and line.rstrip("\r\n") == END_OF_TEXT else ""
        if not held:
            yield line


def _lines(texts: Iterator[str]) -> Iterator[str]:
    waiting: list[str] = []  # parts of a line whose end is not read yet
    try:
        for text in texts:
            waiting.append(text)
            if "\n" in text or "\r" in text:
                whole, rest = _split("".join(waiting))
                yield from whole
                waiting = [rest]
    except UnicodeError:
        yield from (line for line in _split_all("".join(waiting)) if line.endswith("\r"))
        raise
    yield from _split_all("".join(waiting))


def _split(text: str) -> tuple[list[str], str]:
    """The complete lines, and the text after them; a ``\\r`` at the very end may be half a line end."""
    lines = _split_all(text)
    rest = "" if not lines or lines[-1].endswith("\n") else lines.pop()
    return lines, rest


def _split_all(text: str) -> list[str]:
    return list(io.StringIO(text, newline=""))  # str.splitlines would split at U+2028 too


def _texts(source: _Blocks, decoder: codecs.IncrementalDecoder) -> Iterator[str]:
    while block := source.read(_BLOCK):
        state = decoder.getstate()
        try:
            text = decoder.decode(block)
        except UnicodeError:
            decoder.setstate(state)
            yield from _until_bad_byte(block, decoder)
            return
        yield text
    yield decoder.decode(b"", final=True)


def _until_bad_byte(block: bytes, decoder: codecs.IncrementalDecoder) -> Iterator[str]:
    """Yields the valid text at the start of ``block``, then raises the error of the block."""
    good = []
    try:
        for position in range(len(block)):
            good.append(decoder.decode(block[position : position + 1]))
    except UnicodeError:
        yield "".join(good)
        raise
