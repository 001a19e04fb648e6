"""Which changes of its source a partition reads: exactly those after the partition before it, each once.

The intervals of a dataset follow each other without a gap or an overlap, in the order of its partitions. An interval is
stored before its rows are read, and read again by every later run of the partition, also after a run that died. It
counts as read once bronze of the partition is recorded; before that no later partition begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.model.dataset import Stage
from data_platform.model.source_interval import SourceInterval

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.ingestion.jdbc.watermark import Newest
    from data_platform.model.partition_key import PartitionKey


@dataclass(frozen=True, kw_only=True)
class StoredIntervals:
    """Implements ``ingestion.jdbc.watermark.Intervals`` for one run of a partition, which has the dataset's lease."""

    catalog: Catalog
    urn: str
    partition: PartitionKey
    watermark: str
    run_id: str
    now: datetime

    def choose(self, newest: Newest) -> tuple[str | None, str | None]:
        """The interval that the partition has, or a new one after the last.

        An interval without rows is opened anew while no later one exists: the source may have been late.

        Raises:
            SourceError: A later partition was read already, the one before was not read to its end, or the intervals
                so far are of another watermark.
        """
        own = self.catalog.source_intervals.find(self.urn, self.partition)
        last = self.catalog.source_intervals.last(self.urn)
        if last is not None and last.watermark != self.watermark:
            raise SourceError(
                f"{self.urn} has read its changes by the watermark {last.watermark}, and the policy now names "
                f"{self.watermark}: changes would be lost or doubled. Name {last.watermark} again, or read the table "
                "as a new dataset"
            )
        if own is not None and (not own.is_empty or last != own):
            return own.low, own.high
        if own is not None:
            return self._open(own.low, newest)
        if last is None:
            return self._open(None, newest)
        if last.partition > self.partition:
            raise SourceError(
                f"{self.urn} reads changes in the order of its days, and {last.partition} has been read: the changes "
                f"of {self.partition} are in a later day; there is nothing left to read for it"
            )
        if not self._is_read(last.partition):
            raise SourceError(
                f"{self.urn} reads changes in the order of its days, and bronze of {last.partition} has not passed: "
                f"run {last.partition} first, then {self.partition}"
            )
        return self._open(last.high, newest)

    def _open(self, low: str | None, newest: Newest) -> tuple[str | None, str | None]:
        high = newest(low)
        interval = SourceInterval(
            dataset_urn=self.urn,
            partition=self.partition,
            watermark=self.watermark,
            low=low,
            high=high,
            run_id=self.run_id,
            opened_at=self.now,
        )
        self.catalog.source_intervals.save(interval)
        return low, high

    def _is_read(self, partition: PartitionKey) -> bool:
        """Whether the rows of the partition were ever written to bronze, whatever happened to it since."""
        runs = self.catalog.runs
        last = runs.latest(self.urn, Stage.BRONZE, partition)
        if last is not None and last.proceeds and last.version is not None:
            return True
        return runs.latest(self.urn, Stage.BRONZE, partition, passed_only=True) is not None
