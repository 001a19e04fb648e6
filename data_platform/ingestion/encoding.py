"""Lines of a text file, decoded strictly: a byte that is not of the encoding is an error, never U+FFFD.

Why not ``io.TextIOWrapper``: at a bad byte it loses the good lines that stand before it in the same
block, and so cannot say on which line the byte is.
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
"""With which DOS ended a text."""
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNMARKED = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
"""Codecs that leave a byte-order mark in the text."""
_LOOKED_AT = 512
_NAME_IT = "Name the encoding in source.encoding or in the manifest, such as utf-16 or cp1252."


def decoded_lines(source: IO[bytes], file: str, encoding: str, *, first: int = 1) -> Iterator[str]:
    """Lines with their line ends (``\\n``, ``\\r\\n`` or ``\\r``); a byte-order mark is taken off.

    ``source`` is read from where it stands, a block at a time, and is left open. ``first`` is the number of the line
    there; a byte-order mark stands before the first line of a file only.

    Raises:
        SourceError: ``encoding`` is none; or, behind the last whole line before it, a byte that is not of
            the encoding, or a NUL character, which is in text only if it was read in the wrong encoding.
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
            yield line.removeprefix("\ufeff") if number == 1 and codec in _UNMARKED else line
    except UnicodeError:
        if blocks.other:
            raise SourceError(
                f"{file}:1: not valid {name}: it is {blocks.other.upper()} by its first bytes. "
                f"Declare source.encoding: {blocks.other}, or name it in the manifest."
            ) from None
        raise SourceError(f"{file}:{number + 1}: not valid {name}. {_NAME_IT}") from None


class _Blocks:
    """A source that looks at its first block for the marks of another encoding."""

    def __init__(self, source: IO[bytes], codec: str, first: int) -> None:
        self._source, self._codec, self._is_first, self.other = source, codec, first == 1, ""

    def read(self, size: int) -> bytes:
        block = self._source.read(size)
        if self._is_first:
            self._is_first, self.other = False, other_encoding(block, self._codec)
        return block


def other_encoding(head: bytes, codec: str) -> str:
    """The encoding that the first bytes of a file tell, if that is not ``codec``, its normal name."""
    codec = codec.removesuffix("-sig")
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), "")
    if marked and codec not in (marked, "utf-16" if "16" in marked else "utf-32" if "32" in marked else marked):
        return marked if marked == "utf-8" or codec.startswith(marked[:6]) else marked[:6]
    if not marked and not codec.startswith(("utf-16", "utf-32")):
        even, odd = head[:_LOOKED_AT:2], head[1:_LOOKED_AT:2]
        if len(odd) > 1 and odd.count(0) > len(odd) / 2 and not even.count(0):
            return "utf-16-le"
        if len(odd) > 1 and even.count(0) > len(even) / 2 and not odd.count(0):
            return "utf-16-be"
    return ""


def looks_like_utf8(part: bytes) -> bool:
    """Whether ``part`` of a text has letters of several bytes, all of them as UTF-8 writes them."""
    if part.isascii():
        return False
    text = part.lstrip(bytes(range(0x80, 0xC0)))  # of a letter that begins before
    try:
        codecs.getincrementaldecoder("utf-8")().decode(text)
    except UnicodeError:
        return False
    return not text.isascii()


def without_end_sign(lines: Iterable[str]) -> Iterator[str]:
    """Without a last line that is nothing but the sign with which DOS ended a text."""
    held = ""
    for line in lines:
        if held:
            yield held
        held = line if line.startswith(END_OF_TEXT) and line.rstrip("\r\n") == END_OF_TEXT else ""
        if not held:
            yield line


def _lines(texts: Iterator[str]) -> Iterator[str]:
    waiting: list[str] = []  # of a line whose end has not been seen
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
    """Whole lines, and what is behind them; a ``\\r`` at the very end may be half a line end."""
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
    """The good text of ``block``, and then the error that the block has."""
    good = []
    try:
        for position in range(len(block)):
            good.append(decoder.decode(block[position : position + 1]))
    except UnicodeError:
        yield "".join(good)
        raise
