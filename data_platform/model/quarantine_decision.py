"""Decisions of people about quarantined rows: let them through, or discard them. And the log of what people did.

A decision is bound to the delivery that the rows came with: a new delivery of the same day is judged afresh. A release
also names the rules that the rows may break; a row that breaks another rule stays in quarantine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.dataset import Stage
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.quarantine import Level

RELEASES = "releases"
"""The key of a report's metadata for the numbers of the releases that its rows depend on."""

DISCARDED = "DISCARDED"
"""The signature of a row that somebody discarded: it stays in quarantine whatever the policy says today."""


class DecisionKind(StrEnum):
    RELEASE = "RELEASE"
    DISCARD = "DISCARD"


class DecisionStatus(StrEnum):
    """Only APPROVED has an effect, on the next run of the day. A discard needs no second person."""

    REQUESTED = "REQUESTED"
    APPROVED = "APPROVED"
    WITHDRAWN = "WITHDRAWN"


@dataclass(frozen=True, kw_only=True)
class Decision:
    """``signatures`` are the rules that released rows may break, with the rows that broke each when it was requested.

    ``rows`` is how many rows the run ``run_id`` applied it to; None if no run has applied it yet. ``table_path`` is the
    quarantine table, which identifies the rows by file and line.
    """

    id: int
    entry: str
    kind: DecisionKind
    status: DecisionStatus
    dataset_urn: str
    stage: Stage
    partition: PartitionKey | None
    level: Level
    delivery_id: str
    table_path: str
    signatures: dict[str, int | None]
    reason: str
    requested_by: str
    requested_at: datetime
    decided_by: str | None = None
    decided_at: datetime | None = None
    rows: int | None = None
    run_id: str | None = None

    def allows(self, signature: str) -> bool:
        """Whether a row may break ``signature``, which may be one of a rule without the detail of a row."""
        return self.kind is DecisionKind.RELEASE and any(
            is_of_rule(approved, signature) or is_of_rule(signature, approved) for approved in self.signatures
        )

    @property
    def sentence(self) -> str:
        """Who decided what, and why."""
        decided = f", approved by {self.decided_by}" if self.decided_by and self.kind is DecisionKind.RELEASE else ""
        return f"{self.kind.lower()} of {self.entry}: requested by {self.requested_by}{decided}: {self.reason}"


@dataclass(frozen=True, kw_only=True)
class QuarantineAction:
    """A row of the append-only log of what people did with an entry."""

    id: int
    entry: str
    at: datetime
    actor: str
    role: str
    action: str
    reason: str
    detail: dict[str, Any] = field(default_factory=dict)


def is_of_rule(signature: str, rule: str) -> bool:
    """``UNKNOWN_ENUM:status:C1`` is of the rule ``UNKNOWN_ENUM:status``; a signature is of itself."""
    return signature == rule or signature.startswith(f"{rule}:")
