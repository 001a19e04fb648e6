"""Finds the elements of a JSON list in a piece of its text, without parsing them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from data_platform.ingestion.formats.jsonl.member_scan import escaped_places

_QUOTE, _OPEN, _CLOSE, _COMMA, _LINE = 1, (2, 3), (4, 5), 6, 7
_TABLE = bytearray(256)
for _kind, _characters in enumerate((b'"', b"{", b"[", b"}", b"]", b",", b"\r\n"), start=1):
    for _character in _characters:
        _TABLE[_character] = _kind
_NOWHERE = 1 << 62


@dataclass(frozen=True)
class ElementScan:
    """``commas`` are the offsets of those between elements; ``end`` is that of the list's ``]``, -1 if it is not there.

    All of them are before ``broken``, where the text stops being JSON: in a string that goes on behind its line, or at
    a bracket of the wrong kind.
    """

    commas: list[int]
    end: int
    broken: int | None


def scan_elements(content: bytes) -> ElementScan:
    """Scans ``content``, which starts where an element may start."""
    import numpy as np

    kinds = np.frombuffer(bytearray(content).translate(_TABLE), np.uint8)
    if b"\\" in content:
        escaped = escaped_places(np.flatnonzero(np.frombuffer(content, np.uint8) == ord("\\")))
        escaped = escaped[escaped < len(kinds)]
        kinds[escaped[kinds[escaped] != _LINE]] = 0
    place = np.flatnonzero(kinds)
    kind = kinds[place]
    in_string = (np.cumsum(kind == _QUOTE) & 1).astype(bool)
    broken = _first(place[(kind == _LINE) & in_string])
    is_outer = ~in_string & (kind != _QUOTE) & (kind != _LINE)
    place, kind = place[is_outer], kind[is_outer].astype(np.int64)
    opens, closes = np.isin(kind, _OPEN), np.isin(kind, _CLOSE)
    depth = np.cumsum(opens.astype(np.int64) - closes)
    below = np.flatnonzero(depth < 0)
    inner = slice(0, int(below[0]) if len(below) else len(place))
    end = -1
    if len(below) and kind[below[0]] == _CLOSE[1]:
        end = int(place[below[0]])
    elif len(below):
        broken = min(broken, int(place[below[0]]))
    wrong = _mismatches(kind[inner], depth[inner], opens[inner], closes[inner])
    broken = min(broken, _first(place[inner][wrong]))
    commas = place[inner][(kind[inner] == _COMMA) & (depth[inner] == 0)]
    return ElementScan(
        commas[commas < broken].tolist(), end if end < broken else -1, None if broken == _NOWHERE else broken
    )


def _mismatches(kind: Any, depth: Any, opens: Any, closes: Any) -> Any:
    """The indices of brackets that close one of the other kind."""
    import numpy as np

    brackets = np.flatnonzero(opens | closes)
    level = depth[brackets] + closes[brackets]
    order = brackets[np.argsort(level, kind="stable")]
    before = np.concatenate(([0], kind[order][:-1]))
    return np.sort(order[closes[order] & (before + 2 != kind[order])])


def _first(places: Any) -> int:
    return int(places[0]) if len(places) else _NOWHERE
