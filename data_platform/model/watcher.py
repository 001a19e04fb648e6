"""A process that looks at intervals what is late, held or failed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

_MISSED = 3
_SLACK = timedelta(seconds=30)


@dataclass(frozen=True, kw_only=True)
class Watcher:
    """``error`` is why its last look failed; empty after a good one."""

    name: str
    looked_at: datetime
    every_seconds: int
    error: str = ""

    def is_alive(self, now: datetime) -> bool:
        """Whether it has looked within the last three intervals."""
        return now - self.looked_at <= _MISSED * timedelta(seconds=self.every_seconds) + _SLACK
