"""``catalog.source_intervals``: which interval of its source each partition of a dataset reads.

An interval is stored before its rows are read, so that a run that died repeats it. Whether its rows were written is in
``catalog.runs``: the watermark has moved only if bronze of the partition was recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from data_platform.catalog.source_interval_table import SOURCE_INTERVAL
from data_platform.catalog.upsert import replace
from data_platform.model.source_interval import SourceInterval

if TYPE_CHECKING:
    from data_platform.catalog.database import Database
    from data_platform.model.partition_key import PartitionKey


class SourceIntervals:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, interval: SourceInterval) -> None:
        """Inserts the interval of a partition, or replaces it."""
        row = {
            "dataset_urn": interval.dataset_urn,
            "partition": interval.partition,
            "watermark": interval.watermark,
            "low": interval.low,
            "high": interval.high,
            "run_id": interval.run_id,
            "opened_at": interval.opened_at,
        }
        with self._database.writing() as connection:
            replace(connection, SOURCE_INTERVAL, [row], keys=["dataset_urn", "partition"])

    def find(self, urn: str, partition: PartitionKey) -> SourceInterval | None:
        """None if the partition has none yet."""
        table = SOURCE_INTERVAL
        wanted = select(table).where(table.c.dataset_urn == urn, table.c.partition == partition)
        with self._database.reading() as connection:
            row = connection.execute(wanted).one_or_none()
        return None if row is None else SourceInterval(**row._mapping)

    def last(self, urn: str) -> SourceInterval | None:
        """The interval of the last partition that has one; None if none has."""
        table = SOURCE_INTERVAL
        newest = select(table).where(table.c.dataset_urn == urn).order_by(table.c.partition.desc()).limit(1)
        with self._database.reading() as connection:
            row = connection.execute(newest).one_or_none()
        return None if row is None else SourceInterval(**row._mapping)
