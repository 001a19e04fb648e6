"""Which kinds of personal values a sample of a column contains: the share of its values, by kind.

A kind with check digits counts only if more of them are right than chance explains: one in ten order numbers passes
Luhn's check. A name or an address counts if at least half of the different values are one, or a fifth if the column's
name says so too; in free texts, if three in ten contain one of two words or more. The classifier errs on single words.
The other kinds count from the share that the policy names.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from data_platform.gates.detector import pattern, tagger
from data_platform.model.detector import CLASSIFIER, PATTERNS
from data_platform.model.personal_name import names_kind
from data_platform.model.pii_policy import PiiKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CLASSIFIED = {PiiKind.PERSON_NAME: tagger.NAME, PiiKind.STREET_ADDRESS: tagger.ADDRESS}
MIN_CLASSIFIED = 0.5
MIN_CLASSIFIED_IF_NAMED = 0.2
MIN_WITHIN = 0.3
"""Shares of the different values that are names, of a column, and of one whose name says so; and of free texts that
contain one."""
_LEAST_TEXTS = 20
_LEAST_DIFFERENT = 5
"""With fewer different values a column is a code, and the classifier has too little to judge by."""
_MOST_CLASSIFIED = 200
_DEVIATIONS = 3
_LONGEST = 10_000
"""Characters of a value that are searched."""


@dataclass(frozen=True)
class Finding:
    """``share`` of the ``sample`` non-empty values of a column contain ``kind``; ``detector`` has its version."""

    column: str
    kind: PiiKind
    share: float
    sample: int
    detector: str


def findings(column: str, values: Iterable[str], least_share: float) -> list[Finding]:
    """The kinds that at least ``least_share`` of the values contain, 0..1; names and addresses by their own shares."""
    counted = Counter(value[:_LONGEST] for value in values if value.strip())
    total = sum(counted.values())
    if not total:
        return []
    by_pattern = [
        Finding(column, kind, count / total, total, PATTERNS)
        for kind, count in _by_pattern(column, counted).items()
        if count / total >= least_share
    ]
    classified = [Finding(column, kind, share, total, CLASSIFIER) for kind, share in _by_classifier(column, counted)]
    return by_pattern + classified


def _by_pattern(column: str, counted: Counter[str]) -> dict[PiiKind, int]:
    found: Counter[PiiKind] = Counter()
    for value, count in counted.items():
        found.update(dict.fromkeys({kind for kind, _, _ in pattern.spans(value, column)}, count))
    if pattern.is_about_versions(column):
        del found[PiiKind.IP_ADDRESS]
    return {kind: count for kind, count in found.items() if _more_than_chance(kind, count, counted)}


def _more_than_chance(kind: PiiKind, right: int, counted: Counter[str]) -> bool:
    detector = pattern.DETECTORS[kind]
    if detector.check is None:
        return True
    formed = sum(count for value, count in counted.items() if pattern.matches(kind, value))
    chance = detector.chance
    return right >= min(formed, chance * formed + _DEVIATIONS * sqrt(chance * (1 - chance) * formed))


def _by_classifier(column: str, counted: Counter[str]) -> Iterator[tuple[PiiKind, float]]:
    """Names and addresses, and their share of the different values, of which ``_MOST_CLASSIFIED`` are judged."""
    judged = [value for value, _ in counted.most_common(_MOST_CLASSIFIED)]
    different = [value for value in judged if any(sign.isalpha() for sign in value)]
    if len(different) < max(_LEAST_DIFFERENT, len(judged) / 2):
        return
    spans = dict(zip(different, tagger.spans_of(different, column), strict=True))
    for kind, label in CLASSIFIED.items():
        whole = sum(_label(value, found) == label for value, found in spans.items()) / len(different)
        within = sum(_contains(value, found, label) for value, found in spans.items()) / len(different)
        is_named = names_kind(column, kind)
        if whole >= (MIN_CLASSIFIED_IF_NAMED if is_named else MIN_CLASSIFIED):
            yield kind, whole
        elif len(different) >= _LEAST_TEXTS and within >= MIN_WITHIN:
            yield kind, within


def _label(value: str, spans: list[tagger.Span]) -> int:
    """The label of most of the letters and digits of ``value``."""
    sizes = Counter({tagger.OTHER: sum(sign.isalnum() for sign in value)})
    for span in spans:
        size = sum(sign.isalnum() for sign in value[span.start : span.end])
        sizes[span.label] += size
        sizes[tagger.OTHER] -= size
    return max(sizes, key=lambda label: sizes[label])


def _contains(value: str, spans: list[tagger.Span], label: int) -> bool:
    """Whether a text has a name or address of at least two words in it: single words are too often wrong."""
    return any(span.label == label and len(value[span.start : span.end].split()) > 1 for span in spans)
