"""The rows of each part of the partitions that are certified, or that were reported of external datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from data_platform.catalog.first_arrival import versions_of
from data_platform.catalog.lineage.latest_value import value_of
from data_platform.catalog.registry_table import DATASET_VERSION
from data_platform.catalog.table import RUN, VERDICT
from data_platform.catalog.timeliness import are_certified, partition_of
from data_platform.catalog.upsert import rows_of
from data_platform.model.dataset import Stage
from data_platform.model.verdict import QUALIFYING, Gate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from typing import Any

    from sqlalchemy.engine import Connection

    from data_platform.model.partition_key import PartitionKey

    Part = tuple[str, PartitionKey]


def find_parts(
    connection: Connection, urns: Iterable[str], since: PartitionKey
) -> dict[tuple[str, PartitionKey], dict[str, int]]:
    """As DQ recorded them for the last silver that passed before the partition was certified last."""
    certified = (
        select(RUN.c.dataset_urn, RUN.c.partition, func.max(RUN.c.id).label("id"))
        .where(*are_certified(since))
        .group_by(RUN.c.dataset_urn, RUN.c.partition)
        .subquery()
    )
    silver = (
        select(func.max(RUN.c.id))
        .join(
            certified,
            (RUN.c.dataset_urn == certified.c.dataset_urn)
            & (RUN.c.partition == certified.c.partition)
            & (RUN.c.id < certified.c.id),
        )
        .where(RUN.c.stage == Stage.SILVER.value, RUN.c.outcome.in_(QUALIFYING))
        .group_by(RUN.c.dataset_urn, RUN.c.partition)
    )
    query = (
        select(RUN.c.dataset_urn, RUN.c.partition, VERDICT.c.metadata)
        .join(VERDICT, VERDICT.c.run == RUN.c.id)
        .where(RUN.c.id.in_(silver), VERDICT.c.gate == Gate.DQ.value)
    )
    return {
        (row.dataset_urn, row.partition): row.metadata["parts"]
        for row in rows_of(connection, query, urns)
        if row.metadata.get("parts")
    }


def find_part_times(
    connection: Connection, urns: Iterable[str], since: PartitionKey
) -> dict[Part, dict[str, datetime | None]]:
    """When each part was in a certified version first; None if it was counted, and had no rows so far."""
    earlier = RUN.alias("silver")
    certified = select(RUN.c.id, RUN.c.dataset_urn, RUN.c.partition, RUN.c.finished_at).where(*are_certified(since))
    last = certified.subquery("certified")
    silver = (
        select(func.max(earlier.c.id))
        .where(
            earlier.c.dataset_urn == last.c.dataset_urn,
            earlier.c.partition == last.c.partition,
            earlier.c.id < last.c.id,
            earlier.c.stage == Stage.SILVER.value,
            earlier.c.outcome.in_(QUALIFYING),
        )
        .scalar_subquery()
    )
    query = (
        select(last.c.dataset_urn, last.c.partition, last.c.finished_at, VERDICT.c.metadata)
        .select_from(last.join(VERDICT, VERDICT.c.run == silver))
        .where(VERDICT.c.gate == Gate.DQ.value)
        .order_by(last.c.id)
    )
    counted = (
        ((row.dataset_urn, row.partition), row.finished_at, row.metadata.get("parts") or {})
        for row in rows_of(connection, query, urns)
    )
    return _first_times(counted)


def find_reported_parts(connection: Connection, urns: Iterable[str], since: PartitionKey) -> dict[Part, dict[str, int]]:
    """What the newest report of each part says; of a partition whose reports name no parts, nothing."""
    found: dict[Part, dict[str, int]] = {}
    for key, _, rows in _reported(connection, urns, since):
        found.setdefault(key, {}).update(rows)
    return found


def find_reported_part_times(
    connection: Connection, urns: Iterable[str], since: PartitionKey
) -> dict[Part, dict[str, datetime | None]]:
    """When each part was reported first with rows."""
    return _first_times(_reported(connection, urns, since))


def _reported(
    connection: Connection, urns: Iterable[str], since: PartitionKey
) -> Iterator[tuple[Part, datetime, dict[str, int]]]:
    """The rows of parts by each version of external datasets, oldest first."""
    query = versions_of(DATASET_VERSION.c.version_tag, DATASET_VERSION.c.produced_at, DATASET_VERSION.c.metadata_json)
    query = query.where(DATASET_VERSION.c.version_tag >= str(since)).order_by(DATASET_VERSION.c.produced_at)
    for row in rows_of(connection, query, urns):
        partition = partition_of(row.version_tag)
        report = value_of(row.metadata_json or {}, "@report") or {}
        if partition is not None:
            yield (row.full_name, partition), row.produced_at, _counted((report.get("metadata") or {}).get("parts"))


def _counted(parts: Any) -> dict[str, int]:
    """What a producer has sent is anything; only whole numbers are rows."""
    if not isinstance(parts, dict):
        return {}
    return {str(name): rows for name, rows in parts.items() if isinstance(rows, int) and not isinstance(rows, bool)}


def _first_times(
    counted: Iterable[tuple[Part, datetime, dict[str, int]]],
) -> dict[Part, dict[str, datetime | None]]:
    """``counted`` is in the order of time."""
    found: dict[Part, dict[str, datetime | None]] = {}
    for key, at, rows in counted:
        times = found.setdefault(key, {})
        for part, number in rows.items():
            times[part] = times.get(part) or (at if number > 0 else None)
    return found
