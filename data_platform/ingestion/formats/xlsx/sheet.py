"""Reads the rows of a sheet one by one, and what the sheet says about all of them: merged cells, hidden rows."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from data_platform.ingestion.formats.xml_stream import elements, local_name

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterator

_BLOCK = 1 << 20
_OVERLAP = 1 << 12
"""Longer than the tags that are searched for."""
_HIDDEN = re.compile(rb"<(?:\w+:)?row\s[^>]*?\bhidden=[\"'](?:1|true)[\"']")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?\bref=[\"'][A-Z]+(\d{1,7}):[A-Z]+(\d{1,7})[\"']")
_NUMBER = re.compile(r"[0-9]{1,7}")
_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


@dataclass(frozen=True)
class SheetFacts:
    """``merged`` are the first and last rows of merged cells, in order; ``hidden_rows`` counts hidden rows."""

    merged: tuple[tuple[int, int], ...] = ()
    hidden_rows: int = 0

    def is_merged(self, row: int) -> bool:
        """Whether the row has a merged cell."""
        place = bisect_right(self.merged, (row, _LAST)) - 1
        return place >= 0 and row <= self.merged[place][1]


_LAST = 1 << 62


def sheet_facts(source: IO[bytes]) -> SheetFacts:
    """Searches the text of the sheet, because merged cells are listed behind all rows."""
    merged: set[tuple[int, int]] = set()
    hidden, before = 0, b""
    while block := source.read(_BLOCK):
        text = before + block
        merged |= {(int(match[1]), int(match[2])) for match in _MERGED.finditer(text)}
        keep = max(len(text) - _OVERLAP, 0)
        hidden += sum(match.start() < keep for match in _HIDDEN.finditer(text))
        before = text[keep:]
    return SheetFacts(_joined(merged), hidden + len(_HIDDEN.findall(before)))


def _joined(ranges: set[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The ranges in order, those that overlap as one."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)


def rows(source: IO[bytes], file: str) -> Iterator[tuple[int, dict[int, ET.Element]]]:
    """Yields the number of each row, and its cells by the number of their column, both from 1.

    Raises:
        SourceError: After all rows before the place, the sheet is not XML.
    """
    number = 0
    for row in elements(source, file, "row"):
        written = row.get("r", "")
        number = int(written) if _NUMBER.fullmatch(written) else number + 1
        cells, column = {}, 0
        for cell in row:
            if local_name(cell.tag) == "c":
                match = _REFERENCE.fullmatch(cell.get("r", ""))
                column = column_number(match[1]) if match else column + 1
                cells[column] = cell
        yield number, cells


def column_number(letters: str) -> int:
    """``A`` is 1, ``AA`` is 27."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def column_letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
