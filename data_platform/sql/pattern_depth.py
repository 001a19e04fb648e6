r"""Does a regular expression fit on Java's stack, however long the text is?

Java's engine calls itself for each turn of a repeated group whose turns may differ: ``(a|b)*`` or ``(\w+,)*`` on a
text of 40 KB overflows the stack, which ends not the rule but the JVM. A repeat of one character class, of a group
that always matches alike (``(\d{3},)*``), or one that gives nothing back (``(a|b)*+``, ``(?>a|b)*``) goes on in a
loop, and so may be of any length.

Only the parts that matter here are told apart; whether a pattern is one at all, Java itself is asked (``rule``).
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
"""Of groups within groups the product, of groups in a row the sum; a thousand overflow if the group is nested."""

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
    """``varies``: two turns of it may differ in length or way. ``turns``: how deep the engine may call itself."""

    start: int
    atomic: bool = False
    varies: bool = False
    turns: float = 0
    repeated: int = 0  # where the group within it that was repeated last begins


def too_deep(pattern: str) -> str:
    """The repeated group of ``pattern`` that may overflow the stack; empty if there is none."""
    groups, last = [_Group(0)], None
    for start, end, piece in _pieces(pattern):
        last = _take(groups, last, start, piece)
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


def _take(groups: list[_Group], last: _Group | None, start: int, piece: re.Match[str]) -> _Group | None:
    """The group that has just been closed, which what comes next may repeat."""
    opened = piece["open"]
    if opened and not opened.endswith(")"):  # (?i) is no group
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
    gives_nothing_back = times.endswith("+", 1)
    if group is not None and group.varies and not group.atomic and not gives_nothing_back and most:
        around.turns += most * (1 + group.turns) - group.turns
        around.repeated = group.start


def _bounds(times: str) -> tuple[float, float]:
    if times[0] != "{":
        return (1 if times[0] == "+" else 0), (1 if times[0] == "?" else inf)
    least, comma, most = times[1 : times.index("}")].partition(",")
    return int(least), int(most or least) if most or not comma else inf


def _class_end(pattern: str, start: int) -> int:
    """After the ``]`` that closes the class; classes nest, and a ``]`` that comes first is one of its characters."""
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
