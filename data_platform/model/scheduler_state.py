"""What the catalog knows of Dagster's daemon, its schedules and sensors, without asking Dagster."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

ON_CERTIFICATION = "on_certification"
"""The sensor that starts what was delivered or certified."""
ARRIVALS = "arrivals"
"""The sensor that looks for completion markers."""


def schedule_name(job: str) -> str:
    """The name of the schedule of a job, such as ``make_totals``."""
    return f"{job}_schedule"


@dataclass(frozen=True, kw_only=True)
class SchedulerState:
    """``ticked_at`` is the last tick of a sensor that the daemon ran; None if it never ran.

    ``off`` maps each schedule and sensor that is switched off to the time since which this is known.
    """

    ticked_at: datetime | None = None
    off: Mapping[str, datetime] = field(default_factory=dict)
