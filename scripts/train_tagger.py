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
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import precision_recall_fscore_support

sys.path.insert(0, str(Path(__file__).parent))

from training_text import Labelled, Writer

from data_platform.gates.detector import tagger

LABELS = {"NAME": tagger.NAME, "ADDRESS": tagger.ADDRESS}


def matrix(texts: list[Labelled]) -> tuple[csr_matrix, np.ndarray]:
    """One row a word, with its features; and the label of each word."""
    columns = array("i")
    ends, labels = [0], []
    for text in texts:
        found = tagger.tokens(text.text)
        words = [word for word, _, _ in found]
        for at, (word, start, _) in enumerate(found):
            if not word.isalnum():
                continue  # signs take the label of their neighbours
            columns.extend(tagger.features(words, at, text.column))
            ends.append(len(columns))
            labels.append(next((LABELS[what] for a, b, what in text.spans if a <= start < b), tagger.OTHER))
    values = np.ones(len(columns), dtype=np.float32)
    return csr_matrix(
        (values, np.frombuffer(columns, dtype=np.int32), ends), shape=(len(labels), tagger.BUCKETS)
    ), np.array(labels)


def texts(seed: int, count: int) -> list[Labelled]:
    writer = Writer(seed)
    return [writer.sentence() if number % 3 else writer.value() for number in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=70_000)
    parser.add_argument("--out", type=Path, default=tagger.WEIGHTS)
    arguments = parser.parse_args()
    seen, labels = matrix(texts(1, arguments.texts))
    model = SGDClassifier(loss="log_loss", alpha=1e-6, max_iter=12, tol=None, random_state=1, average=True)
    model.fit(seen, labels)
    weights = model.coef_.T.astype(np.float32)
    weights[tagger._bucket("bias")] += model.intercept_
    scale = np.float32(np.abs(weights).max() / 127)
    np.savez_compressed(arguments.out, weights=np.round(weights / scale).astype(np.int8), scale=scale)
    unseen, truth = matrix(texts(2, arguments.texts // 10))
    answers = model.predict(unseen)
    precision, recall, _, counts = precision_recall_fscore_support(truth, answers, labels=[1, 2])
    scores = {
        name: {"precision": round(float(p), 4), "recall": round(float(r), 4), "words": int(n)}
        for name, p, r, n in zip(LABELS, precision, recall, counts, strict=True)
    }
    size = arguments.out.stat().st_size
    print(json.dumps({"words": len(labels), "bytes": size, "version": tagger.version(), "unseen": scores}, indent=2))


if __name__ == "__main__":
    main()
