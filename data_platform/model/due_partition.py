"""A partition with its deadline, and since when it is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey


@dataclass(frozen=True, kw_only=True)
class DueOfDataset:
    """``due`` is the deadline, ``late_since`` the end of its grace. ``there_since`` is when it was certified first.

    Of an external dataset it is when it first arrived. None: it is not there. All times are in UTC.
    """

    dataset: str
    partition: PartitionKey
    due: datetime
    late_since: datetime
    there_since: datetime | None
