"""An incident: signals with one root cause, and what people did about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.signal import SignalSeverity


class IncidentState(StrEnum):
    """MERGED: a later look showed that an older incident has the same root cause; ``merged_into`` names it."""

    OPEN = "OPEN"
    ACKNOWLEDGED = "ACKNOWLEDGED"
    RESOLVED = "RESOLVED"
    MERGED = "MERGED"

    @property
    def is_active(self) -> bool:
        return self in (IncidentState.OPEN, IncidentState.ACKNOWLEDGED)


ACTIVE_STATES = tuple(state for state in IncidentState if state.is_active)


class Resolution(StrEnum):
    """Why an incident ended. RECOVERED is the platform's own: each of its signals was cleared.

    EXPECTED: the data were right, and enter the baseline. FALSE_ALARM counts in the false-positive rate, as EXPECTED
    does.
    """

    RECOVERED = "RECOVERED"
    FIXED = "FIXED"
    EXPECTED = "EXPECTED"
    FALSE_ALARM = "FALSE_ALARM"
    ACCEPTED = "ACCEPTED"


SILENCING = frozenset({Resolution.EXPECTED, Resolution.FALSE_ALARM, Resolution.ACCEPTED})
"""After these a finding of the incident opens no incident again, however often it is found."""


@dataclass(frozen=True, kw_only=True)
class Affected:
    """A dataset downstream of the root, ``depth`` edges away. ``deadline`` is the next that is endangered, in UTC."""

    dataset: str
    owner_team: str | None
    tier: str | None
    depth: int
    deadline: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class BlastRadius:
    """``affected`` are the nearest, in the order of depth and name; ``total`` counts all."""

    affected: tuple[Affected, ...] = ()
    total: int = 0
    owners: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Incident:
    """``dataset`` and ``partition`` are the root: the signal that is first upstream, of its earliest partition.

    ``title`` is one line for people. ``occurred_at`` is the earliest of its signals; ``opened_at`` is when the platform
    noticed. All times are in UTC.
    """

    number: int
    dataset: str
    partition: PartitionKey | None
    signature: str
    severity: SignalSeverity
    state: IncidentState
    title: str
    owner_team: str
    tier: str
    occurred_at: datetime
    opened_at: datetime
    acknowledged_at: datetime | None = None
    acknowledged_by: str | None = None
    resolved_at: datetime | None = None
    resolved_by: str | None = None
    resolution: Resolution | None = None
    comment: str | None = None
    merged_into: int | None = None
    blast_radius: BlastRadius = field(default_factory=BlastRadius)
