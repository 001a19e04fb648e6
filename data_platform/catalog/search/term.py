"""Text to words, the same for what is searched and for what is asked.

A word is letters and digits in one case and without accents. A compound, such as ``customer_id``, ``customerId`` or
``ds://ops/flights``, is its parts, and also whole, with nothing between them.
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
"""Characters of a word; what follows is left out. PostgreSQL takes 2,046 bytes."""

_LETTERS = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True)
class Term:
    """One run of characters between spaces; ``whole`` is its parts joined, and the part itself if there is but one."""

    whole: str
    parts: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.parts, self.whole)))


def fold(text: str, *, most_bytes: int = NAME_BYTES) -> str:
    """For comparing values whole: one case, no accents; no character that a database cannot keep.

    Cut to ``most_bytes``, since folding may make of one letter many, and an index takes no more.
    """
    if text.isascii():
        return text.lower().replace("\0", "")[:most_bytes].strip()
    spread = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept = "".join(sign for sign in spread if sign != "\0" and unicodedata.category(sign) not in ("Mn", "Cs"))
    return kept.encode()[:most_bytes].decode(errors="ignore").strip()


def terms(text: str) -> Iterator[Term]:
    for run in text.split():
        parts = tuple(part[:LONGEST] for part in _parts(run))
        if parts:
            yield Term("".join(parts)[:LONGEST], parts)


def text_of(texts: Iterable[str], *, most_bytes: int) -> str:
    """The words of ``texts``, each once, between single spaces."""
    found: dict[str, None] = {}
    left = most_bytes
    for text in texts:
        for word in (word for term in terms(text[:most_bytes]) for word in term.words):
            if word not in found:
                left -= len(word.encode()) + 1
                if left < 0:
                    return " ".join(found)
                found[word] = None
    return " ".join(found)


def _parts(run: str) -> Iterator[str]:
    for piece in _LETTERS.findall(run):
        for hump in _HUMP.split(piece):
            # folding one letter may give several, and signs among them
            yield from _LETTERS.findall(fold(hump))
