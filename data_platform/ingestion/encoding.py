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
    try:
        for number, line in enumerate(_lines(_texts(source, decoder)), start=first):
            if "\0" in line:
                raise SourceError(f"{file}:{number}: not valid {name}: NUL character. {_NAME_IT}")
            yield line
    except UnicodeError:
        raise SourceError(f"{file}:{number + 1}: not valid {name}. {_NAME_IT}") from None


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


def _texts(source: IO[bytes], decoder: codecs.IncrementalDecoder) -> Iterator[str]:
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
