"""The deliveries of the partitions before one, which the DQ gate compares with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from data_platform.gates.drift.judgement import DELIVERIES
from data_platform.gates.volume.judgement import NEWEST
from data_platform.model.delivery_history import DeliveryHistory

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey


def delivery_history(platform: Platform, urn: str, partition: PartitionKey | None) -> DeliveryHistory | None:
    """None for a dataset without partitions, whose deliveries have no days."""
    if partition is None:
        return None
    runs = platform.catalog.runs
    return DeliveryHistory(
        partition,
        rows=partial(runs.accepted_rows, urn, before=partition, limit=NEWEST),
        fields=partial(runs.field_metrics, urn, before=partition, limit=DELIVERIES),
    )
