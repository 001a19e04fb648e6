"""The partitions that a dataset declares: from when on, until when, in which time zone, and in which column.

One of them is a ``PartitionKey``. A partition exists once it is over.
"""

from __future__ import annotations

from datetime import date, datetime
from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from data_platform.model.closed import Closed
from data_platform.model.partition_key import PartitionKey
from data_platform.model.time_zone import known_zone


class PartitionRange(Closed):
    """Daily partitions from ``start`` on; days are days in ``time_zone``.

    ``end`` is the last day, for a dataset that gets no more; without it, or if it is 9999-12-31, every day that is over
    is a partition.
    """

    start: date
    end: date | None = None
    time_zone: Annotated[str, AfterValidator(known_zone)] = "UTC"

    @field_validator("end")
    @classmethod
    def _after_the_start(cls, end: date | None, info: ValidationInfo) -> date | None:
        if end == date.max:  # 9999-12-31, as tables write that there is no end
            return None
        start = info.data.get("start")  # absent if it is wrong itself
        if end is not None and start is not None and end < start:
            raise ValueError(f"the last day, {end}, is before the first, {start}")
        return end

    @cached_property
    def first(self) -> PartitionKey:
        return PartitionKey.of_value(self.start)

    @cached_property
    def last(self) -> PartitionKey | None:
        return PartitionKey.of_value(self.end) if self.end else None

    def outside(self, partition: PartitionKey) -> str:
        """Why ``partition`` is none of these; empty if it is one, once it is over."""
        if partition < self.first:
            return f"before the first partition, {self.first}"
        return f"after the last partition, {self.last}" if self.last and partition > self.last else ""

    def parse(self, text: str) -> PartitionKey:
        """The partition with this key, whether it is over or not.

        Raises:
            ValueError: The text is no key, or the key of none of these partitions.
        """
        partition = PartitionKey(text)
        if reason := self.outside(partition):
            raise ValueError(f"{text!r} is not a partition; it is {reason}")
        return partition

    def has_begun(self, partition: PartitionKey, at: datetime) -> bool:
        return partition <= PartitionKey.containing(at, self.time_zone)

    def is_over(self, partition: PartitionKey, at: datetime) -> bool:
        return partition < PartitionKey.containing(at, self.time_zone)

    def last_over(self, at: datetime) -> PartitionKey | None:
        """The last partition that was over at ``at``; None if it is none of these."""
        partition = PartitionKey.containing(at, self.time_zone).previous
        return None if self.outside(partition) else partition


class Partition(PartitionRange):
    """Daily partitions from ``start`` on, days in ``time_zone``. ``key`` is the DATE column that holds the day.

    A key that is not delivered is computed from the column ``computed_from`` in that zone, and a row of another day is
    quarantined; without ``computed_from`` it is the day of the delivery, and no row is checked. ``of_delivery``
    confirms this if a declared column has almost the key's name.

    ``end`` is the last day, for a dataset that gets no more; without it every day that is over is a partition.
    """

    key: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    computed_from: str | None = None
    of_delivery: bool = False

    @property
    def scheme(self) -> str:
        """How the rows are partitioned, as text for people."""
        return f"daily by {self.key}"
