"""The number of rows of a delivery beside what is usual for its dataset and its day."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data_platform.model.partition_key import PartitionKey


class VolumeRule(StrEnum):
    """Which rule judges row counts. ``AUTO`` is the rolling one for young datasets, then the seasonal one."""

    AUTO = "auto"
    ROLLING = "rolling"
    SEASONAL = "seasonal"


@dataclass(frozen=True)
class DeliveredRows:
    """``rows`` is the number that was accepted for the partition by its last run.

    ``is_expected``: it was unusual, and people confirmed that it was right.
    """

    partition: PartitionKey
    rows: int
    is_expected: bool = False


@dataclass(frozen=True)
class UsualRows:
    """What a rule expects: ``rows``, and the bounds of what is usual, all in rows."""

    rows: float
    low: float
    high: float

    def includes(self, rows: float) -> bool:
        return self.low <= rows <= self.high
