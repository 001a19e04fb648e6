"""The metrics of the columns of each partition, as the DQ gate of the last silver that passed recorded them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from data_platform.catalog.last_run import before_partition, last_qualifying
from data_platform.catalog.table import RUN, VERDICT
from data_platform.model.dataset import Stage
from data_platform.model.delivery_history import DeliveredFields, FieldMetrics
from data_platform.model.verdict import Gate

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from data_platform.model.partition_key import PartitionKey


def find_field_metrics(
    connection: Connection, urn: str, *, before: PartitionKey | None, limit: int
) -> tuple[DeliveredFields, ...]:
    """The newest ``limit`` partitions, earlier than ``before`` if that is given, in the order of partitions."""
    last = last_qualifying(urn, Stage.SILVER, *before_partition(before))
    query = (
        select(RUN.c.partition, VERDICT.c.metadata)
        .join(VERDICT, VERDICT.c.run == RUN.c.id)
        .where(RUN.c.id.in_(last.order_by(RUN.c.partition.desc()).limit(limit)), VERDICT.c.gate == Gate.DQ.value)
    )
    rows = connection.execute(query.order_by(RUN.c.partition)).all()
    return tuple(
        DeliveredFields(
            row.partition,
            row.metadata.get("rows") or 0,
            {name.lower(): FieldMetrics.of_document(found) for name, found in row.metadata.get("fields", {}).items()},
        )
        for row in rows
    )
