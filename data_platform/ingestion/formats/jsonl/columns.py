"""Turns the regular lines of a piece of JSON lines into Arrow string columns with the same values as ``parser``.

Strings, numbers, booleans and nulls are sliced out of the piece, a whole column at once; ``parser`` reads objects,
lists and values with a backslash one by one. A line that may not be regular is odd.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_platform.ingestion.formats.jsonl.member_scan import Members, scan_members
from data_platform.ingestion.formats.jsonl.parser import value_text

if TYPE_CHECKING:
    from collections.abc import Callable

_KEY = re.compile(r' ?"([^"\\\x00-\x1f]*)" ?')
_SCALAR = r"\A(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)\z"
_NO_PLACE = -(1 << 31)


@dataclass(frozen=True)
class Columns:
    """``lines`` and ``odd`` are line numbers from 0; ``values`` has the columns of ``lines``, by position."""

    lines: Any
    odd: Any
    values: dict[int, Any]


@dataclass(frozen=True)
class _Values:
    """``text`` alternates each member's value and the text up to the next; ``read`` has the values read one by one."""

    text: Any
    is_null: Any
    is_read: Any
    read: dict[int, str | None] = field(default_factory=dict)


def regular_columns(content: bytes, place_of: Callable[[str], int | None]) -> Columns | None:
    """The columns of the regular lines of ``content``, which ends with a line end.

    Returns None if ``content`` is not UTF-8, or is read faster line by line. ``place_of`` returns the position of a
    name; below 0, if its values are not requested; None, if it has no position.
    """
    import numpy as np

    if not content.isascii() and not _is_utf8(content):
        return None
    members = scan_members(content)
    odd = members.odd.copy()
    places, distinct = _places(members, place_of)
    odd[members.line[places == _NO_PLACE]] = True
    by_place = {place: np.flatnonzero(places == place) for place in distinct if place != _NO_PLACE}
    for numbers in by_place.values():
        lines = members.line[numbers]
        odd[lines[1:][lines[1:] == lines[:-1]]] = True  # two members with the same name
    if (values := _values(members, places, odd)) is None:
        return None
    regular = np.flatnonzero(~odd)
    rank = np.cumsum(~odd) - 1
    columns = {}
    for place, numbers in by_place.items():
        if place >= 0:
            wanted = numbers[~odd[members.line[numbers]]]
            columns[place] = _column(values, wanted, rank[members.line[wanted]], len(regular))
    return Columns(regular, np.flatnonzero(odd), columns)


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _places(members: Members, place_of: Callable[[str], int | None]) -> tuple[Any, set[int]]:
    """The position of each member by its key, and the set of all positions; each distinct key is parsed once."""
    import numpy as np

    keys = _slices(members.content, members.key_start, members.key_end)
    encoded = keys.take(_even(np.arange(len(members.line)))).dictionary_encode()
    places = np.full(len(encoded.dictionary), _NO_PLACE)
    for number, key in enumerate(encoded.dictionary.to_pylist()):
        name = _KEY.fullmatch(key)
        place = place_of(name[1]) if name else None
        if place is not None:
            places[number] = place
    return places[encoded.indices.to_numpy()], set(places.tolist())


def _values(members: Members, places: Any, odd: Any) -> _Values | None:
    """Marks in ``odd`` the lines with a value that is not JSON, or not text. None: most must be read one by one."""
    import numpy as np
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    inner = members.is_string.astype(np.int64)
    text = _slices(members.content, members.start + inner, members.end - inner)
    is_null, is_read = np.zeros(len(inner), bool), np.zeros(len(inner), bool)
    plain = np.flatnonzero(~members.is_string)
    if len(plain):
        tokens = text.take(_even(plain))
        is_null[plain] = pc.equal(tokens, "null").to_numpy(zero_copy_only=False)
        is_read[plain] = ~pc.match_substring_regex(tokens, _SCALAR).to_numpy(zero_copy_only=False)
    if len(members.backslashes) and len(members.line):
        near = np.searchsorted(members.start, members.backslashes, side="right") - 1
        is_read[near[(near >= 0) & (members.backslashes < members.end[near])]] = True
    if 2 * np.count_nonzero(is_read) > len(is_read):
        return None
    values = _Values(text, is_null, is_read)
    for number in np.flatnonzero(is_read).tolist():
        token = members.content[members.start[number] : members.end[number]].decode()
        try:
            value = value_text(token)
            if value and places[number] >= 0:
                value.encode()
        except ValueError:
            odd[members.line[number]] = True
        else:
            values.read[number] = value
    return values


def _column(values: _Values, chosen: Any, rows: Any, count: int) -> Any:
    """The values of the members ``chosen`` in their ``rows``, and NULL in the others of ``count`` rows."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    number, empty = np.zeros(count, np.int64), np.ones(count, bool)
    number[rows], empty[rows] = chosen, values.is_null[chosen]
    column = values.text.take(_even(number, empty if empty.any() else None))
    read = values.is_read[chosen]
    if not read.any():
        return column
    mask = np.zeros(count, bool)
    mask[rows[read]] = True
    return pc.replace_with_mask(
        column, pa.array(mask), pa.array([values.read[one] for one in chosen[read].tolist()], pa.string())
    )


def _slices(content: bytes, start: Any, end: Any) -> Any:
    """An array with the text from each start to its end at even indices, and the text between at odd ones. No copy."""
    import numpy as np
    import pyarrow as pa

    offsets = np.empty(2 * len(start) + 1, np.int32)
    offsets[:-1:2], offsets[1::2], offsets[-1] = start, end, len(content)
    return pa.StringArray.from_buffers(2 * len(start), pa.py_buffer(offsets), pa.py_buffer(content))


def _even(numbers: Any, mask: Any = None) -> Any:
    import pyarrow as pa

    return pa.array(2 * numbers, mask=mask)
