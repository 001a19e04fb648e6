"""A partition that is not late yet, and will be: what must still run takes longer than the time that is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from data_platform.model.partition_key import PartitionKey


@dataclass(frozen=True, kw_only=True)
class PathStep:
    """``remaining`` is the time that the partition of ``dataset`` still takes by the 95th percentile of its runs."""

    dataset: str
    partition: PartitionKey
    remaining: timedelta
    state: str


@dataclass(frozen=True, kw_only=True)
class AtRisk:
    """``expected_at`` is by the 95th percentiles along the path, ``usual_at`` by the medians; all times are in UTC.

    ``path`` leads from the first dataset that is not there to this one.
    """

    dataset: str
    partition: PartitionKey
    owner_team: str
    tier: str
    due: datetime
    late_since: datetime
    expected_at: datetime
    usual_at: datetime
    path: tuple[PathStep, ...]

    @property
    def slack(self) -> timedelta:
        """Negative: so much too late."""
        return self.late_since - self.expected_at

    @property
    def upstream(self) -> tuple[str, ...]:
        """From the input that it waits for to the first dataset of the path; empty if it waits for none."""
        return tuple(step.dataset for step in reversed(self.path[:-1]))
