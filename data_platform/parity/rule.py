"""Defines when two values count as equal: tolerances of numbers and timestamps, and differences ignored in texts.

Without any rule only equal values match; NULL equals NULL, NaN equals NaN, and 0.0 equals -0.0.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from data_platform.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

NOTHING = Decimal(0)


@dataclass(frozen=True)
class Tolerance:
    """``everywhere`` is for every column of the kind that is not in ``columns``, which is by lower-case name."""

    everywhere: Decimal = NOTHING
    columns: Mapping[str, Decimal] = field(default_factory=dict)

    def of(self, column: str) -> Decimal:
        return self.columns.get(column.lower(), self.everywhere)

    @classmethod
    def parse(cls, option: str, words: Sequence[str]) -> Tolerance:
        """Parses ``0.01``, ``amount=0.01``, or several with commas; the last value of a column counts.

        Raises:
            UsageError: Something in ``words`` is not one of these.
        """
        tolerance = cls()
        for word in split_words(words):
            name, equals, number = word.rpartition("=")
            if equals and not name.strip():
                raise UsageError(f"{option} {word}: the column's name is missing; expected such as amount=0.01")
            value = _tolerance(option, number.strip())
            if equals:
                tolerance = replace(tolerance, columns={**tolerance.columns, name.strip().lower(): value})
            else:
                tolerance = replace(tolerance, everywhere=value)
        return tolerance


@dataclass(frozen=True, kw_only=True)
class Rules:
    """``tolerance`` is in the column's unit, ``relative`` a share of the larger value, ``seconds`` for timestamps.

    ``trim`` removes white space at both ends of texts. ``allowed`` is the share of keys, 0 to 1, that may differ.
    """

    tolerance: Tolerance = Tolerance()
    relative: Tolerance = Tolerance()
    seconds: Tolerance = Tolerance()
    trim: bool = False
    ignore_case: bool = False
    empty_is_null: bool = False
    allowed: Decimal = NOTHING

    @property
    def non_defaults(self) -> dict[str, Any]:
        """The rules that differ from the default, by option name, for a report."""
        options: dict[str, Any] = {}
        for name in ("tolerance", "relative", "seconds"):
            tolerance: Tolerance = getattr(self, name)
            if tolerance.everywhere:
                options[name] = f"{tolerance.everywhere}"
            options |= {f"{name} {column}": f"{value}" for column, value in tolerance.columns.items()}
        texts = ("trim", "ignore_case", "empty_is_null")
        options |= {name.replace("_", "-"): True for name in texts if getattr(self, name)}
        return options | ({"allow": percent(self.allowed)} if self.allowed else {})


def split_words(words: Iterable[str]) -> list[str]:
    """Splits the values of an option that may be repeated or contain commas; empty values are dropped."""
    return [part.strip() for word in words for part in word.split(",") if part.strip()]


def parse_share(option: str, text: str) -> Decimal:
    """Parses ``0.1%`` to a share, 0 to 1. A bare number is rejected: 1 may mean one row, one in a hundred, or all.

    Raises:
        UsageError: ``text`` is not a percentage from 0% to 100%.
    """
    number = text.strip().removesuffix("%")
    share = _number(number)
    if share is None or not text.strip().endswith("%") or not 0 <= share <= 100:
        raise UsageError(f"{option} {text}: expected a percentage of rows from 0% to 100%, such as 0.1%")
    return share / 100


def percent(share: Decimal) -> str:
    """Formats 0.001 as ``0.1%``."""
    return f"{(share * 100).normalize():f}%"


def _tolerance(option: str, text: str) -> Decimal:
    number = _number(text)
    if number is None or number < 0:
        raise UsageError(f"{option} {text}: expected a number of 0 or more, such as 0.01 or amount=0.01")
    return number


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
