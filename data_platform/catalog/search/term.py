"""Splits text into words, in the same way for documents and for queries.

A word is letters and digits in one case and without accents. A compound, such as ``customer_id``, ``customerId`` or
``ds://ops/flights``, becomes its parts, and also the parts joined without separators.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.lineage import NAME_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST = 100
"""The most characters of a word; the rest is cut. PostgreSQL accepts 2,046 bytes."""

_LETTERS = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True)
class Term:
    """One run of characters between spaces; ``whole`` is its parts joined, or its only part."""

    whole: str
    parts: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.parts, self.whole)))


def fold(text: str, *, most_bytes: int = NAME_BYTES) -> str:
    """Folds a value for comparison: one case, no accents, no character that a database cannot store.

    It is cut to ``most_bytes``, the limit of an index, since folding may turn one letter into many.
    """
    if text.isascii():
        return text.lower().replace("\0", "")[:most_bytes].strip()
    spread = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    folded = "".join(sign for sign in spread if sign != "\0" and unicodedata.category(sign) not in ("Mn", "Cs"))
    return folded.encode()[:most_bytes].decode(errors="ignore").strip()


def terms(text: str) -> Iterator[Term]:
    for run in text.split():
        parts = tuple(part[:LONGEST] for part in _parts(run))
        if parts:
            yield Term("".join(parts)[:LONGEST], parts)


def text_of(texts: Iterable[str], *, most_bytes: int) -> str:
    """The distinct words of ``texts``, separated by single spaces."""
    distinct: dict[str, None] = {}
    bytes_left = most_bytes
    for text in texts:
        for word in (word for term in terms(text[:most_bytes]) for word in term.words):
            if word not in distinct:
                bytes_left -= len(word.encode()) + 1
                if bytes_left < 0:
                    return " ".join(distinct)
                distinct[word] = None
    return " ".join(distinct)


def _parts(run: str) -> Iterator[str]:
    for piece in _LETTERS.findall(run):
        for hump in _HUMP.split(piece):
            # folding may turn one letter into several characters, including punctuation
            yield from _LETTERS.findall(fold(hump))
