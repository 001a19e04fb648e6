r"""A shape: how one kind of personal value is detected in a text and replaced; and the bounds that shapes share.

A shape is detected inside free text and bounded on both sides: part of a longer number is no match, and neither is the
result of a remediation.

Patterns are Java's. A repeat is of one character class or bounded: Java's engine recurses for each turn of a repeated
group, and a long text from outside would overflow the stack and end the JVM.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.personal_name import names_kind, words
from data_platform.model.token_text import PATTERN

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

DASH = r"\-\u2010-\u2015\u2212"
GAP = rf"[{DASH}. /\u00a0]"
# Each kind has the same bounds on both sides: replacing one match never makes its neighbour match.
NOT_IN_NUMBER = rf"(?<!\d[{DASH}.])"
START = rf"(?<![0-9A-Za-z]){NOT_IN_NUMBER}"
END = rf"(?!\d|[{DASH}.]\d)"
BARE_END = rf"(?![0-9A-Za-z]|[{DASH}.]\d)"
NUMBER_WORD = r"(?:[ _.\-]?(?i:numbers?|num|nr|no|nbr|is))?[^0-9A-Za-z\]]{0,6}"
"""What may be between a label and its number."""

_REMEDIATED = rf"(?:{PATTERN}|\[REDACTED:[A-Z0-9_]+\]|.?\*{{3}})(?:#\d+)?"
WHOLE = rf"(?s)\A(?!{_REMEDIATED}\z)(?=\P{{L}}*+\p{{L}}).+\z"
"""Any whole text with a letter in it that is not the result of a remediation."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """``bare`` also counts if the column's name indicates such values. ``mask`` is a regexp replacement.

    ``label`` is in signatures, placeholders and tokens; ``rule`` is the policy's kind. Every value that matches also
    passes the fast test ``candidate``. Two spellings of one value have the same ``normal``.

    ``check`` is true for a match whose check digits are right; without one every match counts. ``masked`` replaces
    ``mask`` where a replacement is not enough. A ``whole`` shape is a whole text and not a part of it. ``within`` are
    labels of earlier shapes that may contain a match. Columns with a word of ``unless`` in their names have none.
    """

    label: str
    rule: str
    pattern: str
    candidate: Callable[[Column], Column]
    normal: Callable[[Column], Column]
    bare: str = ""
    mask: str = ""
    check: Callable[[Column], Column] | None = None
    masked: Callable[[Column], Column] | None = None
    whole: bool = False
    within: frozenset[str] = frozenset()
    unless: frozenset[str] = frozenset()

    def pattern_in(self, column: str, *, named: bool, free_text: bool) -> str:
        """The pattern for ``column``, which a rule may name; bare values count in ``free_text``. Empty: no search."""
        if self.whole:
            return self.pattern if named or free_text or names_kind(column, self.rule) else ""
        if self.unless & words(column) and not named:
            return ""
        if not self.bare:
            return self.pattern
        if free_text or names_kind(column, self.rule):
            return f"(?:{self.pattern}|{self.bare})"
        if named:
            return rf"(?:{self.pattern}|\A\s*+{self.bare}\s*+\z)"
        return f"(?:{self.pattern}|(?!){self.bare})"  # never matches, and keeps the groups that the mask names


def has_at(value: Column) -> Column:
    return value.contains("@")


def at_least(length: int) -> Callable[[Column], Column]:
    """A test for texts of at least ``length`` bytes, which is fast because it does not count characters."""

    def long_enough(value: Column) -> Column:
        from pyspark.sql import functions as F

        return F.octet_length(value) >= length

    return long_enough


def at_least_with_digit(length: int) -> Callable[[Column], Column]:
    """The same, and the text has a digit: one test for all kinds of numbers, which Spark computes once for a value."""

    def may_be_number(value: Column) -> Column:
        return at_least(length)(value) & value.rlike("[0-9]")

    return may_be_number


is_long = at_least_with_digit(8)
"""The shortest number without check digits has eight characters."""


def lower(match: Column) -> Column:
    from pyspark.sql import functions as F

    return F.lower(match)


def signs(match: Column) -> Column:
    """The letters, in lower case, and the digits: two ways to group a number are equal."""
    from pyspark.sql import functions as F

    return F.lower(F.regexp_replace(match, "[^0-9A-Za-z]", ""))
