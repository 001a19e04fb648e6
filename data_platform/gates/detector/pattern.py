"""The gate's kinds as Python patterns, for samples and short texts: a card, a date of birth, an IP address.

Cards and IBANs have the very patterns of ``gates.expression``. The others are Python's versions of them: Python cannot
look behind for a label of any length. A cheap test goes before all patterns, and one before each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from data_platform.gates.expression.pii_number import CREDIT_CARD, IBAN, IP_ADDRESS, IP_IN_PYTHON, VERSION_LABEL
from data_platform.gates.expression.pii_person import BIRTH_IN_PYTHON, DATE_IN_PYTHON
from data_platform.gates.expression.pii_phone import BARE, CERTAIN_IN_PYTHON, LABELLED_IN_PYTHON, LONGEST_LABEL
from data_platform.model.check_digit import iban, luhn
from data_platform.model.personal_name import names_kind, words
from data_platform.model.pii_policy import PiiKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_DIGIT = re.compile(r"[0-9]")
_MAY_HOLD = re.compile(r"[0-9@]")
_BEFORE_NUMBER = r"(?<![0-9A-Za-z])(?<![0-9][.-])"
_EMAIL = r"(?<![\w.%+'-])[\w.%+'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_][\w-]{0,61}[^\W_]"
_SSN = _BEFORE_NUMBER + r"(?!000|666)\d{3}([ \-\u2010-\u2015])(?!00)\d{2}\1(?!0000)\d{4}(?![0-9]|[.-][0-9])"
_VERSION = re.compile(f"{VERSION_LABEL}$")
_BARE = {
    PiiKind.PHONE: BARE,
    PiiKind.SSN: r"(?<![0-9A-Za-z])(?!000|666)\d{3}(?!00)\d\d(?!0000)\d{4}(?![0-9A-Za-z])",
    PiiKind.DATE_OF_BIRTH: DATE_IN_PYTHON,
}
"""What also counts in a column with such a name."""


@dataclass(frozen=True)
class Detector:
    """``chance`` is the share of other numbers of this form whose check digits happen to be right.

    ``labelled`` are more patterns, each with the one that the text before a match must end with.
    """

    pattern: re.Pattern[str]
    may_match: Callable[[str], bool]
    check: Callable[[str], bool] | None = None
    chance: float = 0.0
    labelled: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = ()


def _has_at(text: str) -> bool:
    return "@" in text


def _has_digit(text: str) -> bool:
    return _DIGIT.search(text) is not None


def _has_dot_or_colon(text: str) -> bool:
    return "." in text or ":" in text


DETECTORS: dict[PiiKind, Detector] = {
    PiiKind.EMAIL: Detector(re.compile(_EMAIL), _has_at),
    PiiKind.IBAN: Detector(re.compile(IBAN.pattern), _has_digit, iban, 0.01),
    PiiKind.CREDIT_CARD: Detector(re.compile(CREDIT_CARD.pattern), _has_digit, luhn, 0.1),
    PiiKind.SSN: Detector(re.compile(_SSN), _has_digit),
    PiiKind.PHONE: Detector(
        re.compile(CERTAIN_IN_PYTHON, re.ASCII),
        _has_digit,
        labelled=tuple(
            (re.compile(number, re.ASCII), re.compile(rf"{label}\Z")) for number, label in LABELLED_IN_PYTHON
        ),
    ),
    PiiKind.DATE_OF_BIRTH: Detector(re.compile(BIRTH_IN_PYTHON), _has_digit),
    PiiKind.IP_ADDRESS: Detector(re.compile(IP_IN_PYTHON), _has_dot_or_colon),
}
_BY_NAME = {kind: re.compile(pattern, re.ASCII) for kind, pattern in _BARE.items()}


def spans(text: str, column: str = "") -> list[tuple[PiiKind, int, int]]:
    """Where ``text`` of ``column`` has which kind; a part that one kind has claimed is no other's."""
    found: list[tuple[PiiKind, int, int]] = []
    if not _MAY_HOLD.search(text):
        return found
    for kind, detector in DETECTORS.items():
        if not detector.may_match(text):
            continue
        for match in _checked(kind, text):
            _claim(found, kind, match.span())
    for kind in _named(column):
        for match in _BY_NAME[kind].finditer(text):
            _claim(found, kind, match.span())
    return sorted(found, key=lambda span: span[1])


def holds(kind: PiiKind, text: str) -> bool:
    """Whether ``text`` has a value of ``kind``, even if a part of it may be of another kind too."""
    return DETECTORS[kind].may_match(text) and any(True for _ in _checked(kind, text))


def _checked(kind: PiiKind, text: str) -> Iterator[re.Match[str]]:
    """The matches whose check digits are right."""
    check = DETECTORS[kind].check
    return (match for match in matches(kind, text) if check is None or check(match.group()))


@lru_cache(maxsize=1_000)
def _named(column: str) -> tuple[PiiKind, ...]:
    """The kinds of ``_BY_NAME`` that the name indicates; a column's values are searched one after the other."""
    return tuple(kind for kind in _BY_NAME if names_kind(column, kind))


def matches(kind: PiiKind, text: str) -> list[re.Match[str]]:
    """What has the form of ``kind``, whether its check digits are right or not."""
    detector = DETECTORS[kind]
    found = list(detector.pattern.finditer(text))
    for pattern, label in detector.labelled:
        found += [
            match
            for match in pattern.finditer(text)
            if label.search(text, max(0, match.start() - LONGEST_LABEL), match.start())
        ]
    if detector.labelled:
        found.sort(key=lambda match: match.start())  # as one pattern would find them
    if kind is PiiKind.IP_ADDRESS:
        return [match for match in found if not _VERSION.search(text, max(0, match.start() - 12), match.start())]
    return found


def is_about_versions(column: str) -> bool:
    return bool(words(column) & IP_ADDRESS.unless)


def _claim(found: list[tuple[PiiKind, int, int]], kind: PiiKind, place: tuple[int, int]) -> None:
    start, end = place
    if not any(start < taken_end and taken_start < end for _, taken_start, taken_end in found):
        found.append((kind, start, end))
