"""What the platform notices about one partition of a dataset: a signal, with its life from the first look to the last.

A ``Finding`` is true at the moment of a look and is computed from policies and the catalog alone. A ``Signal`` is a
finding as it was stored: found again and again by later looks, and at last cleared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey


Key = tuple[str, str, str, str]
"""Kind, dataset, partition and subject of a finding: what makes it the same one at each look."""


class SignalKind(StrEnum):
    """Source: the signal types of a batch dataset; JOB and AT_RISK are named for the owner's sake."""

    FRESHNESS = "FRESHNESS"
    AT_RISK = "AT_RISK"
    JOB = "JOB"
    IDENTITY = "IDENTITY"
    SCHEMA_DRIFT = "SCHEMA_DRIFT"
    CONTRACT = "CONTRACT"
    PERSONAL_DATA = "PERSONAL_DATA"
    QUALITY = "QUALITY"
    VOLUME = "VOLUME"
    ANOMALY = "ANOMALY"


class SignalSeverity(StrEnum):
    """CRITICAL: consumers do not get the partition. WARNING: they do, or may still get it in time."""

    WARNING = "WARNING"
    CRITICAL = "CRITICAL"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """``signature`` is the cause of a lateness (``JOB_FAILED``) or a failure signature (``KIND:field:detail``).

    ``occurred_at`` is when it became true in the world (the end of the grace, the end of the failed run), in UTC; the
    time from it to the incident is the time to detect. ``run_id`` is the run that shows it, and ``gate`` the gate, if
    there is one. ``upstream`` leads from the input that is to blame to the first dataset in the chain, if the fault is
    not the dataset's own. ``details`` has plain JSON for people; it never has a value of a row.
    """

    kind: SignalKind
    dataset: str
    partition: PartitionKey | None
    signature: str
    severity: SignalSeverity
    occurred_at: datetime
    reason: str
    run_id: str | None = None
    gate: str | None = None
    upstream: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        """What makes it the same signal at each look: a lateness stays the same while its cause changes."""
        subject = "" if self.kind in (SignalKind.FRESHNESS, SignalKind.AT_RISK) else self.signature
        return (self.kind.value, self.dataset, str(self.partition or ""), subject)


@dataclass(frozen=True, kw_only=True)
class Signal:
    """``cleared_at`` is None while the finding is true. ``incident`` is the number of its incident."""

    number: int
    finding: Finding
    first_seen_at: datetime
    last_seen_at: datetime
    cleared_at: datetime | None = None
    incident: int | None = None

    @property
    def is_active(self) -> bool:
        return self.cleared_at is None
