"""Distributes the text files of a delivery over tasks: a large file over several, many small files to one.

A large file is cut only where a record starts; a walk through it (see ``text_walk``) finds the ends of records and
parses only the odd ones. A share yields exactly the records that a reader of the whole file yields there.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.ingestion.jsonlines import has_odd_return
from data_platform.ingestion.packing import Packing
from data_platform.ingestion.text_walk import LARGE, Piece, TextWalk
from data_platform.model.source import SourceFormat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.ingestion.delimited import CsvFormat
    from data_platform.ingestion.delivery_file import DeliveryFile

SHARE_BYTES = 16 << 20
"""Large enough that the start of a task is negligible, small enough that a day of about 100 MB keeps all cores busy."""

_OPENING = 1 << 17
"""The cost of opening a file, in bytes that could be read in that time."""


@dataclass(frozen=True)
class Share:
    """Bytes from ``start``, where line ``line`` starts, up to ``end``; None means the end of the file."""

    file: int
    start: int = 0
    line: int = 1
    end: int | None = None


def tasks_of(files: Sequence[DeliveryFile], kind: SourceFormat, fmt: CsvFormat, cores: int) -> list[list[Share]]:
    """The shares of each task, in the order of the files. Packed and small files are not cut."""
    shares = [share for number in range(len(files)) for share in _shares(number, files[number], kind, fmt)]
    costs = [_cost(share, files[share.file]) for share in shares]
    most = max(1, min(SHARE_BYTES, -(-sum(costs) // (2 * cores))))
    tasks: list[list[Share]] = []
    room = 0
    for share, cost in zip(shares, costs, strict=True):
        if not tasks or cost > room:
            tasks.append([])
            room = most
        tasks[-1].append(share)
        room -= cost
    return tasks


def _cost(share: Share, file: DeliveryFile) -> int:
    return _OPENING + (file.bytes if share.end is None else share.end) - share.start


def _shares(number: int, file: DeliveryFile, kind: SourceFormat, fmt: CsvFormat) -> list[Share]:
    if file.packing is not Packing.NONE or file.bytes < 2 * SHARE_BYTES:
        return [Share(number)]
    cuts = [(0, 1)]
    try:
        with file.open() as source:
            found = csv_places(source, file.name, fmt) if kind is SourceFormat.CSV else _line_places(source)
            for place, line in found:
                if place - cuts[-1][0] >= SHARE_BYTES:
                    cuts.append((place, line))
    except SourceError:
        pass  # the unreadable bytes are in the last share, whose reader reports them
    ends = [*(place for place, _ in cuts[1:]), None]
    return [Share(number, start, line, end) for (start, line), end in zip(cuts, ends, strict=True)]


def csv_places(source: IO[bytes], name: str, fmt: CsvFormat) -> Iterator[tuple[int, int]]:
    """Yields offsets where a record starts, and its line."""
    walk = TextWalk(source, name, fmt, width=None, parse=lambda _: ())
    for found in walk:
        if walk.is_final:
            return
        if isinstance(found, Piece):
            yield walk.taken, walk.line


def _line_places(source: IO[bytes]) -> Iterator[tuple[int, int]]:
    """Yields offsets where a line starts, and its number, as long as all before it is UTF-8 with usual line ends."""
    decoder, taken, line, last = codecs.getincrementaldecoder("utf-8")(), 0, 1, b""
    while block := source.read(LARGE):
        if has_odd_return(last + block):
            return
        try:
            decoder.decode(block)
        except UnicodeError:
            return
        newlines = block.count(b"\n")
        if newlines:
            yield taken + block.rfind(b"\n") + 1, line + newlines
        taken += len(block)
        line += newlines
        last = block[-1:]
