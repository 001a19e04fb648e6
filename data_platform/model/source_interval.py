"""Which changes of a table belong to a partition, by the watermark: above ``low``, and up to ``high``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey


@dataclass(frozen=True, kw_only=True)
class SourceInterval:
    """``low`` is None before the first interval, ``high`` if the table had no row yet. ``run_id`` opened it.

    ``watermark`` is the column; values of another one cannot be compared with these.
    """

    dataset_urn: str
    partition: PartitionKey
    watermark: str
    low: str | None
    high: str | None
    run_id: str
    opened_at: datetime

    @property
    def is_empty(self) -> bool:
        return self.low == self.high
