"""How a dataset meets its service level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class SlaState:
    """A dataset with a service level. ``late_seconds`` is 0 or less while met, None if nothing was ever produced."""

    dataset: str
    owner_team: str | None
    window_seconds: int
    last_produced_at: datetime | None
    late_seconds: float | None

    @property
    def met(self) -> bool:
        return self.late_seconds is not None and self.late_seconds <= 0
