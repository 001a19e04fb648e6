"""How a gate judged one partition of a dataset, in short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.dataset import Stage
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.verdict import Outcome


@dataclass(frozen=True, kw_only=True)
class RowBand:
    """The number of rows that was usual for a delivery when it was judged."""

    expected: int
    low: int
    high: int


@dataclass(frozen=True, kw_only=True)
class GateDay:
    """The verdict of ``gate`` in the last run of ``stage`` for a partition.

    ``compliance`` is the share of rows that kept every rule, 0..1. ``usual_rows`` is only with a gate that counts rows.
    """

    partition: PartitionKey
    stage: Stage
    gate: str
    outcome: Outcome
    run_id: str
    finished_at: datetime
    compliance: float | None = None
    reason: str = ""
    usual_rows: RowBand | None = None
