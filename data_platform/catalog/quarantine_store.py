"""``catalog.quarantine``: the batches and rows that failed a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog import quarantine

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.model.dataset import Stage
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.quarantine import QuarantineEntry


class Quarantine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def entries(self, urn: str | None = None, *, include_closed: bool = False) -> tuple[QuarantineEntry, ...]:
        """Newest first; only OPEN ones, unless ``include_closed``."""
        with self._database.reading() as connection:
            return quarantine.find_entries(connection, urn, include_closed=include_closed)

    def entry(self, name: str) -> QuarantineEntry | None:
        with self._database.reading() as connection:
            return quarantine.find_entry(connection, name)

    def supersede(self, urn: str, stage: Stage, partition: PartitionKey | None, *, by_run: str, now: datetime) -> int:
        """Close OPEN entries of earlier runs of the partition that ``by_run`` judged again; returns their number."""
        with self._database.writing() as connection:
            return quarantine.supersede(connection, urn, stage, partition, by_run=by_run, now=now)
