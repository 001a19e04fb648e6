"""Rules about a whole delivery: how many rows it has, how many NULLs, and which columns are watched for drift."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.number_text import number_of
from data_platform.model.schema import is_number
from data_platform.onboarding.profile.stored_profile import is_identifier, learned_codes
from data_platform.onboarding.proposal.rule import ProposedRule, RuleKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.onboarding.profile.table_profile import TableProfile

LEAST_DELIVERIES = 5
"""With fewer deliveries nobody knows how few rows a day may have."""
_SHARE_OF_SMALLEST = 0.5
_NULL_ROOM, _NULL_FACTOR = 0.05, 1.5
_MOSTLY_NULL = 0.5
MOST_WATCHED = 10


def batch_rules(profile: TableProfile) -> Iterator[ProposedRule]:
    yield _least_rows(profile)
    for column in profile.columns:
        if 0 < column.null_rate < _MOSTLY_NULL:
            bound = round(min(1.0, column.worst_null_rate * _NULL_FACTOR + _NULL_ROOM), 3)
            reason = f"{column.null_rate:.2%} are NULL, {column.worst_null_rate:.2%} in the worst delivery"
            yield ProposedRule(kind=RuleKind.NULLS, fields=(column.name,), value=bound, reason=f"{reason}; warns only")
    if watched := _watched(profile):
        reason = "their numbers or codes are compared with those of earlier deliveries; warns only"
        yield ProposedRule(kind=RuleKind.PROFILE, fields=watched, value=watched, reason=reason)


def _least_rows(profile: TableProfile) -> ProposedRule:
    counts = list(profile.rows.values())
    smallest = min(counts, default=0)
    if len(counts) < LEAST_DELIVERIES:
        reason = f"{number_of(len(counts), 'delivery', 'deliveries')} profiled, too few for a bound"
        return ProposedRule(kind=RuleKind.ROWS, fields=(), value=1, reason=reason)
    least = max(1, int(smallest * _SHARE_OF_SMALLEST))
    reason = f"half of the smallest of {len(counts)} deliveries, which has {number_of(smallest, 'row')}"
    return ProposedRule(kind=RuleKind.ROWS, fields=(), value=least, reason=reason)


def _watched(profile: TableProfile) -> tuple[str, ...]:
    codes = learned_codes(profile)
    names = [
        one.name
        for one in profile.columns
        if not one.personal
        and (one.name in codes or (is_number(one.type) and not is_identifier(one) and not one.is_growing))
    ]
    return tuple(names[:MOST_WATCHED])
