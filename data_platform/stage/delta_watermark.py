"""Which rows of a Delta table belong to a partition, by the column that its policy names as watermark."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from data_platform.errors import SourceError
from data_platform.gates.expression.column import quoted
from data_platform.model.table_source import Rows

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame

    from data_platform.ingestion.jdbc.watermark import Intervals, Moment
    from data_platform.model.delta_source import DeltaSource
    from data_platform.model.schema import Schema

_TIMES = ("timestamp", "timestamp_ntz")
_NUMBERS = ("tinyint", "smallint", "int", "bigint")
_CLOCK = "%Y-%m-%d %H:%M:%S"


@dataclass(frozen=True, kw_only=True)
class DeltaInterval:
    """``condition`` is true for its rows; ``shown`` is the same for people."""

    condition: SparkColumn
    shown: str


@dataclass(frozen=True, kw_only=True)
class DeltaWatermark:
    rows: DataFrame
    source: DeltaSource
    name: str
    type: str

    @classmethod
    def of(cls, rows: DataFrame, columns: Schema, source: DeltaSource) -> DeltaWatermark:
        """Raises: SourceError, if there is no such column, or it cannot be a watermark of such rows."""
        column = columns.get(str(source.watermark))
        if column is None:
            raise SourceError(f"{source.path} has no column {source.watermark}, which source.watermark names")
        allowed = ("date", *_TIMES) if source.rows is Rows.DAY else (*_TIMES, *_NUMBERS)
        if column.type not in allowed:
            raise SourceError(
                f"the watermark {column.name} is {column.type.upper()}; rows: {source.rows} needs one of "
                f"{', '.join(allowed).upper()}"
            )
        return cls(rows=rows, source=source, name=column.name, type=column.type)

    @property
    def column(self) -> SparkColumn:
        return quoted(self.name)

    def nulls(self) -> int:
        return self.rows.where(self.column.isNull()).count()

    def interval(self, moment: Moment, intervals: Intervals) -> DeltaInterval:
        from pyspark.sql import functions as F

        if self.source.rows is Rows.DAY:
            low, high = self._day(moment)
            inside = (self.column >= self._literal(low)) & (self.column < self._literal(high))
            return DeltaInterval(condition=inside, shown=f"{self.name} >= {low} AND {self.name} < {high}")
        found, high_text = intervals.choose(lambda low: self._newest(low, moment))
        if high_text is None:
            return DeltaInterval(condition=F.lit(False), shown="no rows")
        above = self.column > self._literal(found) if found is not None else F.lit(True)
        shown = f"{self.name} > {found} AND " if found is not None else ""
        return DeltaInterval(
            condition=above & (self.column <= self._literal(high_text)), shown=f"{shown}{self.name} <= {high_text}"
        )

    def _day(self, moment: Moment) -> tuple[str, str]:
        first, last = moment.partition, moment.partition.next
        if self.type == "timestamp":  # an instant; the session is in UTC
            return tuple(f"{one.starts_at(moment.zone):{_CLOCK}}" for one in (first, last))  # type: ignore[return-value]
        return str(first), str(last)

    def _newest(self, low: str | None, moment: Moment) -> str | None:
        from pyspark.sql import functions as F

        rows = self.rows if low is None else self.rows.where(self.column > self._literal(low))
        if self.source.lag_minutes:
            rows = rows.where(self.column <= self._literal(self._until(moment)))
        [newest] = rows.agg(F.max(self.column).cast("string").alias("newest")).collect()
        return low if newest["newest"] is None else str(newest["newest"])

    def _until(self, moment: Moment) -> str:
        if self.type not in _TIMES:
            raise SourceError(f"the watermark {self.name} is no time, so lag_minutes has no meaning; remove it")
        until = moment.now - timedelta(minutes=self.source.lag_minutes)
        zone = "UTC" if self.type == "timestamp" else moment.zone
        return f"{until.astimezone(ZoneInfo(zone)):{_CLOCK}}"

    def _literal(self, text: str) -> SparkColumn:
        from pyspark.sql import functions as F

        return F.lit(text).cast(self.type)
