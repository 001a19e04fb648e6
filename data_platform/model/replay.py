"""Which alerts of the past would have fired by the policies of today."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date, datetime

    from data_platform.model.partition_key import PartitionKey

LATE = "LATE"
VOLUME_ANOMALY = "VOLUME_ANOMALY"


@dataclass(frozen=True, kw_only=True)
class ReplayedAlert:
    """``kind`` is LATE or VOLUME_ANOMALY. ``ended_at`` is when a late partition was there; None: it still is not."""

    kind: str
    dataset: str
    partition: PartitionKey
    owner_team: str
    fired_at: datetime
    ended_at: datetime | None
    reason: str


@dataclass(frozen=True, kw_only=True)
class ReplayedDay:
    """A day in UTC, with the number of alerts that fired on it."""

    day: date
    late: int
    volume: int


@dataclass(frozen=True, kw_only=True)
class Replay:
    """``alerts`` are those of ``days``, oldest first; ``datasets`` counts the datasets that have a history."""

    since: datetime
    until: datetime
    datasets: int
    alerts: tuple[ReplayedAlert, ...]
    days: tuple[ReplayedDay, ...]

    @property
    def late(self) -> int:
        return sum(one.late for one in self.days)

    @property
    def volume(self) -> int:
        return sum(one.volume for one in self.days)

    @property
    def by_dataset(self) -> dict[str, int]:
        """How many alerts each dataset has, the one with the most first."""
        return dict(Counter(one.dataset for one in self.alerts).most_common())
