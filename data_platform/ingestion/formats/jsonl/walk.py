"""Walks through JSON lines: yields pieces of many regular lines and a few odd ones, or records one by one."""

from __future__ import annotations

import io
from dataclasses import dataclass
from itertools import chain
from typing import IO, TYPE_CHECKING, Any

from data_platform.errors import SourceError
from data_platform.ingestion.formats.jsonl.columns import Columns, regular_columns
from data_platform.ingestion.formats.jsonl.parser import has_odd_return, read_json_records
from data_platform.ingestion.formats.text.piece import line_pieces
from data_platform.ingestion.formats.text.window import Window

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.ingestion.formats.text.name_binding import NameBinding
    from data_platform.ingestion.formats.text.record import Record

LARGE = 1 << 19
"""Bytes of a piece whose marks still fit into a processor's cache."""
SMALL = 1 << 12
"""Fewer bytes than this are read faster record by record."""
_MOST = 1 << 30
"""Arrow counts the bytes of a column in 32 bits."""


@dataclass(frozen=True)
class JsonPiece:
    """Regular records: their ``lines``, and their ``values`` by column position; ``odd`` are the other records."""

    lines: Any
    values: dict[int, Any]
    odd: list[Record]


def json_walk(
    source: IO[bytes], file: str, binding: NameBinding, *, line: int = 1, length: int | None = None
) -> Iterator[JsonPiece | Record]:
    """Yields all records in the next ``length`` bytes of ``source``, whose current position is at ``line``.

    Raises: SourceError, after all records before the error: as ``parser.read_json_records``.
    """
    pieces = line_pieces(Window(source, length), LARGE)
    for content in pieces:
        final = has_odd_return(content)
        piece = _piece(content, file, binding, line) if not final and SMALL <= len(content) <= _MOST else None
        if piece is not None:
            yield piece
        else:
            lines = chain.from_iterable(map(io.BytesIO, chain([content], pieces) if final else [content]))
            yield from map(binding.bound, read_json_records(lines, file, line))
        line += content.count(b"\n")


def _piece(content: bytes, file: str, binding: NameBinding, line: int) -> JsonPiece | None:
    """Parses ``content`` at once; returns None if all of it must be read record by record."""
    plain = content.replace(b"\r\n", b"\n") if b"\r" in content else content
    regular = regular_columns(plain if plain.endswith(b"\n") else plain + b"\n", binding.place_of)
    if regular is None or not len(regular.lines):
        return None
    try:
        odd = [binding.bound(record) for record in _odd(content, regular, file, line)] if len(regular.odd) else []
    except SourceError:
        return None
    return JsonPiece(regular.lines + line, regular.values, odd)


def _odd(content: bytes, regular: Columns, file: str, line: int) -> Iterator[Any]:
    lines = content.split(b"\n")
    for number in regular.odd.tolist():
        yield from read_json_records([lines[number]], file, line + number)
