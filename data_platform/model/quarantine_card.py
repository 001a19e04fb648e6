"""A quarantine entry as lists show it: with its owner, its age, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.model.quarantine import QuarantineStatus
from data_platform.model.remediation import advice

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.model.quarantine_decision import Decision, QuarantineAction

STALE_AFTER = timedelta(days=7)
"""An entry that is open for longer is stale: most producers deliver daily, and a week has several working days."""
REASONS_SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class QuarantineCard:
    """``owner`` is who works on the entry, or the team of its dataset; ``suggestions`` are for the most frequent
    reasons.

    ``age_hours`` counts from when the rows were quarantined. Only an open entry can be stale.
    """

    entry: QuarantineEntry
    owner: str
    age_hours: float
    stale: bool
    suggestions: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class QuarantinePage:
    """A card with what people decided and did about the entry, oldest first."""

    card: QuarantineCard
    decisions: tuple[Decision, ...]
    actions: tuple[QuarantineAction, ...]


def card_of(entry: QuarantineEntry, team: str, now: datetime) -> QuarantineCard:
    age = now - entry.created_at
    reasons = list(entry.signatures)[:REASONS_SHOWN]
    return QuarantineCard(
        entry=entry,
        owner=entry.assignee or team,
        age_hours=round(age / timedelta(hours=1), 1),
        stale=entry.status is QuarantineStatus.OPEN and age > STALE_AFTER,
        suggestions=tuple(dict.fromkeys(advice(signature) for signature in reasons)),
    )


def age_text(hours: float) -> str:
    """``5h`` or ``3d``."""
    return f"{hours:.0f}h" if hours < 48 else f"{hours / 24:.0f}d"
