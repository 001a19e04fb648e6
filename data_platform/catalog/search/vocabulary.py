"""Caches the indexed words in memory, to correct mistyped ones.

Numbers and words with digits are left out: days and digests need no correction, and there would be millions.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from typing import TYPE_CHECKING

from rapidfuzz import process
from rapidfuzz.distance import OSA
from sqlalchemy import select

from data_platform.catalog.search_table import SEARCH_WORD
from data_platform.catalog.upsert import add_missing, chunks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

MOST_WORDS = 200_000
"""The most words in memory, some 20 MB; comparing one word with all of them takes tens of milliseconds."""
_SHORTEST, _LONGEST = 4, 40
_MOST_CORRECTIONS = 6


class Vocabulary:
    """The cache grows with the table and is shared between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._revision = 0
        self._words: tuple[str, ...] = ()

    def refresh(self, connection: Connection) -> None:
        """Reads words added since the last call, usually none."""
        with self._lock:
            query = select(SEARCH_WORD).where(SEARCH_WORD.c.word_id > self._revision).order_by(SEARCH_WORD.c.word_id)
            rows = connection.execute(query.limit(MOST_WORDS - len(self._words))).all()
            if rows:
                self._words = tuple(sorted({*self._words, *(row.word for row in rows)}))
                self._revision = rows[-1].word_id

    def has_prefix(self, word: str) -> bool:
        """Whether ``word`` is an indexed word or the beginning of one."""
        words = self._words
        place = bisect_left(words, word)
        return place < len(words) and words[place].startswith(word)

    def corrections(self, word: str) -> tuple[str, ...]:
        """Words within one or two typing errors, nearest first; swapped neighbours are one error."""
        if len(word) < _SHORTEST or len(word) > _LONGEST:
            return ()
        errors = 1 if len(word) < 6 else 2
        near = process.extract(word, self._words, scorer=OSA.distance, score_cutoff=errors, limit=_MOST_CORRECTIONS)
        return tuple(candidate for candidate, distance, _ in near if distance)


def add_words(connection: Connection, texts: Iterable[str]) -> None:
    words = {word for text in texts for word in text.split(" ") if _is_indexed(word)}
    existing: set[str] = set()
    for part in chunks(sorted(words)):
        existing |= set(connection.execute(select(SEARCH_WORD.c.word).where(SEARCH_WORD.c.word.in_(part))).scalars())
    rows = [{"word": word} for word in sorted(words - existing)]
    add_missing(connection, SEARCH_WORD, rows, keys=("word",))


def _is_indexed(word: str) -> bool:
    return _SHORTEST <= len(word) <= _LONGEST and word.isalpha()
