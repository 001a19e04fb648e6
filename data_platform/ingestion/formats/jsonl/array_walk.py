"""Walks through a JSON list of objects, which is never in memory as a whole; ``_line`` is the number of the object.

A broken element costs one record if the next one can be found: it begins on a line of its own, with the same
indentation as the broken one. Else nothing behind it is read.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.ingestion.formats.jsonl.array_head import check_rest, enter_list
from data_platform.ingestion.formats.jsonl.columns import regular_columns
from data_platform.ingestion.formats.jsonl.element_scan import scan_elements
from data_platform.ingestion.formats.jsonl.parser import parse_record
from data_platform.ingestion.formats.jsonl.walk import JsonPiece
from data_platform.ingestion.formats.text.named_record import NamedRecord

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.ingestion.formats.text.name_binding import NameBinding
    from data_platform.ingestion.formats.text.record import Record
    from data_platform.ingestion.formats.text.window import Window

LARGE = 1 << 19
LARGEST = 1 << 24
"""An element of more bytes is treated as broken."""
_FEW = 20
"""Fewer elements than this are read faster one by one."""
_BLANK = b" \t\r\n"
_NOT_CLOSED = "not JSON: a string or an object is not closed"
_EMPTY = "nothing between two commas, or before the end of the list"


class ArrayWalk:
    """One walk through ``window``, from the start of a document of file ``file``."""

    def __init__(self, window: Window, file: str, path: Sequence[str]) -> None:
        self._window, self._file, self._path = window, file, path
        self._number, self._indent, self._after_comma = 0, b"", False

    def elements(self) -> Iterator[list[tuple[int, bytes]] | NamedRecord]:
        """Yields elements by their number, many at once, and malformed records.

        Raises:
            SourceError: After all elements before the place that cannot be read.
        """
        enter_list(self._window, self._file, self._path)
        size, is_ended = LARGE, False
        while not is_ended:
            content = self._window.peek(size)
            found = scan_elements(content)
            cuts = [-1, *found.commas, *([found.end] if found.end >= 0 else [])]
            parts = [content[start + 1 : end].strip(_BLANK) for start, end in pairwise(cuts)]
            is_ended = found.end >= 0
            if is_ended and parts == [b""] and not self._after_comma:
                parts.pop()  # an empty list, or the end behind a broken element
            if len(cuts) > 1:
                yield from self._numbered(parts)
                self._note_indent(content)
                self._window.take(cuts[-1] + 1)
                self._after_comma, size = not is_ended, LARGE
            elif found.broken is not None or self._window.ends_within(size) or size >= LARGEST:
                yield self._broken(content)
            else:
                size *= 2
        check_rest(self._window, f"{self._file}:{self._number + 1}", self._path)

    def _numbered(self, parts: list[bytes]) -> Iterator[list[tuple[int, bytes]] | NamedRecord]:
        first, self._number = self._number + 1, self._number + len(parts)
        numbered = list(enumerate(parts, start=first))
        if all(parts):
            yield numbered
            return
        yield [one for one in numbered if one[1]]
        yield from (NamedRecord(number, {}, "", _EMPTY) for number, part in numbered if not part)

    def _note_indent(self, content: bytes) -> None:
        """Notes what is before an element on its line, if only blanks are."""
        if match := re.match(rb"[ \t\r]*\n(?:[ \t\r]*\n)*([ \t]*)", content):
            self._indent = match[1]

    def _broken(self, content: bytes) -> NamedRecord:
        """The broken element at the start of ``content``, taken up to the next one.

        Raises: SourceError, if the next one cannot be found.
        """
        self._note_indent(content)
        start = re.match(rb"[ \t\r\n]*", content)
        begin = start.end() if start else 0
        after = re.compile(rb"\n" + re.escape(self._indent) + rb"[{]|\n[ \t]*\][ \t\r\n]*\Z").search(content, begin)
        is_on_line = b"\n" in content[:begin]
        if after is None or not is_on_line:
            self._window.raise_error()
            reason = "the list is not closed, or an object in it is broken, so that the next one cannot be found"
            raise SourceError(f"{self._file}:{self._number + 1}: {reason}. Ask for the file again.")
        self._window.take(after.start())
        self._number, self._after_comma = self._number + 1, False
        raw = content[begin : after.start()].strip(_BLANK).removesuffix(b",")
        return NamedRecord(self._number, {}, raw.decode("utf-8", "backslashreplace"), _NOT_CLOSED)


def parsed(elements: Iterator[list[tuple[int, bytes]] | NamedRecord]) -> Iterator[NamedRecord]:
    """The records of the elements, one by one."""
    for some in elements:
        if isinstance(some, NamedRecord):
            yield some
        else:
            yield from (_record(number, part) for number, part in some)


def pieces(
    elements: Iterator[list[tuple[int, bytes]] | NamedRecord], binding: NameBinding
) -> Iterator[JsonPiece | Record]:
    """The records of the elements, bound to columns, many at once where each is on one line."""
    for some in elements:
        if isinstance(some, NamedRecord):
            yield binding.bound(some)
        elif (piece := _piece(some, binding)) is not None:
            yield piece
        else:
            yield from (binding.bound(_record(number, part)) for number, part in some)


def _piece(some: list[tuple[int, bytes]], binding: NameBinding) -> JsonPiece | None:
    import numpy as np

    content = b"".join(part + b"\n" for _, part in some)
    if len(some) < _FEW or content.count(b"\n") != len(some) or b"\r" in content:
        return None
    regular = regular_columns(content, binding.place_of)
    if regular is None or not len(regular.lines):
        return None
    odd = [binding.bound(_record(*some[place])) for place in regular.odd.tolist()]
    return JsonPiece(np.array([number for number, _ in some])[regular.lines], regular.values, odd)


def _record(number: int, part: bytes) -> NamedRecord:
    try:
        return parse_record(number, part.decode())
    except UnicodeDecodeError:
        return NamedRecord(number, {}, part.decode("utf-8", "backslashreplace"), "not valid UTF-8")
