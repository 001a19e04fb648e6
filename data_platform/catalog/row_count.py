"""How many rows each partition of a dataset has: those of the last run of gold that may be certified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from data_platform.catalog.incident_table import INCIDENT, SIGNAL
from data_platform.catalog.last_run import before_partition, last_qualifying
from data_platform.catalog.table import RUN
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.dataset import Stage
from data_platform.model.incident import Resolution
from data_platform.model.signal import SignalKind
from data_platform.model.volume import DeliveredRows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

    from data_platform.model.partition_key import PartitionKey


def find_accepted_rows(
    connection: Connection, urn: str, *, before: PartitionKey | None, limit: int
) -> tuple[DeliveredRows, ...]:
    """The newest ``limit`` partitions, earlier than ``before`` if that is given, in the order of partitions."""
    last = last_qualifying(urn, Stage.GOLD, *before_partition(before))
    query = select(RUN.c.partition, RUN.c.rows_accepted).where(RUN.c.id.in_(last))
    rows = connection.execute(query.order_by(RUN.c.partition.desc()).limit(limit)).all()
    expected = find_expected(connection, [urn]).get(urn, frozenset())
    return tuple(DeliveredRows(row.partition, row.rows_accepted, row.partition in expected) for row in reversed(rows))


def find_expected(connection: Connection, urns: Iterable[str]) -> dict[str, frozenset[PartitionKey]]:
    """The partitions of each dataset whose row count or size was unusual, and which people resolved as expected."""
    query = (
        select(SIGNAL.c.dataset_urn, SIGNAL.c.partition)
        .join(INCIDENT, INCIDENT.c.number == SIGNAL.c.incident)
        .where(
            SIGNAL.c.dataset_urn.in_(WANTED),
            SIGNAL.c.kind == SignalKind.VOLUME.value,
            INCIDENT.c.resolution == Resolution.EXPECTED.value,
        )
    )
    found: dict[str, set[PartitionKey]] = {}
    for row in rows_of(connection, query, urns):
        found.setdefault(row.dataset_urn, set()).add(row.partition)
    return {urn: frozenset(partitions) for urn, partitions in found.items()}
