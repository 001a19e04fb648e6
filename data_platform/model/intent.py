"""What a run is about to write, recorded before it writes, so that a commit of a dead run can be detected."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.dataset import Stage
    from data_platform.model.partition_key import PartitionKey


@dataclass(frozen=True, kw_only=True)
class Intent:
    """``before`` is the table's version before the write, None if there is no table yet; ``note`` is in the commit."""

    run_id: str
    dataset_urn: str
    stage: Stage
    partition: PartitionKey | None
    path: str
    before: int | None
    note: dict[str, Any] = field(default_factory=dict)
    opened_at: datetime
