"""Finds the members of all objects of a piece of JSON lines at once, without parsing their values.

A line is regular if it is ``{``, members separated by ``,``, and ``}``; a member is a key, a ``:`` outside strings and
inner objects, and a value. A caller that parses each key and value completely as JSON has then parsed every byte of the
line. All other lines are odd, including blank ones and ``{}``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

_LINE, _QUOTE, _BEGIN, _END, _OPEN, _CLOSE, _COLON, _COMMA, _CONTROL = range(1, 10)
_KINDS = 10
_MARKS = {"\n": _LINE, '"': _QUOTE, "{": _BEGIN, "}": _END, "[": _OPEN, "]": _CLOSE, ":": _COLON, ",": _COMMA}
_TABLE = bytes(_MARKS.get(chr(byte), _CONTROL if byte < 32 else 0) for byte in range(256))
_ADJACENT = {(_LINE, _BEGIN), (_END, _LINE)}
_FOLLOWING = {(_BEGIN, _COLON), (_COLON, _COMMA), (_COMMA, _COLON), (_COLON, _END), *_ADJACENT}
_DEEPEST = 100
"""Lines nested deeper than this are odd; Python's parser fails only at a much greater depth."""


@dataclass(frozen=True)
class Members:
    """The members of the regular lines, in the order of ``content``; ``odd`` has a boolean for each of its lines.

    ``line`` has the line of each member, from 0. Start and end are offsets of keys and values in ``content``; a key
    includes its quotes and blanks. ``is_string`` is true for a value that begins and ends with a quote and has only
    escaped quotes between. ``backslashes`` are the offsets of all backslashes.
    """

    content: bytes
    odd: Any
    line: Any
    key_start: Any
    key_end: Any
    start: Any
    end: Any
    is_string: Any
    backslashes: Any


@dataclass(frozen=True)
class _Marks:
    """Structural characters with their offsets, and the number of quotes up to each."""

    place: Any
    kind: Any
    quotes: Any

    def where(self, chosen: Any) -> _Marks:
        import numpy as np

        at = np.flatnonzero(chosen)
        return _Marks(self.place[at], self.kind[at], self.quotes[at])

    @cached_property
    def ends(self) -> Any:
        """The indices of the line ends among the marks."""
        import numpy as np

        return np.flatnonzero(self.kind == _LINE)

    @cached_property
    def line(self) -> Any:
        import numpy as np

        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=-1))


def scan_members(content: bytes) -> Members:
    """Scans ``content``, which must be UTF-8 and end with a line end."""
    import numpy as np

    text = np.frombuffer(content, np.uint8)
    backslashes = np.flatnonzero(text == ord("\\")) if b"\\" in content else np.array([], np.int64)
    marks = _marks(content, backslashes)
    odd = np.zeros(len(marks.ends), bool)
    if (control := np.flatnonzero(marks.kind == _CONTROL)).size:
        odd[marks.line[control]] = True
    outer = _outermost(_outside_strings(marks))
    odd[outer.line[np.flatnonzero(~_is_in_order(outer))]] = True
    colon = np.flatnonzero((outer.kind == _COLON) & ~odd[outer.line])
    start, end = outer.place[colon] + 1, outer.place[colon + 1]
    start += text[start] == ord(" ")
    end -= (text[end - 1] == ord(" ")) & (end > start)
    in_quotes = (text[start] == ord('"')) & (text[end - 1] == ord('"'))
    return Members(
        content=content,
        odd=odd,
        line=outer.line[colon],
        key_start=outer.place[colon - 1] + 1,
        key_end=outer.place[colon],
        start=start,
        end=end,
        is_string=in_quotes & (outer.quotes[colon + 1] - outer.quotes[colon] == 2),
        backslashes=backslashes,
    )


def _marks(content: bytes, backslashes: Any) -> _Marks:
    import numpy as np

    kinds = np.frombuffer(bytearray(content).translate(_TABLE), np.uint8)
    if len(backslashes):
        escaped = escaped_places(backslashes)
        kinds[escaped[kinds[escaped] != _LINE]] = 0
    place = np.flatnonzero(kinds.astype(bool))
    kind = kinds[place]
    return _Marks(place, kind, np.cumsum(kind == _QUOTE, dtype=np.int32))


def escaped_places(backslashes: Any) -> Any:
    """The offsets after the first, third, fifth … backslash of each run."""
    import numpy as np

    number = np.arange(len(backslashes))
    run = np.maximum.accumulate(np.where(np.diff(backslashes, prepend=-2) != 1, number, 0))
    return backslashes[(number - run) % 2 == 0] + 1


def _outside_strings(marks: _Marks) -> _Marks:
    """All line ends, and the other marks that follow an even number of quotes in their line."""
    quotes = marks.quotes
    if (quotes[marks.ends] & 1).any():
        quotes = _in_line(quotes, marks)
    return marks.where(((marks.kind != _QUOTE) & ((quotes & 1) == 0)) | (marks.kind == _LINE))


def _outermost(marks: _Marks) -> _Marks:
    """The marks without those of inner objects and lists."""
    import numpy as np

    opening = (marks.kind == _BEGIN) | (marks.kind == _OPEN)
    if np.count_nonzero(opening) <= len(marks.ends):
        return marks
    closing = (marks.kind == _END) | (marks.kind == _CLOSE)
    depth = _in_line(np.cumsum(opening.astype(np.int32) - closing), marks)
    too_deep = np.zeros(len(marks.ends), bool)
    too_deep[marks.line[depth > _DEEPEST]] = True
    at = np.where(closing, 0, 1)
    return marks.where(((depth == at) & ~too_deep[marks.line]) | (marks.kind == _LINE))


def _in_line(counts: Any, marks: _Marks) -> Any:
    """Running ``counts``, restarted at 0 in each line."""
    import numpy as np

    before = np.concatenate((np.zeros(1, counts.dtype), counts[marks.ends[:-1]]))
    return counts - before[marks.line]


def _is_in_order(marks: _Marks) -> Any:
    """Whether each mark may follow the one before it."""
    import numpy as np

    pair = np.concatenate((np.array([_LINE], np.uint8), marks.kind[:-1])) * np.uint8(_KINDS) + marks.kind
    gap = np.diff(marks.place, prepend=-1)
    return _table(_FOLLOWING)[pair] & ((gap == 1) | ~_table(_ADJACENT)[pair])


def _table(pairs: set[tuple[int, int]]) -> Any:
    import numpy as np

    table = np.zeros(_KINDS * _KINDS, bool)
    table[[before * _KINDS + kind for before, kind in pairs]] = True
    return table
