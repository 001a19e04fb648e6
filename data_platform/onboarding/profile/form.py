"""The form of a text without its value, and the pattern that texts of one form have in common.

A form has # for a digit, A for a capital letter, a for another letter; other characters stay if they are punctuation.
``AB-1204`` is ``AA-####``. A skeleton is a form in which each run is one: ``A-#``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_SHOWN = 5
_LONGEST = 40
_PUNCTUATION = set(" +-.,:;/'()%$_\\#&@*|[]{}<>=!?\"")
_CLASSES = {"#": "[0-9]", "A": "[A-Z]", "a": "[a-z]"}
MOST_SKELETONS = 3
"""A pattern has at most so many alternatives."""
MOST_RUNS = 8
"""A skeleton with more runs is a sentence or an address."""
_SURE = 10
"""Letters that so many different values have in common are part of the form: ``12 patients``."""
_ROOM = 2
"""A run whose length varies may become so many times as long as the longest one."""


@dataclass(frozen=True)
class Pattern:
    """A regular expression for whole values; ``rows`` have another form."""

    regex: str
    misfits: int


def form_of(value: str) -> str:
    return "".join(map(_sign, value))


def _sign(character: str) -> str:
    if character.isascii():
        if character.isdigit():
            return "#"
        if character.isalpha():
            return "A" if character.isupper() else "a"
        return character if character in _PUNCTUATION else "?"
    return "a" if character.isalpha() else "?"


def shown_forms(counted: Mapping[str, int]) -> dict[str, float]:
    """The shares of the most frequent forms; a long text is no form, and neither is one that a single row has."""
    rows: dict[str, int] = defaultdict(int)
    for value, count in counted.items():
        if len(value) <= _LONGEST:
            rows[form_of(value)] += count
    total = sum(counted.values())
    most = sorted(rows.items(), key=lambda item: (-item[1], item[0]))[:MOST_SHOWN]
    return {form: round(count / total, 4) for form, count in most if count > 1}


def pattern_of(
    counted: Mapping[str, int], least_share: float, *, may_grow: bool = False, may_quote: bool = True
) -> Pattern | None:
    """The pattern of at least ``least_share`` of the values; None if they have too many forms, or one is a sentence.

    A run that has the same length everywhere keeps it; another one may be shorter, and longer by some room. With
    ``may_grow`` each run of digits may be longer: numbers that are given in turn get one more digit some day. With
    ``may_quote`` letters that all values have in common are in the pattern.
    """
    parts_of: dict[str, list[list[str]]] = defaultdict(list)
    rows: dict[str, int] = defaultdict(int)
    for value, count in counted.items():
        runs = _runs(value)
        if len(runs) > MOST_RUNS or not value.isascii():
            continue
        skeleton = "".join(sign for sign, _ in runs)
        parts_of[skeleton].append([text for _, text in runs])
        rows[skeleton] += count
    total = sum(counted.values())
    kept: list[str] = []
    fitting = 0
    for skeleton, count in sorted(rows.items(), key=lambda item: (-item[1], item[0])):
        if fitting / total >= least_share or len(kept) == MOST_SKELETONS:
            break
        kept.append(skeleton)
        fitting += count
    if not kept or fitting / total < least_share or "" in kept:
        return None
    parts = [_regex(skeleton, parts_of[skeleton], may_grow, may_quote) for skeleton in kept]
    return Pattern(parts[0] if len(parts) == 1 else "|".join(f"(?:{part})" for part in parts), total - fitting)


def _runs(value: str) -> list[tuple[str, str]]:
    """Signs of the form with the texts that they stand for."""
    runs, start = [], 0
    for sign, run in groupby(form_of(value)):
        end = start + len(list(run))
        runs.append((sign, value[start:end]))
        start = end
    return runs


def _regex(skeleton: str, values: list[list[str]], may_grow: bool, may_quote: bool) -> str:  # noqa: FBT001
    parts = []
    for sign, texts in zip(skeleton, zip(*values, strict=True), strict=True):
        if sign in "Aa" and may_quote and len(values) >= _SURE and len(set(texts)) == 1:
            parts.append(texts[0])
            continue
        shortest, longest = min(map(len, texts)), max(map(len, texts))
        repeat = f"{{{shortest}}}" if shortest == longest else f"{{1,{longest * _ROOM}}}"
        if may_grow and sign == "#" and shortest == longest:
            repeat = f"{{{shortest},{longest + _ROOM}}}"
        literal = _CLASSES.get(sign, re.escape(sign))
        parts.append(literal if repeat == "{1}" else literal + repeat)
    return "".join(parts)
