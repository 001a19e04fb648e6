"""A proposed rule: what it asks, why, and how many of the profiled rows it would reject."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from data_platform.model.number_text import number_of


class RuleKind(StrEnum):
    """What a rule asks. A form is the pattern of personal values, which are checked before they are remediated."""

    TYPE = "type"
    REQUIRED = "required"
    CODES = "codes"
    PATTERN = "pattern"
    RANGE = "range"
    FORM = "form"
    KEY = "key"
    ROWS = "rows"
    NULLS = "nulls"
    PERSONAL = "personal"
    PROFILE = "profile"


COUNTED = (
    RuleKind.TYPE,
    RuleKind.REQUIRED,
    RuleKind.CODES,
    RuleKind.PATTERN,
    RuleKind.RANGE,
    RuleKind.FORM,
    RuleKind.KEY,
)


@dataclass(frozen=True, kw_only=True)
class ProposedRule:
    """``fields`` are its columns, ``value`` what the policy says. ``would_reject`` is None for a rule about a batch."""

    kind: RuleKind
    fields: tuple[str, ...]
    value: Any
    reason: str
    would_reject: int | None = None

    @property
    def comment(self) -> str:
        if self.would_reject is None:
            return self.reason
        return f"{self.reason}; would reject {number_of(self.would_reject, 'row')}"

    @property
    def is_about(self) -> str:
        return ", ".join(self.fields)
