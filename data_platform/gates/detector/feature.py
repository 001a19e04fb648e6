"""The features by which the tagger judges a word: its letters, its form, and the words and forms around it.

Features are texts, hashed into rows of the table of weights, so there is no vocabulary. Training and evaluation share
them.
"""

from __future__ import annotations

import re
import zlib
from functools import lru_cache
from typing import TYPE_CHECKING

from data_platform.model.personal_name import words as words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

BUCKETS = 1 << 18
LONGEST = 4_000
"""Characters of a text that are read; the rest is not searched."""

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|\n|[^\w\s]|_")
_EDGE = "\x02"
_OFFSETS = (-3, -2, -1, 1, 2, 3)
_FURTHEST = 3
_PAD = (_EDGE,) * _FURTHEST


def tokens(text: str) -> list[tuple[str, int, int]]:
    """The words, numbers, signs and line breaks of ``text``, each with its place."""
    return [(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(text[:LONGEST])]


def is_word(token: str) -> bool:
    """Whether a token is a word or a number, and no sign: ``O'Brien`` is one."""
    return token[0].isalnum()


def features(words: Sequence[str]) -> list[list[int]]:
    """The hashed features of each word and number of a text, without those of its column; signs have none."""
    padded = (*_PAD, *words, *_PAD)
    length = f"{min(len(words), 8)}"
    return [_features(padded, at, length) for at, word in enumerate(words, _FURTHEST) if is_word(word)]


def _features(padded: Sequence[str], at: int, length: str) -> list[int]:
    found = [*_own(padded[at])]
    for offset in _OFFSETS:
        found += _neighbour(padded[at + offset], offset)
    found += map(_bucket, _around(padded, at, length))
    return found


@lru_cache(maxsize=1_000)
def column_features(column: str) -> tuple[int, ...]:
    """The words of a column's name, two written as one included; ``bias`` is for every text."""
    return tuple(map(_bucket, ["bias", *sorted(f"c{word}" for word in words_of(column))] if column else ["bias", "c"]))


@lru_cache(maxsize=50_000)
def _own(word: str) -> tuple[int, ...]:
    low = f"<{word.lower()}>"
    grams = [f"g{low[at : at + size]}" for size in (2, 3, 4, 5) for at in range(len(low) - size + 1)]
    return tuple(map(_bucket, (f"w{low}", f"s{form(word)}", *dict.fromkeys(grams))))


@lru_cache(maxsize=200_000)
def _neighbour(word: str, offset: int) -> tuple[int, ...]:
    low = word.lower()
    if abs(offset) > 2:
        return (_bucket(f"{offset}w{low}"),)
    return tuple(map(_bucket, (f"{offset}w{low}", f"{offset}s{form(word)}", f"{offset}e{low[-3:]}")))


def _around(words: Sequence[str], at: int, length: str) -> tuple[str, ...]:
    """The forms and words around a word together: ``Xx`` between a number and ``Xx`` is an address more than a name."""
    further, before, own, after, beyond = (form(word) for word in words[at - 2 : at + 3])
    left, right = words[at - 1].lower(), words[at + 1].lower()
    return (
        f"p{before}|{own}|{after}",
        f"q{further}|{before}|{own}|{after}|{beyond}",
        f"b{left}|{own}",
        f"a{own}|{right}",
        f"t{words[at - 2].lower()}|{left}|{own}",
        f"u{own}|{right}|{words[at + 2].lower()}",
        f"m{left}|{own}|{right}",
        f"l{length}{own}",
    )


@lru_cache(maxsize=50_000)
def form(word: str) -> str:
    """``Xx`` for a capitalised word, ``X`` for capitals, ``x`` for small letters, ``9``s for digits, else the sign."""
    if word.isdigit():
        return "9" * min(len(word), 6)
    if not word[0].isalpha():
        return word
    if len(word) == 1:
        return "I" if word.isupper() else "i"
    return "X" if word.isupper() else "Xx" if word[0].isupper() else "x"


@lru_cache(maxsize=200_000)
def _bucket(feature: str) -> int:
    return zlib.crc32(feature.encode()) % BUCKETS
