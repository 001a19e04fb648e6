"""How large the deliveries of an external dataset are, by the reports of its jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey


@dataclass(frozen=True)
class ReportedSize:
    """The last version of a partition, as its job reported it at ``at``; None for a number that it did not report.

    ``run`` is the UUID of the job's run, None if the report names none.
    """

    partition: PartitionKey
    rows: int | None
    bytes: int | None
    at: datetime
    run: str | None = None
