"""The deliveries of other partitions, which the gates DQ and G1 compare with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from data_platform.gates.drift.judgement import DELIVERIES
from data_platform.gates.volume.judgement import NEWEST
from data_platform.model.delivery_history import DeliveryHistory

if TYPE_CHECKING:
    from collections.abc import Callable

    from data_platform.installation import Platform
    from data_platform.model.delivered_content import ContentHistory
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


def content_history(
    platform: Platform, urn: str, partition: PartitionKey | None
) -> Callable[[str], ContentHistory] | None:
    """Reads what was delivered for the partitions around ``partition``, to compare with a digest; None without them."""
    return None if partition is None else partial(platform.catalog.runs.content_history, urn, partition)
