"""The row counts of the partitions before one, which the DQ gate compares with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from data_platform.gates.volume.judgement import NEWEST
from data_platform.model.volume import RowHistory

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey


def row_history(platform: Platform, urn: str, partition: PartitionKey | None) -> RowHistory | None:
    """None for a dataset without partitions, whose row counts have no days."""
    if partition is None:
        return None
    return RowHistory(partition, partial(platform.catalog.runs.accepted_rows, urn, before=partition, limit=NEWEST))
