"""When partitions were there for the first time, and since when the catalog knows a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from data_platform.catalog.registry_table import DATASET, DATASET_VERSION
from data_platform.catalog.table import RUN
from data_platform.catalog.timeliness import partition_of
from data_platform.catalog.upsert import WANTED, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.engine import Connection

    from data_platform.model.partition_key import PartitionKey


def find_first_arrived(
    connection: Connection, urns: Iterable[str], since: PartitionKey
) -> dict[str, dict[PartitionKey, datetime]]:
    """When each partition of external datasets from ``since`` on was reported first."""
    versions = versions_of(DATASET_VERSION.c.version_tag, DATASET_VERSION.c.produced_at)
    query = versions.where(DATASET_VERSION.c.version_tag >= str(since)).order_by(DATASET_VERSION.c.produced_at.desc())
    found: dict[str, dict[PartitionKey, datetime]] = {}
    for row in rows_of(connection, query, urns):
        if (partition := partition_of(row.version_tag)) is not None:
            found.setdefault(row.full_name, {})[partition] = row.produced_at  # the earliest is the last one
    return found


def find_beginnings(connection: Connection, urns: Iterable[str]) -> dict[str, datetime]:
    """When the first run of each dataset began, or the first version of an external one was made."""
    wanted = list(urns)
    runs = select(RUN.c.dataset_urn, func.min(RUN.c.started_at).label("began")).where(RUN.c.dataset_urn.in_(WANTED))
    began = {row.dataset_urn: row.began for row in rows_of(connection, runs.group_by(RUN.c.dataset_urn), wanted)}
    versions = versions_of(func.min(DATASET_VERSION.c.produced_at).label("began")).group_by(DATASET.c.full_name)
    made = {row.full_name: row.began for row in rows_of(connection, versions, wanted)}
    return made | began


def versions_of(*columns: Any) -> Select[Any]:
    """The versions of ``WANTED`` external datasets that were produced."""
    query = select(DATASET.c.full_name, *columns).join(
        DATASET_VERSION, DATASET_VERSION.c.dataset_id == DATASET.c.dataset_id
    )
    return query.where(
        DATASET.c.full_name.in_(WANTED),
        DATASET_VERSION.c.historical.is_(False),
        DATASET_VERSION.c.produced_at.is_not(None),
    )
