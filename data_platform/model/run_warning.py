"""A rule that warned in a run that passed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.dataset import Stage
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.verdict import Gate


@dataclass(frozen=True, kw_only=True)
class RunWarning:
    """``signature`` is ``KIND:field``, without the detail, which may differ each day. ``rows`` broke the rule."""

    run_id: str
    dataset_urn: str
    stage: Stage
    partition: PartitionKey | None
    finished_at: datetime
    gate: Gate
    signature: str
    reason: str
    rows: int | None
