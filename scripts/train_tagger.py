"""Trains the tagger of names and addresses on generated texts, and writes its weights into the package.

Needs scikit-learn and Faker (``pip install .[bench]``), which the platform itself does not. It takes some minutes and
prints the scores on texts that were not trained on, as JSON. A change of the weights is a new version of the detector:
the script prints it, and ``model/detector.py`` names it.
"""

from __future__ import annotations

import argparse
import json
import sys
from array import array
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

sys.path.insert(0, str(Path(__file__).parent))

from training_text import Labelled, Writer

from data_platform.gates.detector import feature, tagger

LABELS = {"NAME": tagger.NAME, "ADDRESS": tagger.ADDRESS}


class Words(NamedTuple):
    """``rows`` of features, one a word; ``labels`` of the words; ``follows`` is 1 next to the word before, 2 apart."""

    rows: csr_matrix
    labels: np.ndarray
    follows: np.ndarray


def words_of(texts: list[Labelled]) -> Words:
    columns = array("i")
    ends, labels, follows = [0], [], []
    for text in texts:
        found = feature.tokens(text.text)
        hashed = iter(feature.features([word for word, _, _ in found]))
        column, last = feature.column_features(text.column), -9
        for at, (word, start, _) in enumerate(found):
            if not feature.is_word(word):
                continue  # signs take the label of their neighbours
            columns.extend((*next(hashed), *column))
            ends.append(len(columns))
            labels.append(next((LABELS[what] for a, b, what in text.spans if a <= start < b), tagger.OTHER))
            follows.append(0 if last < 0 else 1 if at == last + 1 else 2)
            last = at
    values = np.ones(len(columns), dtype=np.float32)
    rows = csr_matrix((values, np.frombuffer(columns, dtype=np.int32), ends), shape=(len(labels), feature.BUCKETS))
    return Words(rows, np.array(labels), np.array(follows))


def steps(words: Words, strength: float) -> np.ndarray:
    """How much likelier a label is after another than by itself, as a logarithm; words next to each other, and not."""
    result = []
    for apart in (1, 2):
        at = np.flatnonzero(words.follows == apart)
        counts = np.ones((3, 3))
        np.add.at(counts, (words.labels[at - 1], words.labels[at]), 1)
        shares = counts / counts.sum(axis=1, keepdims=True)
        result.append(np.log(shares / (counts.sum(axis=0) / counts.sum())))
    return (np.array(result) * strength).astype(np.float32)


def texts(seed: int, count: int, *, checks: bool = False) -> list[Labelled]:
    writer = Writer(seed, checks=checks)
    return [writer.sentence() if checks or number % 3 else writer.value() for number in range(count)]


def scores(texts: list[Labelled]) -> dict[str, dict[str, float | int]]:
    """By word, as the platform judges them, with ``tagger.WEIGHTS`` as they are now."""
    right, wrong, missed = Counter(), Counter(), Counter()
    for text in texts:
        found = tagger.spans(text.text, text.column)
        for word, start, _ in feature.tokens(text.text):
            if not feature.is_word(word):
                continue
            truth = next((LABELS[what] for a, b, what in text.spans if a <= start < b), tagger.OTHER)
            answer = next((span.label for span in found if span.start <= start < span.end), tagger.OTHER)
            right[truth] += answer == truth
            wrong[answer] += answer != truth
            missed[truth] += answer != truth
    return {
        name: {
            "precision": round(right[label] / (right[label] + wrong[label]), 3),
            "recall": round(right[label] / (right[label] + missed[label]), 3),
            "words": right[label] + missed[label],
        }
        for name, label in LABELS.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=46_000)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--alpha", type=float, default=5e-6, help="the strength of the regularisation")
    parser.add_argument("--strength", type=float, default=1.0, help="of the steps from a label to the next")
    arguments = parser.parse_args()
    seen = words_of(texts(1, arguments.texts))
    model = SGDClassifier(
        loss="log_loss", alpha=arguments.alpha, max_iter=arguments.epochs, tol=None, random_state=1, average=True
    )
    model.fit(seen.rows, seen.labels)
    weights = model.coef_.T.astype(np.float32)
    weights[feature.column_features("a")[0]] += model.intercept_
    scale = np.float32(np.abs(weights).max() / 127)
    rounded = np.round(weights / scale).astype(np.int8)
    np.savez_compressed(tagger.WEIGHTS, weights=rounded, scale=scale, steps=steps(seen, arguments.strength))
    document = {
        "words": len(seen.labels),
        "bytes": tagger.WEIGHTS.stat().st_size,
        "version": tagger.version(),
        "unseen": scores(texts(2, arguments.texts // 10)),
        "unseen_sentences_and_countries": scores(texts(3, arguments.texts // 20, checks=True)),
    }
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
