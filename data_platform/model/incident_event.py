"""The history of an incident, which is only ever added to, and a look's groups of findings with one root cause."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.incident import BlastRadius
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.signal import Finding

WATCHDOG = "watchdog"
"""Who changed an incident, if it was no person."""


class IncidentChange(StrEnum):
    """CHANGED: another root, another cause or another severity. SILENCED: found again after people had accepted it."""

    OPENED = "OPENED"
    REOPENED = "REOPENED"
    SIGNALS_ADDED = "SIGNALS_ADDED"
    SIGNALS_CLEARED = "SIGNALS_CLEARED"
    CHANGED = "CHANGED"
    ACKNOWLEDGED = "ACKNOWLEDGED"
    RESOLVED = "RESOLVED"
    MERGED = "MERGED"
    SILENCED = "SILENCED"


@dataclass(frozen=True, kw_only=True)
class IncidentEvent:
    """One change. ``number`` increases over all incidents, in the order of commits; ``at`` is in UTC."""

    number: int
    incident: int
    what: IncidentChange
    by: str
    at: datetime
    text: str


@dataclass(frozen=True, kw_only=True)
class SignalGroup:
    """Findings with one root cause, the root first. ``dataset`` and ``partition`` are where the root cause is.

    ``blast_radius`` is None if the incident that it will join has it already.
    """

    findings: tuple[Finding, ...]
    dataset: str
    partition: PartitionKey | None
    title: str = ""
    owner_team: str = ""
    tier: str = ""
    blast_radius: BlastRadius | None = None

    @property
    def root(self) -> Finding:
        return self.findings[0]
