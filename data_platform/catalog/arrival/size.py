"""The reported row counts and sizes of external datasets, by partition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, or_, select

from data_platform.catalog.registry_table import DATASET, DATASET_VERSION
from data_platform.catalog.timeliness import partition_of
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.reported_size import ReportedSize

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.partition_key import PartitionKey

_VERSION = DATASET_VERSION.c
_COUNTED = (
    _VERSION.historical.is_(False),
    _VERSION.produced_at.is_not(None),
    or_(_VERSION.row_count.is_not(None), _VERSION.byte_count.is_not(None)),
)
_VERSIONS_OF_A_DAY = 3


def find_report_states(connection: Connection, urns: Iterable[str], since: datetime) -> dict[str, tuple[Any, ...]]:
    """What changes whenever a size was reported ``since``, of each dataset that has such a report."""
    numbers = (
        func.count(_VERSION.dataset_version_id),
        func.max(_VERSION.dataset_version_id),
        func.sum(_VERSION.row_count),
        func.sum(_VERSION.byte_count),
    )
    query = (
        select(DATASET.c.full_name, *numbers)
        .join(DATASET_VERSION, _VERSION.dataset_id == DATASET.c.dataset_id)
        .where(DATASET.c.full_name.in_(WANTED), _VERSION.produced_at >= since, *_COUNTED)
        .group_by(DATASET.c.full_name)
    )
    return {row.full_name: tuple(row)[1:] for row in rows_of(connection, query, urns)}


def find_reported_sizes(connection: Connection, urn: str, *, limit: int) -> tuple[ReportedSize, ...]:
    """The newest ``limit`` partitions, in their order, each by its version that was produced last."""
    query = (
        select(DATASET_VERSION)
        .join(DATASET, DATASET.c.dataset_id == _VERSION.dataset_id)
        .where(DATASET.c.full_name == urn, *_COUNTED)
        .order_by(_VERSION.version_tag.desc())
        .limit(limit * _VERSIONS_OF_A_DAY)
    )
    last: dict[PartitionKey, tuple[tuple[Any, ...], ReportedSize]] = {}
    for row in connection.execute(query):
        partition = partition_of(row.version_tag)
        if partition is None:
            continue
        rank = (row.produced_at, row.dataset_version_id)
        if partition not in last or rank > last[partition][0]:
            size = ReportedSize(partition, row.row_count, row.byte_count, row.produced_at, row.produced_by_run_id)
            last[partition] = (rank, size)
    return tuple(last[partition][1] for partition in sorted(last)[-limit:])
