"""The words that there are, in memory, to know what a mistyped one may mean.

Numbers, and what mixes digits in, are left out: nobody mistypes a day or a digest, and there would be millions.
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
"""In memory, some 20 MB; comparing one word with all of them takes tens of milliseconds."""
_SHORTEST, _LONGEST = 4, 40
_MOST_MEANT = 6


class Vocabulary:
    """What is in memory grows with the table and is shared between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._revision = 0
        self._words: tuple[str, ...] = ()

    def refresh(self, connection: Connection) -> None:
        """Read what was added since, which mostly is nothing."""
        with self._lock:
            query = select(SEARCH_WORD).where(SEARCH_WORD.c.word_id > self._revision).order_by(SEARCH_WORD.c.word_id)
            rows = connection.execute(query.limit(MOST_WORDS - len(self._words))).all()
            if rows:
                self._words = tuple(sorted({*self._words, *(row.word for row in rows)}))
                self._revision = rows[-1].word_id

    def knows(self, word: str) -> bool:
        """Also the beginning of a word."""
        words = self._words
        place = bisect_left(words, word)
        return place < len(words) and words[place].startswith(word)

    def meant(self, word: str) -> tuple[str, ...]:
        """Words that are a slip or two away, the nearest first; swapped neighbours are one slip."""
        if len(word) < _SHORTEST or len(word) > _LONGEST:
            return ()
        slips = 1 if len(word) < 6 else 2
        near = process.extract(word, self._words, scorer=OSA.distance, score_cutoff=slips, limit=_MOST_MEANT)
        return tuple(found for found, distance, _ in near if distance)


def add_words(connection: Connection, texts: Iterable[str]) -> None:
    found = {word for text in texts for word in text.split(" ") if _counts(word)}
    known: set[str] = set()
    for part in chunks(sorted(found)):
        known |= set(connection.execute(select(SEARCH_WORD.c.word).where(SEARCH_WORD.c.word.in_(part))).scalars())
    rows = [{"word": word} for word in sorted(found - known)]
    add_missing(connection, SEARCH_WORD, rows, keys=("word",))


def _counts(word: str) -> bool:
    return _SHORTEST <= len(word) <= _LONGEST and word.isalpha()
