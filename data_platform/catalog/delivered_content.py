"""The digests of the rows of each partition, as G1 of the last bronze that passed recorded them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from data_platform.catalog.last_run import before_partition, last_qualifying
from data_platform.catalog.table import RUN, VERDICT
from data_platform.model.dataset import Stage
from data_platform.model.delivered_content import (
    CONTENT_DIGEST,
    NEWEST_BEFORE,
    NEXT_AFTER,
    ContentHistory,
    DeliveredContent,
)
from data_platform.model.verdict import QUALIFYING, Gate

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.engine import Connection

    from data_platform.model.partition_key import PartitionKey


def find_content_history(connection: Connection, urn: str, partition: PartitionKey, digest: str) -> ContentHistory:
    """The newest partitions before ``partition`` and the next ones after it; those without rows have no digest.

    It leaves out partitions that got the rows of ``digest`` later than ``partition``: if a day that was right is run
    again, it does not repeat the day that repeated it.
    """
    own = _first_run(connection, urn, partition, digest)
    before = last_qualifying(urn, Stage.BRONZE, *before_partition(partition))
    after = last_qualifying(urn, Stage.BRONZE, RUN.c.partition > partition)
    found = [
        _contents(connection, before.order_by(RUN.c.partition.desc()).limit(NEWEST_BEFORE)),
        _contents(connection, after.order_by(RUN.c.partition).limit(NEXT_AFTER)),
    ]
    if own is not None:
        found = [
            [one for one in contents if one.digest != digest or _had_before(connection, urn, one, own)]
            for contents in found
        ]
    return ContentHistory(*found)


def _had_before(connection: Connection, urn: str, content: DeliveredContent, run: int) -> bool:
    first = _first_run(connection, urn, content.partition, content.digest)
    return first is not None and first < run


def _first_run(connection: Connection, urn: str, partition: PartitionKey, digest: str) -> int | None:
    """The key of the first accepted run that delivered the rows for the partition."""
    query = _of_runs(RUN.c.dataset_urn == urn, RUN.c.stage == Stage.BRONZE.value, RUN.c.partition == partition)
    rows = connection.execute(query.where(RUN.c.outcome.in_(QUALIFYING)).order_by(RUN.c.id))
    return next((row.id for row in rows if row.metadata.get(CONTENT_DIGEST) == digest), None)


def _contents(connection: Connection, runs: Select[Any]) -> list[DeliveredContent]:
    rows = connection.execute(_of_runs(RUN.c.id.in_(runs)).order_by(RUN.c.partition)).all()
    digests = ((row.partition, row.metadata.get(CONTENT_DIGEST)) for row in rows)
    return [DeliveredContent(partition, digest) for partition, digest in digests if digest]


def _of_runs(*conditions: ColumnElement[bool]) -> Select[Any]:
    """The runs, each with the metadata of G1's verdict."""
    joined = select(RUN.c.id, RUN.c.partition, VERDICT.c.metadata).join(VERDICT, VERDICT.c.run == RUN.c.id)
    return joined.where(*conditions, VERDICT.c.gate == Gate.G1_RESOLUTION.value)
