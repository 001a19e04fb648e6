"""Finds names of people and street addresses in a text: a linear model over the signs of each word and its neighbours.

The model gives each word of a text one of three labels: other, name, address. A word's score for a label is the sum of
the weights of its features: its character n-grams, its form, and the words and forms around it. Features are hashed
into a table of weights, so there is no vocabulary. ``scripts/train_tagger.py`` trains it on generated texts;
``docs/pii-model-card.md`` has its scores and limits. Evaluating it needs numpy and no learning library.
"""

from __future__ import annotations

import re
import zlib
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from data_platform.model.personal_name import words as words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

Scores: TypeAlias = "np.ndarray[Any, np.dtype[np.float32]]"
WEIGHTS = Path(__file__).with_name("tagger.npz")
BUCKETS = 1 << 17
OTHER, NAME, ADDRESS = 0, 1, 2
LONGEST = 4_000
"""Characters of a text that are read; the rest is not searched."""

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|\n|[^\w\s]|_")
_EDGE = "\x02"
_OFFSETS = (-3, -2, -1, 1, 2, 3)


class Span(NamedTuple):
    label: int
    start: int
    end: int


def tokens(text: str) -> list[tuple[str, int, int]]:
    """The words, numbers, signs and line breaks of ``text``, each with its place."""
    return [(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(text[:LONGEST])]


def spans(text: str, column: str = "") -> list[Span]:
    """The names and addresses in ``text`` of ``column``, each from its first word to its last."""
    found = tokens(text)
    words = [word for word, _, _ in found]
    labels = _smoothed(words, _labels(words, column))
    result: list[Span] = []
    for label, (_, start, end) in zip(labels, found, strict=True):
        if label == OTHER:
            continue
        if result and result[-1].label == label and not _separates(text[result[-1].end : start]):
            result[-1] = Span(label, result[-1].start, end)
        else:
            result.append(Span(label, start, end))
    return [span for span in result if _may_be(span, text)]


def _may_be(span: Span, text: str) -> bool:
    """A name has a capital, unless the text has none; and no span is of signs only."""
    part = text[span.start : span.end]
    if span.label == NAME and part.islower() and any(sign.isupper() for sign in text):
        return False
    return any(sign.isalnum() for sign in part)


def _separates(between: str) -> bool:
    return any(not sign.isspace() for sign in between)


def _smoothed(words: Sequence[str], labels: list[int]) -> list[int]:
    """Punctuation and line breaks belong to a span only if both neighbours do; commas do not join two names."""
    smoothed = list(labels)
    for at, word in enumerate(words):
        if word.isalnum():
            continue
        before = smoothed[at - 1] if at else OTHER
        after = labels[at + 1] if at + 1 < len(labels) else OTHER
        joins = before == after and (before == ADDRESS or word in ".-'’")
        smoothed[at] = before if joins else OTHER
    return smoothed


def _labels(words: Sequence[str], column: str) -> list[int]:
    import numpy as np

    if not words:
        return []
    start = _column_score(column)
    scores = np.array([start + _score(words, at) for at in range(len(words))])
    return [int(label) for label in scores.argmax(axis=1)]


def _score(words: Sequence[str], at: int) -> Scores:
    total = _own_score(words[at])
    for offset in _OFFSETS:
        total = total + _neighbour_score(_word(words, at + offset), offset)
    return total + _sum(pair_features(words, at))


def _word(words: Sequence[str], place: int) -> str:
    return words[place] if 0 <= place < len(words) else _EDGE


@lru_cache(maxsize=1_000)
def _column_score(column: str) -> Scores:
    return _sum(column_features(column))


@lru_cache(maxsize=50_000)
def _own_score(word: str) -> Scores:
    return _sum(own_features(word))


@lru_cache(maxsize=200_000)
def _neighbour_score(word: str, offset: int) -> Scores:
    return _sum(neighbour_features(word, offset))


def _sum(named: Sequence[str]) -> Scores:
    total: Scores = _weights()[[_bucket(feature) for feature in named]].sum(axis=0)
    return total


def features(words: Sequence[str], at: int, column: str = "") -> Iterator[int]:
    """The hashed features of one word, each a row of the weights; training and evaluation share them."""
    yield from map(_bucket, column_features(column))
    yield from map(_bucket, own_features(words[at]))
    for offset in _OFFSETS:
        yield from map(_bucket, neighbour_features(_word(words, at + offset), offset))
    yield from map(_bucket, pair_features(words, at))


def column_features(column: str) -> list[str]:
    """The words of a column's name, two written as one included; ``bias`` is for every text."""
    return ["bias", *sorted(f"c{word}" for word in words_of(column))] if column else ["bias", "c"]


def own_features(word: str) -> list[str]:
    low = f"<{word.lower()}>"
    grams = [f"g{low[at : at + size]}" for size in (2, 3, 4) for at in range(len(low) - size + 1)]
    return [f"w{low}", f"s{form(word)}", *dict.fromkeys(grams)]


def neighbour_features(word: str, offset: int) -> list[str]:
    if abs(offset) > 2:
        return [f"{offset}w{word.lower()}"]
    return [f"{offset}w{word.lower()}", f"{offset}s{form(word)}", f"{offset}e{word.lower()[-3:]}"]


def pair_features(words: Sequence[str], at: int) -> list[str]:
    """The forms around a word together: ``Xx`` between a number and ``Xx`` is an address more often than a name."""
    forms = [form(_word(words, at + n)) for n in (-2, -1, 0, 1, 2)]
    before = _word(words, at - 1).lower()
    return [
        f"p{'|'.join(forms[1:4])}",
        f"q{'|'.join(forms)}",
        f"b{before}|{forms[2]}",
        f"l{min(len(words), 8)}{forms[2]}",
    ]


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


@cache
def _weights() -> Scores:
    """Weights by bucket and label."""
    import numpy as np

    with np.load(WEIGHTS) as stored:
        weights: Scores = stored["weights"].astype(np.float32) * stored["scale"]
    return weights


def version() -> str:
    """Eight digits that identify the weights."""
    import hashlib

    return hashlib.sha256(WEIGHTS.read_bytes()).hexdigest()[:8]
