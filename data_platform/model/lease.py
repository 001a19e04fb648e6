"""A lease: which run writes a dataset, since when, and when the lease expires if it is not renewed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class Lease:
    """``subject`` is a dataset's URN, or ``dagster/<run id>`` for a Dagster run that is alive."""

    subject: str
    owner: str
    taken_at: datetime
    expires_at: datetime
