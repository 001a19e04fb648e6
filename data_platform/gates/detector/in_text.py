"""The places of names and addresses within texts, such that a second search of the result finds nothing.

What is found is hidden behind a sign, and the text is searched again until nothing is found. A remediated value is seen
as the same sign, whatever the action was, so that a later search of the result sees exactly what the last search saw.
A text that is too long for the classifier, or in which each search finds more, is one place as a whole.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from data_platform.gates.detector import tagger
from data_platform.gates.detector.feature import LONGEST
from data_platform.model.token_text import PATTERN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

MOST_SEARCHES = 4
"""Searches of one text, the last of which must find nothing."""
AT_ONCE = 20_000
"""Characters that are scored together: the classifier needs about a kilobyte of memory for each."""
_SIGN = "*"
_REMEDIATED = re.compile(rf"(?:{PATTERN}|\[REDACTED:[A-Z0-9_]+\]|\*)+")
_HIDDEN = re.compile(rf"{re.escape(_SIGN)}+")


class Place(NamedTuple):
    """``label`` is the tagger's; ``start`` and ``end`` count characters."""

    label: int
    start: int
    end: int


def places_in(texts: Sequence[str], labels: Collection[int], column: str = "") -> list[list[Place]]:
    """The places of ``labels`` in each of ``texts``, values of ``column``, in their order and without overlaps."""
    searched = [_Text(text) for text in texts]
    waiting = [one for one in searched if one.shown]
    for _ in range(MOST_SEARCHES):
        short = [one for one in waiting if len(one.shown) <= LONGEST]
        found = (spans for part in _parts(short) for spans in tagger.spans_of([one.shown for one in part], column))
        of_labels = ([span for span in spans if span.label in labels] for spans in found)
        changed = [one for one, spans in zip(short, of_labels, strict=True) if one.hide(spans)]
        waiting = [*changed, *(one for one in waiting if len(one.shown) > LONGEST)]
    for one in waiting:
        one.give_up(min(labels))
    return [sorted(one.places, key=lambda place: place.start) for one in searched]


def _parts(texts: Sequence[_Text]) -> Iterator[list[_Text]]:
    """The texts in parts of at most ``AT_ONCE`` characters, or of one text."""
    part, size = list[_Text](), 0
    for one in texts:
        if part and size + len(one.shown) > AT_ONCE:
            yield part
            part, size = [], 0
        part.append(one)
        size += len(one.shown)
    if part:
        yield part


class _Text:
    """``shown`` is what the classifier sees; ``_starts`` and ``_ends`` are the places of its characters in the text."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self.places: list[Place] = []
        self.shown, self._starts, self._ends = "", list[int](), list[int]()
        last = 0
        for match in _REMEDIATED.finditer(text):
            self._show(text[last : match.start()], last)
            self.shown += _SIGN
            self._starts.append(match.start())
            self._ends.append(match.end())
            last = match.end()
        self._show(text[last:], last)

    def _show(self, part: str, start: int) -> None:
        self.shown += part
        self._starts += range(start, start + len(part))
        self._ends += range(start + 1, start + len(part) + 1)

    def hide(self, spans: Sequence[tagger.Span]) -> bool:
        """Hides ``spans``, without the signs within them; returns whether anything was left to hide."""
        parts = [(span.label, *part) for span in spans for part in _unhidden(self.shown, span)]
        for label, start, end in sorted(parts, key=lambda part: -part[1]):
            self.places.append(Place(label, self._starts[start], self._ends[end - 1]))
            self._replace(start, end)
        for match in reversed(list(_HIDDEN.finditer(self.shown))):
            self._replace(*match.span())
        return bool(parts)

    def _replace(self, start: int, end: int) -> None:
        self.shown = self.shown[:start] + _SIGN + self.shown[end:]
        self._starts[start:end], self._ends[start:end] = [self._starts[start]], [self._ends[end - 1]]

    def give_up(self, label: int) -> None:
        self.places = [Place(label, 0, self._length)]


def _unhidden(shown: str, span: tagger.Span) -> Iterator[tuple[int, int]]:
    """The parts of ``span`` between signs that have a letter or a digit, without white space around them."""
    start = span.start
    for part in shown[span.start : span.end].split(_SIGN):
        if any(sign.isalnum() for sign in part):
            yield start + len(part) - len(part.lstrip()), start + len(part.rstrip())
        start += len(part) + len(_SIGN)
