"""Rules for personal data: for each kind that was found, its columns and what happens to the values.

A value that people look up again becomes a token, one that they only compare by its end is masked, all others are
redacted. These are defaults to decide about, and the safe ones: nothing that was found stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.model.pii_policy import PiiAction, PiiKind
from data_platform.onboarding.proposal.rule import ProposedRule, RuleKind
from data_platform.policies.personal import WHOLE_VALUES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.onboarding.profile.table_profile import ColumnProfile, TableProfile

_ACTIONS = {
    PiiKind.EMAIL: PiiAction.TOKENIZE, PiiKind.PHONE: PiiAction.MASK, PiiKind.SSN: PiiAction.REDACT,
    PiiKind.CREDIT_CARD: PiiAction.MASK, PiiKind.IBAN: PiiAction.TOKENIZE, PiiKind.DATE_OF_BIRTH: PiiAction.REDACT,
    PiiKind.IP_ADDRESS: PiiAction.TOKENIZE, PiiKind.PERSON_NAME: PiiAction.TOKENIZE,
    PiiKind.STREET_ADDRESS: PiiAction.REDACT,
}  # fmt: skip
_LONG_TEXT = 60
"""A column with longer values holds texts, in which names and addresses are only a part."""


def personal_rules(profile: TableProfile) -> Iterator[ProposedRule]:
    for kind in PiiKind:
        columns = [one for one in profile.columns if kind.value in one.personal and one.type == "string"]
        for in_text in (False, True):
            fields = tuple(one.name for one in columns if _is_text(one, kind) is in_text)
            if fields:
                value: dict[str, Any] = {"pattern": kind.value, "action": _ACTIONS[kind].value, "fields": list(fields)}
                if in_text:
                    value["in_text"] = True
                reason = "found by the detectors, or the name of the column says so"
                yield ProposedRule(kind=RuleKind.PERSONAL, fields=fields, value=value, reason=reason)


def _is_text(column: ColumnProfile, kind: PiiKind) -> bool:
    return kind in WHOLE_VALUES and (column.longest or 0) > _LONG_TEXT
