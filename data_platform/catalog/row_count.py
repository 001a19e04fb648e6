"""How many rows each partition of a dataset has: those of the last run of gold that may be certified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from data_platform.catalog.table import RUN
from data_platform.model.dataset import Stage
from data_platform.model.verdict import QUALIFYING
from data_platform.model.volume import DeliveredRows

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from data_platform.model.partition_key import PartitionKey


def find_accepted_rows(
    connection: Connection, urn: str, *, before: PartitionKey | None, limit: int
) -> tuple[DeliveredRows, ...]:
    """The newest ``limit`` partitions, earlier than ``before`` if that is given, in the order of partitions."""
    of_gold = [RUN.c.dataset_urn == urn, RUN.c.stage == Stage.GOLD.value, RUN.c.partition.is_not(None)]
    if before is not None:
        of_gold.append(RUN.c.partition < before)
    last = select(func.max(RUN.c.id)).where(*of_gold, RUN.c.outcome.in_(QUALIFYING)).group_by(RUN.c.partition)
    query = select(RUN.c.partition, RUN.c.rows_accepted).where(RUN.c.id.in_(last))
    rows = connection.execute(query.order_by(RUN.c.partition.desc()).limit(limit)).all()
    return tuple(DeliveredRows(row.partition, row.rows_accepted) for row in reversed(rows))
