"""Learns which columns hold codes, and which codes, from counted values.

A domain is learned only where a look at its values shows codes: capitals, digits and underscores, without a long
number, each repeated often. A column about people is left out by its name, since a name in capitals looks like a code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data_platform.model.personal import redacted
from data_platform.model.personal_name import names_kind, words
from data_platform.model.pii_policy import PiiKind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

MOST_VALUES = 50
"""A column with more values holds no codes, or more than a person reviews."""

FEWEST_ROWS = 100
"""With fewer rows with a value a domain would be an accident."""

REPEATED = 10
"""Each value must occur this often on average: a key does not."""

CODE = re.compile(r"(?!.*[0-9]{3})[A-Z][A-Z0-9_]{0,30}")
"""A value that a signature may show; the gate searches the same pattern, so its syntax is common to Java."""

_ABOUT_PEOPLE = {
    "name", "firstname", "lastname", "surname", "person", "people", "customer", "client", "user", "username", "owner",
    "employee", "staff", "agent", "driver", "contact", "author", "holder", "patient", "member", "signer", "approver",
    "mail", "email", "phone", "mobile", "address", "street", "city", "birth", "ssn", "iban", "card", "comment", "note",
}  # fmt: skip


@dataclass(frozen=True)
class LearnedDomains:
    """``domains`` map columns to their sorted codes, ``skipped`` others to the reason."""

    domains: dict[str, tuple[str, ...]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


def learn(counts: Mapping[str, Mapping[str, int] | None], *, searched: Collection[str]) -> LearnedDomains:
    """``counts`` map text columns to their values' rows, None if a column has too many values to count.

    ``searched`` are columns in which a PII rule searches, whose values are never shown.
    """
    domains: dict[str, tuple[str, ...]] = {}
    skipped: dict[str, str] = {}
    hidden = {name.lower() for name in searched}
    for column, rows_by_value in counts.items():
        why = _why_not(column, rows_by_value, is_searched=column.lower() in hidden)
        if why:
            skipped[column] = why
        else:
            domains[column] = tuple(sorted(rows_by_value or ()))
    return LearnedDomains(domains, skipped)


def why_not_by_name(column: str) -> str:
    """Why nothing is learned of a column of this name; empty if something may be."""
    is_personal = words(column) & _ABOUT_PEOPLE or any(names_kind(column, kind) for kind in PiiKind)
    return "its name is about people or free text: declare enum in the policy if it holds codes" if is_personal else ""


def _why_not(column: str, rows_by_value: Mapping[str, int] | None, *, is_searched: bool) -> str:
    if is_searched:
        return "a PII rule searches it"
    if why := why_not_by_name(column):
        return why
    if rows_by_value is None or len(rows_by_value) > MOST_VALUES:
        return f"more than {MOST_VALUES} values"
    rows = sum(rows_by_value.values())
    if rows < FEWEST_ROWS:
        return f"{rows} rows have a value, fewer than {FEWEST_ROWS}"
    if rows < REPEATED * len(rows_by_value):
        return f"its values repeat less than {REPEATED} times on average"
    if not all(CODE.fullmatch(value) and redacted(value) == value for value in rows_by_value):
        return "not all values are codes such as FLASH_SALE: declare enum in the policy if they are a fixed set"
    return ""
