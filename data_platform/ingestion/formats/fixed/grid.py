"""The records of a text as positions in its bytes, out of which a field of all records is sliced at once.

A text is UTF-8 here, whatever the file has. A position counts characters, or the bytes that they have in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_LINE_FEED, _RETURN = 10, 13
_CONTINUES, _CONTINUATION = 0xC0, 0x80
"""Bits of a UTF-8 byte that is not the first of its character."""


class Grid:
    """``begin`` and ``end`` are the positions of the records; ``count`` is the number of records, and ``has_nul`` says
    whether their text has a NUL character."""

    def __init__(self, content: bytes, begin: Any, end: Any, places: _Places | None) -> None:
        self._content, self.begin, self.end, self._places = content, begin, end, places
        self.count, self.has_nul = len(begin), b"\0" in content

    @property
    def lengths(self) -> Any:
        return self.end - self.begin

    def texts(self, start: int, length: int, rows: Any = None) -> Any:
        """The text from position ``start``, which counts from 1, of each record; shorter where a record ends."""
        import numpy as np

        begin, end = (self.begin, self.end) if rows is None else (self.begin[rows], self.end[rows])
        first = np.minimum(begin + (start - 1), end)
        return self._slices(first, np.minimum(first + length, end))

    def cuts_character(self, start: int, length: int, rows: Any) -> Any:
        """Whether the field begins or ends within a character, by row."""
        import numpy as np

        if self._places is None:
            return np.zeros(len(rows), bool)
        first, end = np.minimum(self.begin[rows] + (start - 1), self.end[rows]), self.end[rows]
        return ~(self._places.are_starts(first) & self._places.are_starts(np.minimum(first + length, end)))

    def raw(self, row: int) -> str:
        [first], [last] = self._offsets(self.begin[row : row + 1]), self._offsets(self.end[row : row + 1])
        return self._content[first:last].decode()

    def are_blank(self) -> Any:
        """Whether a record has only blanks, or is the end-of-file character of DOS."""
        import numpy as np
        import pyarrow.compute as pc  # type: ignore[import-untyped]

        texts = pc.ascii_trim(self._slices(self.begin, self.end), characters=" \t\x1a")
        return pc.equal(pc.binary_length(texts), 0).to_numpy(zero_copy_only=False).astype(np.bool_)

    def _slices(self, first: Any, last: Any) -> Any:
        import numpy as np
        import pyarrow as pa

        offsets = np.empty(2 * len(first), np.int32)
        offsets[::2], offsets[1::2] = self._offsets(first), self._offsets(last)
        both = pa.StringArray.from_buffers(max(len(offsets) - 1, 0), pa.py_buffer(offsets), pa.py_buffer(self._content))
        return both.take(pa.array(np.arange(0, len(offsets), 2)))

    def _offsets(self, positions: Any) -> Any:
        return positions if self._places is None else self._places.offsets(positions)


class _Places:
    """Maps positions to offsets in UTF-8, in a text in which the two differ; one within a character, to its end."""

    def __init__(self, content: bytes, text: str, widths: Callable[[Any], Any] | None) -> None:
        import numpy as np

        starts = np.flatnonzero((np.frombuffer(content, np.uint8) & _CONTINUES) != _CONTINUATION)
        self._starts = self._offset_at = np.append(starts, len(content))
        self._position_at = None
        if widths is not None:
            points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
            self._position_at = np.concatenate(([0], np.cumsum(widths(points))))
            indices = np.searchsorted(self._position_at, np.arange(self._position_at[-1] + 1))
            self._offset_at = self._starts[indices]

    def offsets(self, positions: Any) -> Any:
        return self._offset_at[positions]

    def positions(self, offsets: Any) -> Any:
        import numpy as np

        indices = np.searchsorted(self._starts, offsets)
        return indices if self._position_at is None else self._position_at[indices]

    def are_starts(self, positions: Any) -> Any:
        import numpy as np

        if self._position_at is None:
            return np.ones(len(positions), bool)
        return np.isin(positions, self._position_at)


def grid_of_lines(text: str, widths: Callable[[Any], Any] | None) -> Grid:
    """The lines of ``text``, each ended by a line feed, and the last perhaps by none. ``widths`` returns the bytes of
    each character; without it, positions count characters."""
    import numpy as np

    content = text.encode()
    places = _Places(content, text, widths) if not content.isascii() else None
    octets = np.frombuffer(content, np.uint8)
    ends = np.flatnonzero(octets == _LINE_FEED)
    begins = np.concatenate(([0], ends + 1))
    if begins[-1] == len(content):
        begins = begins[:-1]
    else:
        ends = np.append(ends, len(content))
    has_return = (ends > begins) & (octets[np.maximum(ends - 1, 0)] == _RETURN)
    ends = ends - has_return
    if places is not None:
        begins, ends = places.positions(begins), places.positions(ends)
    return Grid(content, begins, ends, places)


def grid_of_records(text: str, length: int, widths: Callable[[Any], Any]) -> Grid:
    """The records of ``text``, which has no line ends; each has ``length`` bytes in the file."""
    import numpy as np

    content = text.encode()
    places = _Places(content, text, widths) if not content.isascii() else None
    size = len(content) if places is None else int(places.positions(np.array([len(content)]))[0])
    begins = np.arange(0, size - size % length, length)
    return Grid(content, begins, begins + length, places)
