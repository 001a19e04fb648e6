"""The rows of each part of the partitions that are certified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from data_platform.catalog.table import RUN, VERDICT
from data_platform.catalog.timeliness import are_certified
from data_platform.catalog.upsert import rows_of
from data_platform.model.dataset import Stage
from data_platform.model.verdict import QUALIFYING, Gate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

    from data_platform.model.partition_key import PartitionKey


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
