"""Lines of a text file, decoded strictly: a byte that is not of the encoding is an error, never U+FFFD.

Why not ``io.TextIOWrapper``: at a bad byte it loses the good lines that stand before it in the same
block, and so cannot say on which line the byte is.
"""

from __future__ import annotations

import codecs
import io
from typing import IO, TYPE_CHECKING

from data_platform.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK = 1 << 18


def decoded_lines(source: IO[bytes], file: str, encoding: str) -> Iterator[str]:
    """Lines with their line ends (``\\n``, ``\\r\\n`` or ``\\r``); a byte-order mark is taken off.

    ``source`` is read from where it stands, a block at a time, and is left open.

    Raises:
        SourceError: ``encoding`` is none; or, behind the last whole line before it, a byte that is not of
            the encoding, or a NUL character, which is in text only if it was read in the wrong encoding.
    """
    try:
        codec = codecs.lookup(encoding).name
        decoder = codecs.getincrementaldecoder("utf-8-sig" if codec == "utf-8" else codec)()
        "a".encode(codec)  # a codec such as base64, which is not of text, says so only when it is used
    except (LookupError, UnicodeError):
        raise SourceError(f"{file}: {encoding!r} is not an encoding that Python knows, such as cp1252") from None
    name = "UTF-8" if codec == "utf-8" else encoding
    number = 0
    try:
        for number, line in enumerate(_lines(_texts(source, decoder)), start=1):
            if "\0" in line:
                raise SourceError(
                    f"{file}:{number}: not valid {name}: NUL character. Name the encoding in the manifest."
                )
            yield line
    except UnicodeError:
        raise SourceError(f"{file}:{number + 1}: not valid {name}. Name the encoding in the manifest.") from None


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
