"""Which kinds of personal values a sample of a column contains: the share of its values, by kind.

A kind with check digits counts only if more of them are right than chance explains: one in ten order numbers passes
Luhn's check. A name or an address counts if at least half of the different values are one, or a fifth if the column's
name says so too, since the classifier errs on single words. The other kinds count from the share that the policy names.
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
    from collections.abc import Iterable

CLASSIFIED = {PiiKind.PERSON_NAME: tagger.NAME, PiiKind.STREET_ADDRESS: tagger.ADDRESS}
MIN_CLASSIFIED = 0.5
MIN_CLASSIFIED_IF_NAMED = 0.2
"""Shares of the different values; the second is for a column whose name indicates the kind."""
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
    """The kinds that at least ``least_share`` of the values contain, 0..1."""
    counted = Counter(value[:_LONGEST] for value in values if value.strip())
    total = sum(counted.values())
    if not total:
        return []
    found = [*_by_pattern(column, counted), *_by_classifier(column, counted)]
    return [
        Finding(column, kind, count / total, total, detector)
        for kind, count, detector in found
        if count / total >= (_least_classified(column, kind) if detector == CLASSIFIER else least_share)
    ]


def _least_classified(column: str, kind: PiiKind) -> float:
    return MIN_CLASSIFIED_IF_NAMED if names_kind(column, kind) else MIN_CLASSIFIED


def _by_pattern(column: str, counted: Counter[str]) -> list[tuple[PiiKind, int, str]]:
    found: Counter[PiiKind] = Counter()
    for value, count in counted.items():
        found.update(dict.fromkeys({kind for kind, _, _ in pattern.spans(value, column)}, count))
    if pattern.is_about_versions(column):
        del found[PiiKind.IP_ADDRESS]
    return [(kind, count, PATTERNS) for kind, count in found.items() if _more_than_chance(kind, count, counted)]


def _more_than_chance(kind: PiiKind, right: int, counted: Counter[str]) -> bool:
    detector = pattern.DETECTORS[kind]
    if detector.check is None:
        return True
    formed = sum(count for value, count in counted.items() if pattern.matches(kind, value))
    chance = detector.chance
    return right >= min(formed, chance * formed + _DEVIATIONS * sqrt(chance * (1 - chance) * formed))


def _by_classifier(column: str, counted: Counter[str]) -> list[tuple[PiiKind, int, str]]:
    """Names and addresses; each different value counts once, up to ``_MOST_CLASSIFIED`` of them."""
    different = [value for value, _ in counted.most_common(_MOST_CLASSIFIED) if any(sign.isalpha() for sign in value)]
    if len(different) < max(_LEAST_DIFFERENT, len(list(counted)[:_MOST_CLASSIFIED]) / 2):
        return []
    labels = Counter(_label(value, column) for value in different)
    total = sum(counted.values())
    return [
        (kind, round(labels[label] / len(different) * total), CLASSIFIER)
        for kind, label in CLASSIFIED.items()
        if labels[label]
    ]


def _label(value: str, column: str) -> int:
    """The label of most of the letters and digits of ``value``."""
    sizes = Counter({tagger.OTHER: sum(sign.isalnum() for sign in value)})
    for span in tagger.spans(value, column):
        size = sum(sign.isalnum() for sign in value[span.start : span.end])
        sizes[span.label] += size
        sizes[tagger.OTHER] -= size
    return max(sizes, key=lambda label: sizes[label])
