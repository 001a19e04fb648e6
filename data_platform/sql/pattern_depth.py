r"""Checks whether a regular expression fits on Java's stack, however long the text is.

Java's engine recurses for each iteration of a repeated group whose iterations may differ: ``(a|b)*`` or ``(\w+,)*`` on
a text of 40 KB overflows the stack, which ends the JVM and not only the rule. A repeat of one character class, of a
group that always matches the same length (``(\d{3},)*``), or without backtracking (``(a|b)*+``, ``(?>a|b)*``) runs in
a loop, and so may be of any length.

Only the parts that matter for this are distinguished; Java itself checks whether a pattern is valid (``rule``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ATOMIC = ("(?>", "(?=", "(?!", "(?<=", "(?<!")

MAX_TURNS = 500
"""The most recursions: the product for nested groups, the sum for groups in a row. A nested group overflows at 1000."""

_PIECE = re.compile(
    r"""(?P<quote>\\Q.*?(?:\\E|\Z))
      | (?P<wild>\\[RX])
      | \\[pPxNkc]\{[^}]*\} | \\.
      | (?P<open>\((?:\?(?:<?[=!]|>|<\w+>|[a-zA-Z-]*[:)])?)?)
      | (?P<close>\))
      | (?P<either>\|)
      | (?P<times>(?:[*+?]|\{\d+(?:,\d*)?\})[+?]?)
      | (?P<class>\[)
      | .""",
    re.VERBOSE | re.DOTALL,
)


@dataclass
class _Group:
    """``varies``: two iterations may differ in length or path. ``turns``: how deep the engine may recurse."""

    start: int
    atomic: bool = False
    varies: bool = False
    turns: float = 0
    repeated: int = 0  # start of the last repeated group inside it


def too_deep(pattern: str) -> str:
    """The repeated group of ``pattern`` that may overflow the stack; empty if there is none."""
    groups, last = [_Group(0)], None
    for start, end, piece in _pieces(pattern):
        last = _process(groups, last, start, piece)
        if groups[-1].turns > MAX_TURNS:
            return pattern[groups[-1].repeated : end]
    return ""


def _pieces(pattern: str) -> Iterator[tuple[int, int, re.Match[str]]]:
    at = 0
    while at < len(pattern):
        piece = _PIECE.match(pattern, at)
        assert piece is not None, "any character is a piece"  # noqa: S101
        end = _class_end(pattern, at) if piece["class"] else piece.end()
        yield at, end, piece
        at = end


def _process(groups: list[_Group], last: _Group | None, start: int, piece: re.Match[str]) -> _Group | None:
    """Processes a piece; returns the group that it closes, which the next piece may repeat."""
    opened = piece["open"]
    if opened and not opened.endswith(")"):  # (?i) is not a group
        groups.append(_Group(start, atomic=opened.startswith(_ATOMIC)))
    elif piece["close"] and len(groups) > 1:
        closed = groups.pop()
        groups[-1].varies |= closed.varies
        groups[-1].turns += closed.turns
        return closed
    elif piece["times"]:
        _repeat(groups[-1], last, piece["times"])
    elif piece["either"] or piece["wild"]:
        groups[-1].varies = True
    return None


def _repeat(around: _Group, group: _Group | None, times: str) -> None:
    least, most = _bounds(times)
    around.varies |= least != most
    is_possessive = times.endswith("+", 1)
    if group is not None and group.varies and not group.atomic and not is_possessive and most:
        around.turns += most * (1 + group.turns) - group.turns
        around.repeated = group.start


def _bounds(times: str) -> tuple[float, float]:
    if times[0] != "{":
        return (1 if times[0] == "+" else 0), (1 if times[0] == "?" else inf)
    least, comma, most = times[1 : times.index("}")].partition(",")
    return int(least), int(most or least) if most or not comma else inf


def _class_end(pattern: str, start: int) -> int:
    """The position after the ``]`` that closes the class; classes nest, and a leading ``]`` is a literal."""
    depth, at = 0, start
    while at < len(pattern):
        if pattern[at] == "[":
            depth += 1
            at += 2 if pattern.startswith("[^", at) else 1
            at += pattern.startswith("]", at)
            continue
        if pattern[at] == "]":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 2 if pattern[at] == "\\" else 1
    return at
