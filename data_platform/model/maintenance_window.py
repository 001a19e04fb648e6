"""A time in which work is announced, so that its incidents alert nobody."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

EVERYTHING = "*"
LONGEST = timedelta(days=31)
"""A longer window would be a way to turn alerts off."""


@dataclass(frozen=True, kw_only=True)
class MaintenanceWindow:
    """``subject`` is ``*``, the URN of a dataset (``ds://zone/name``) or the name of an owner.

    Times are in UTC. ``ended_at`` is when somebody ended it early.
    """

    number: int
    subject: str
    starts_at: datetime
    ends_at: datetime
    reason: str
    author: str
    created_at: datetime
    ended_at: datetime | None = None
    ended_by: str | None = None

    def is_active(self, now: datetime) -> bool:
        end = self.ends_at if self.ended_at is None else min(self.ended_at, self.ends_at)
        return self.starts_at <= now < end

    def covers(self, dataset: str, owner: str) -> bool:
        """Whether it is for ``owner``, or for incidents of ``dataset``."""
        return self.subject in (EVERYTHING, dataset, owner)
