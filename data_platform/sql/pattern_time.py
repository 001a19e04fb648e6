r"""Checks whether a regular expression can take hours on a long text: open repeats in a row that match the same.

Java tries each way to divide the text among them. With ``.*,.*,.*,.*,.*`` and ``(.*,){11}`` the ways grow with the
fourth power of the length and more; ``[^,]*,[^,]*,`` has one way. A repeat of a repeated class, ``(\w+)+``, is no
problem of time in Java, which remembers where a group failed; ``pattern_depth`` judges it.

The check may miss a slow expression, such as one with open alternatives in a repeat, but does not refuse a fast one.
"""

from __future__ import annotations

import re
import warnings
from typing import Any, TypeAlias

Rows: TypeAlias = dict[frozenset[int] | None, int]

MOST_IN_A_ROW = 4
"""More open repeats in a row take minutes for a text of a thousand characters."""

_OPEN_FROM = 50
"""A repeat that may match this many more times than it must counts as open."""

_TURNS = MOST_IN_A_ROW + 2
_MOST_STEPS = 20_000
_REST = 128
"""Stands for all characters beyond ASCII."""
_ALL = frozenset(range(_REST + 1))
_CATEGORIES = {
    "DIGIT": frozenset(map(ord, "0123456789")),
    "SPACE": frozenset(map(ord, " \t\n\r\x0b\x0c")),
    "WORD": frozenset(map(ord, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")),
}


def open_repeats(pattern: str) -> int:
    """The most open repeats in a row that can match the same characters; 0 if Python cannot parse the expression."""
    from re import _parser  # type: ignore[attr-defined]

    text = re.sub(r"\\[pP]\{\w+\}", ".", pattern)  # Java's classes, such as \p{L}
    walk = _Walk()
    try:
        with warnings.catch_warnings(action="ignore"):
            walk.after({None: 0}, _parser.parse(text))
    except (re.error, RecursionError, OverflowError):
        return 0
    return walk.longest


class _Walk:
    """Follows an expression. A state maps the characters of the last open repeat, as long as it can match all that
    follows, to the length of the row that ends with it; None is no such repeat."""

    def __init__(self) -> None:
        self.longest = 0
        self._steps = 0

    def after(self, rows: Rows, parsed: Any) -> Rows:
        for operation, argument in parsed:
            kind = str(operation)
            self._steps += 1
            if self._steps > _MOST_STEPS:
                return {None: 0}
            if kind == "SUBPATTERN":
                rows = self.after(rows, argument[3])
            elif kind == "BRANCH":
                rows = _merged(*(self.after(rows, branch) for branch in argument[1]))
            elif kind in ("MAX_REPEAT", "MIN_REPEAT"):
                rows = self._after_repeat(rows, *argument)
            elif kind not in ("AT", "ASSERT", "ASSERT_NOT"):
                rows = _after_characters(rows, _characters(kind, argument))
        return rows

    def _after_repeat(self, rows: Rows, least: int, most: int, inner: Any) -> Rows:
        single = _characters(str(inner[0][0]), inner[0][1]) if len(inner) == 1 else None
        if single is not None and int(most) - int(least) >= _OPEN_FROM:
            row = max(row + 1 if last is not None and last & single else 1 for last, row in rows.items())
            self.longest = max(self.longest, row)
            return _merged({single: row}, {} if least else rows)
        for turn in range(min(int(most), _TURNS)):
            taken = self.after(rows, inner)
            rows = taken if turn < int(least) else _merged(rows, taken)
        return rows


def _after_characters(rows: Rows, characters: frozenset[int] | None) -> Rows:
    """``characters`` are those of a part that must match; None if nothing can be said about it."""
    kept: Rows = {last: row for last, row in rows.items() if last is not None and characters and last & characters}
    return kept or {None: 0}


def _merged(*several: Rows) -> Rows:
    rows: Rows = {}
    for one in several:
        for last, row in one.items():
            rows[last] = max(row, rows.get(last, 0))
    return rows


def _characters(kind: str, argument: Any) -> frozenset[int] | None:
    if kind == "LITERAL":
        return frozenset([min(argument, _REST)])
    if kind == "NOT_LITERAL":
        return _ALL - {argument}
    if kind == "ANY":
        return _ALL - {10}
    return _of_class(argument) if kind == "IN" else None


def _of_class(items: Any) -> frozenset[int]:
    found: set[int] = set()
    is_negated = False
    for operation, argument in items:
        kind = str(operation)
        if kind == "NEGATE":
            is_negated = True
        elif kind == "LITERAL":
            found.add(min(argument, _REST))
        elif kind == "RANGE":
            found.update(range(argument[0], min(argument[1], _REST) + 1))
        else:
            name = str(argument).removeprefix("CATEGORY_")
            characters = _CATEGORIES[name.removeprefix("NOT_")]
            found |= _ALL - characters if name.startswith("NOT_") else characters
    return (_ALL - found) | {_REST} if is_negated else frozenset(found)
