"""A table as the source of a dataset: which of its rows belong to a partition, and what starts the reading of them.

``jdbc_source`` is a table of a database, ``delta_source`` one of Delta Lake.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from data_platform.model.closed import Closed
from data_platform.model.schedule import parse_schedule
from data_platform.model.source import Watch  # noqa: TC001 - pydantic reads annotations at run time

OPERATIONAL = frozenset(
    {"user", "password", "driver", "split", "fetch_size", "time_limit_minutes", "schedule", "completion"}
)
"""Keys that change how and when a table is read, and not which rows it has."""


class Rows(StrEnum):
    """ALL: the whole table. DAY: the rows whose watermark is in the day. CHANGES: those above the last watermark."""

    ALL = "all"
    DAY = "day"
    CHANGES = "changes"


def _is_schedule(text: str) -> str:
    parse_schedule(text)
    return text


class TableSource(Closed):
    """``rows`` is what a partition reads; ``day`` and ``changes`` need a ``watermark``, a column of times.

    For ``changes`` it may also be one of growing numbers, and ``lag_minutes`` leaves out what changed so recently that
    its transaction may still be open. ``schedule`` starts the last day that is over, like that of a process;
    ``completion`` is a marker that starts a day. ``exponents`` and ``rounding`` are as for files.
    """

    rows: Rows = Rows.ALL
    watermark: str | None = None
    lag_minutes: int = Field(default=0, ge=0, le=1440)
    producer: str | None = None
    schedule: Annotated[str, AfterValidator(_is_schedule)] | None = None
    completion: Watch | None = None
    exponents: bool = False
    rounding: bool = False

    @property
    def kind(self) -> str:
        """The name of the format, for people."""
        return str(getattr(self, "format", ""))

    @property
    def arrival(self) -> Watch | None:
        """The marker that is watched; None if nothing is."""
        return self.completion

    @property
    def names_producer(self) -> bool:
        return bool(self.producer)

    @property
    def names_partition(self) -> bool:
        return bool(self.completion and self.completion.names_partition)

    @property
    def is_of_partition(self) -> bool:
        """A table has rows of every partition; which of them a run reads, ``rows`` decides."""
        return self.completion is None or self.completion.names_partition

    @property
    def needs_partition(self) -> bool:
        return self.rows is not Rows.ALL

    @model_validator(mode="after")
    def _has_one_meaning(self) -> TableSource:
        if self.needs_partition != bool(self.watermark):
            raise ValueError("watermark and rows (day or changes) need each other")
        if self.lag_minutes and self.rows is not Rows.CHANGES:
            raise ValueError("lag_minutes has an effect only with rows: changes; remove it")
        return self
