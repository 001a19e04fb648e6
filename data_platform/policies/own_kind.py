"""Is a regular expression of ``pii.kinds`` one that Java searches in linear time, whatever the text is?

Java tries the ways in which an expression can match one after the other. Their number, for one place in a text, is at
most: for a repetition, the sum of its inner ways to the power of each allowed count; for alternatives, the sum; for a
sequence, the product. A bound on that is a bound on the time for each place, so an expression with an open repetition
or with more than ``MOST_WAYS`` is refused. Real kinds have lengths: ``[A-Z]{2}\\d{6}`` has one way.

Python parses the expression, so its syntax must be common to Python and Java.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

MOST_WAYS = 10_000
_OPEN = -1


def regex_problems(regex: str) -> list[str]:
    """Reports what is wrong with ``regex``; nothing if it can be searched in any text."""
    from re import _parser  # type: ignore[attr-defined]

    if "(?P" in regex:
        return [f"{regex} has a named group or a reference to one: write (?:...)"]
    text = re.sub(r"\\[pP]\{\w+\}", ".", regex)  # Java's classes, such as \p{L}, are of one character
    try:
        with warnings.catch_warnings(action="ignore"):
            ways = _ways(_parser.parse(text))
            is_empty = re.compile(text).fullmatch("") is not None
    except (re.error, RecursionError, OverflowError) as error:
        return [f"{regex} is not a regular expression that Python and Java both read: {error}"]
    if is_empty:
        return [f"{regex} matches an empty text: require at least one character"]
    if ways == _OPEN:
        return [f"{regex} repeats without an upper bound, which can take minutes on a long text: write {{1,20}} for +"]
    if ways > MOST_WAYS:
        why = f"{regex} can match in more than {MOST_WAYS:,} ways at one place, and a text that nearly matches is slow"
        return [f"{why}: give repetitions a fixed or a smaller length, and do not nest them"]
    return []


def _ways(parsed: Any) -> int:
    """The most ways in which a parsed expression can match at one place; ``_OPEN`` if there is no bound."""
    product = 1
    for operation, argument in parsed:
        ways = _ways_of(str(operation), argument)
        if ways == _OPEN:
            return _OPEN
        product = min(product * ways, MOST_WAYS + 1)
    return product


def _ways_of(operation: str, argument: Any) -> int:
    if operation in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return _ways_of_repeat(*argument)
    if operation == "BRANCH":
        each = [_ways(branch) for branch in argument[1]]
        return _OPEN if _OPEN in each else sum(each)
    if operation == "SUBPATTERN":
        return _ways(argument[3])
    if operation in ("ASSERT", "ASSERT_NOT"):
        return _ways(argument[1])
    if operation == "ATOMIC_GROUP":
        return _ways(argument)
    if operation == "GROUPREF_EXISTS":
        return MOST_WAYS + 1  # Java has no conditional groups
    return 1


def _ways_of_repeat(least: int, most: Any, inner: Any) -> int:
    ways = _ways(inner)
    if ways == _OPEN or int(most) >= MOST_WAYS:
        return _OPEN
    total = sum(min(int(ways**count), MOST_WAYS + 1) for count in range(int(least), int(most) + 1))
    return min(total, MOST_WAYS + 1)
