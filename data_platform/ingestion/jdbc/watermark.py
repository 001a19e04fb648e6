"""Which rows of a table belong to a partition, by the column that its policy names as watermark."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol
from zoneinfo import ZoneInfo

from data_platform.errors import SourceError
from data_platform.ingestion.jdbc.database import is_date, is_number
from data_platform.ingestion.jdbc.statement import Interval, Statement
from data_platform.model.table_source import Rows

if TYPE_CHECKING:
    from data_platform.ingestion.jdbc.connection import Connection
    from data_platform.ingestion.jdbc.database import SourceColumn
    from data_platform.model.jdbc_source import JdbcSource
    from data_platform.model.partition_key import PartitionKey

_CLOCK = "%Y-%m-%d %H:%M:%S"


class Newest(Protocol):
    def __call__(self, low: str | None) -> str | None:
        """The greatest watermark above ``low``, as text; ``low`` if there is none."""


class Intervals(Protocol):
    """The intervals of a dataset that reads changes; the catalog keeps them (``stage.source_interval``)."""

    def choose(self, newest: Newest) -> tuple[str | None, str | None]:
        """The bounds of this partition's interval: those that it has already, or new ones after the last."""


@dataclass(frozen=True, kw_only=True)
class Moment:
    """The partition of a read, the zone of its days, and the time of the read."""

    partition: PartitionKey
    zone: str
    now: datetime


@dataclass(frozen=True, kw_only=True)
class Watermark:
    """The column of ``source.watermark`` in ``connection``'s table."""

    connection: Connection
    source: JdbcSource
    column: SourceColumn

    @property
    def quoted(self) -> str:
        return self.connection.quoted(self.column.name)

    @property
    def kind(self) -> str:
        return self.connection.database.watermark_kind(self.column)

    def interval(self, moment: Moment, intervals: Intervals) -> Interval:
        """The rows of the partition.

        Raises:
            SourceError: The column cannot be a watermark of such rows, or its newest value is not finite.
        """
        if self.source.rows is Rows.DAY:
            return self._of_day(moment)
        if is_date(self.kind):
            raise SourceError(
                f"the watermark {self.column.name} is a date, and rows: changes would lose what comes later with the "
                "same date; use rows: day, or a time"
            )
        low, high = intervals.choose(lambda low: self._newest(low, moment))
        if high is None or low == high:
            bound = self._literal(high) if high is not None else ""
            return Interval(column=self.quoted, low=bound, high=bound)
        return Interval(column=self.quoted, low=self._literal(low) if low else "", high=self._literal(high))

    def _of_day(self, moment: Moment) -> Interval:
        if is_number(self.kind):
            raise SourceError(f"the watermark {self.column.name} is a number; rows: day needs a date or a time")
        first, last = moment.partition, moment.partition.next
        if is_date(self.kind):
            low, high = str(first), str(last)
        elif self.connection.database.has_zone(self.column):
            low, high = (f"{one.starts_at(moment.zone):{_CLOCK}}+00" for one in (first, last))
        else:
            low, high = (f"{one} 00:00:00" for one in (first, last))
        bounds = {"low": self._literal(low), "high": self._literal(high)}
        return Interval(column=self.quoted, **bounds, with_low=True, with_high=False)

    def _newest(self, low: str | None, moment: Moment) -> str | None:
        until = self._until(moment)
        above = Interval(column=self.quoted, low=self._literal(low) if low else "", high=until)
        statement = Statement(source=self.source, columns={}, interval=above if low or until else None)
        text_of = self.connection.database.text_of(f"MAX({self.quoted})")
        [(newest,)] = self.connection.query(statement.value(text_of))
        if newest is None:
            return low
        self._literal(newest)  # a value that is not finite would be above every later one
        return newest

    def _until(self, moment: Moment) -> str:
        """Leaves out what is newer than the lag; empty for no lag."""
        if not self.source.lag_minutes:
            return ""
        if is_number(self.kind):
            raise SourceError(f"the watermark {self.column.name} is no time, so lag_minutes has no meaning; remove it")
        until = moment.now - timedelta(minutes=self.source.lag_minutes)
        if self.connection.database.has_zone(self.column):
            return self._literal(f"{until.astimezone(UTC):{_CLOCK}}+00")
        return self._literal(f"{until.astimezone(ZoneInfo(moment.zone)):{_CLOCK}}")

    def _literal(self, text: str) -> str:
        return self.connection.database.literal(self.column, text)
