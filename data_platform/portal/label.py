"""Texts that fit into a box of a drawing, where nothing wraps and nothing scrolls."""

from __future__ import annotations

from unicodedata import category, east_asian_width

_WIDE = frozenset("WF")
_SHARE_OF_BEGIN = 0.6


def fitted(text: str, width: int) -> str:
    """At most ``width`` characters of usual width; a longer text loses its middle, since names differ at both ends.

    Signs that turn or hide text are left out: a name cannot change how its neighbours are read.
    """
    if len(text) <= width and text.isascii() and text.isprintable():
        return text
    clean = "".join(" " if category(one) == "Cc" else one for one in text if category(one) not in ("Cf", "Cs"))
    if _width(clean) <= width:
        return clean
    begin = _taken(clean, int((width - 1) * _SHARE_OF_BEGIN))
    end = _taken(clean[::-1], width - 1 - _width(begin))[::-1]
    return f"{begin}…{end}"


def _width(text: str) -> int:
    return sum(2 if east_asian_width(one) in _WIDE else 1 for one in text)


def _taken(text: str, width: int) -> str:
    taken = 0
    for place, one in enumerate(text):
        taken += _width(one)
        if taken > width:
            return text[:place]
    return text
