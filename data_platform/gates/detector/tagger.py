"""Finds names of people and street addresses in texts: a linear model over the signs of each word and its neighbours.

The model gives each word of a text one of three labels: other, name, address. A word's score for a label is the sum of
the weights of its features (``feature``); the labels of a text are those with the best sum of scores, of its words and
of each label after the one before it. ``scripts/train_tagger.py`` trains it on generated texts;
``docs/pii-model-card.md`` has its scores and limits. Evaluating it needs numpy and no learning library.
"""

from __future__ import annotations

from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from data_platform.gates.detector.feature import column_features, features, is_word, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

Scores: TypeAlias = "np.ndarray[Any, np.dtype[np.float32]]"
WEIGHTS = Path(__file__).with_name("tagger.npz")
OTHER, NAME, ADDRESS = 0, 1, 2
LABELS = (OTHER, NAME, ADDRESS)


class Span(NamedTuple):
    label: int
    start: int
    end: int


class Model(NamedTuple):
    """``weights`` by bucket and label; ``steps`` by the label before and the label, next to each other or not."""

    weights: Scores
    steps: dict[bool, list[list[float]]]


def spans(text: str, column: str = "") -> list[Span]:
    """The names and addresses in ``text`` of ``column``, each from its first word to its last."""
    return spans_of([text], column)[0]


def spans_of(texts: Sequence[str], column: str = "") -> list[list[Span]]:
    """The names and addresses in each of ``texts``, which are scored together."""
    found = [tokens(text) for text in texts]
    words = [[word for word, _, _ in one] for one in found]
    scores = iter(_scores(words, column))
    return [
        _joined(text, one, _smoothed(own, _labels(own, scores)))
        for text, one, own in zip(texts, found, words, strict=True)
    ]


def _joined(text: str, found: Sequence[tuple[str, int, int]], labels: Sequence[int]) -> list[Span]:
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


def _labels(words: Sequence[str], scores: Iterator[list[float]]) -> list[int]:
    """A label for each of ``words``, of which the next ``scores`` are; signs are other."""
    places = [at for at, word in enumerate(words) if is_word(word)]
    labels = [OTHER] * len(words)
    for at, label in zip(places, _best(places, [next(scores) for _ in places]), strict=True):
        labels[at] = label
    return labels


def _best(places: Sequence[int], scores: Sequence[Sequence[float]]) -> list[int]:
    """The labels with the best sum of ``scores`` and of the steps between them (Viterbi)."""
    if not scores:
        return []
    total, before = list(scores[0]), []
    for at in range(1, len(scores)):
        steps = _model().steps[places[at] == places[at - 1] + 1]
        came = [max(LABELS, key=[total[label] + steps[label][to] for label in LABELS].__getitem__) for to in LABELS]
        total = [total[label] + steps[label][to] + scores[at][to] for to, label in enumerate(came)]
        before.append(came)
    best = [max(LABELS, key=total.__getitem__)]
    for came in reversed(before):
        best.append(came[best[-1]])
    return best[::-1]


def _smoothed(words: Sequence[str], labels: list[int]) -> list[int]:
    """Punctuation and line breaks belong to a span only if both neighbours do; commas do not join two names."""
    smoothed = list(labels)
    for at, word in enumerate(words):
        if is_word(word):
            continue
        before = smoothed[at - 1] if at else OTHER
        after = labels[at + 1] if at + 1 < len(labels) else OTHER
        joins = before == after and (before == ADDRESS or word in ".-'’")
        smoothed[at] = before if joins else OTHER
    return smoothed


def _scores(texts: Sequence[Sequence[str]], column: str) -> list[list[float]]:
    """The score of each label for each word of ``texts``, one text after the other."""
    import numpy as np

    rows = list(chain.from_iterable(features(words) for words in texts))
    if not rows:
        return []
    weights = _model().weights
    ends = np.cumsum([0, *map(len, rows[:-1])])
    sums = np.add.reduceat(weights[list(chain.from_iterable(rows))], ends, axis=0)
    scored: list[list[float]] = (sums + weights[list(column_features(column))].sum(axis=0)).tolist()
    return scored


@cache
def _model() -> Model:
    import numpy as np

    with np.load(WEIGHTS) as stored:
        weights: Scores = stored["weights"].astype(np.float32) * stored["scale"]
        return Model(weights, dict(zip((True, False), stored["steps"].tolist(), strict=True)))


def version() -> str:
    """Eight digits that identify the weights."""
    import hashlib

    return hashlib.sha256(WEIGHTS.read_bytes()).hexdigest()[:8]
