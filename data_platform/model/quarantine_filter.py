"""Which quarantine entries a list shows, and the owners of those that are open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.quarantine import QuarantineEntry, QuarantineStatus


@dataclass(frozen=True, kw_only=True)
class QuarantineFilter:
    """None selects all. ``owner`` is who works on an entry, or else the team of its dataset; empty for nobody."""

    dataset_urn: str | None = None
    partition: PartitionKey | None = None
    status: QuarantineStatus | None = None
    owner: str | None = None
    created_before: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class OwnedEntry:
    """``team`` owns the dataset of ``entry``; empty if no policy declares it any more."""

    entry: QuarantineEntry
    team: str


@dataclass(frozen=True, kw_only=True)
class QuarantineOwner:
    """What ``owner`` has to work on: open entries, those that are stale, their open rows, and since when."""

    owner: str
    batches: int
    stale: int
    rows: int
    oldest: datetime
