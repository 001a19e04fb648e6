"""A Delta table that others write, as the delivery of one partition: the rows of exactly one of its versions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_platform.errors import SourceError
from data_platform.gates.expression.column import quoted
from data_platform.ingestion.delivery_file import delivery_id
from data_platform.ingestion.formats.column_name import name_problems
from data_platform.ingestion.formats.provenance import PROVENANCE
from data_platform.lake.table import LakeTable, schema_of
from data_platform.model.number_text import number_of
from data_platform.model.personal import redacted
from data_platform.model.run import SOURCE
from data_platform.stage.delta_watermark import DeltaWatermark

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame, SparkSession

    from data_platform.ingestion.jdbc.watermark import Intervals, Moment
    from data_platform.model.delta_source import DeltaSource
    from data_platform.model.schema import Column, Schema


@dataclass(frozen=True, kw_only=True)
class DeltaPart:
    """The table as the one part of its delivery; see ``DeliveredPart``."""

    name: str
    schema: Schema
    renamed: dict[str, str] = field(default_factory=dict)
    untyped: frozenset[str] = frozenset()
    as_text: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class DeltaDelivery:
    """Implements ``Delivered``. A version does not change, so nothing has to be kept while it is read."""

    part: DeltaPart
    rows: DataFrame = field(repr=False)
    id: str
    record_count: int
    facts: Mapping[str, Any]
    problems: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    is_typed: bool = True
    producer: str | None = None
    warnings: dict[str, str] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    file_counts: dict[str, int] = field(default_factory=dict)
    control_totals: dict[str, str] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[DeltaPart, ...]:
        return (self.part,)

    def read(self, spark: SparkSession, columns: Schema) -> DataFrame:
        """``_line`` numbers the rows of this read; the next read of the same rows may number them otherwise."""
        from pyspark.sql import functions as F

        del spark
        return self.rows.select(
            *(self._value(column).alias(column.name) for column in columns.columns),
            F.lit(self.part.name).alias("_file"),
            (F.monotonically_increasing_id() + 1).alias("_line"),
            F.lit(None).cast("string").alias("_raw"),
            F.lit(None).cast("string").alias("_malformed"),
        )

    def _value(self, column: Column) -> SparkColumn:
        from pyspark.sql import functions as F

        found = self.part.schema.get(column.name)
        if found is None:
            return F.lit(None).cast(column.type)
        return quoted(found.name) if found.type == column.type else quoted(found.name).cast(column.type)

    def missing_parts(self) -> tuple[str, ...]:
        return ()

    def damaged_parts(self) -> dict[str, str]:
        return {}

    def failure(self, error: Exception) -> Exception | None:
        """None: Spark's own error is explained as that of any file."""
        del error
        return None

    def close(self) -> None:
        """Nothing: a version stays as it is."""


def find_delta(
    table: LakeTable,
    source: DeltaSource,
    run_id: str,
    moment: Moment | None = None,
    intervals: Intervals | None = None,
) -> DeltaDelivery:
    """The latest version of ``table``; ``moment`` and ``intervals`` are those of a partition.

    Raises:
        SourceError: There is no such table, or it cannot be read as the policy says.
    """
    if not table.exists:
        raise SourceError(f"there is no Delta table at {source.path}; correct source.path, or have the table written")
    version = table.version()
    rows, problems = table.at(version), dict[str, str]()
    columns, name = schema_of(rows), redacted(source.path.rstrip("/").rpartition("/")[2])
    _require_names(columns, name)
    facts: dict[str, Any] = {"table": source.path, "version": version, "rows": source.rows.value}
    if source.watermark and moment is not None and intervals is not None:
        watermark = DeltaWatermark.of(rows, columns, source)
        interval = watermark.interval(moment, intervals)
        problems, rows = _left_out(watermark), rows.where(interval.condition)
        facts["interval"] = interval.shown
    count = rows.count()
    facts["count"] = count
    return DeltaDelivery(
        part=DeltaPart(name=name, schema=columns),
        rows=rows,
        id=delivery_id({key: str(value) for key, value in {**facts, "run": run_id}.items()}),
        record_count=count,
        facts={SOURCE: facts},
        problems=tuple(problems),
        details=tuple(problems.values()),
    )


def _require_names(columns: Schema, name: str) -> None:
    if problems := list(name_problems(columns.names)):
        raise SourceError(f"{name}: {'; '.join(problems)}. Have each column given one name.")
    if reserved := [one for one in columns.names if one.lower() in PROVENANCE]:
        raise SourceError(f"{name}: reserved column {', '.join(reserved)}: the platform adds its own. Have it renamed.")


def _left_out(watermark: DeltaWatermark) -> dict[str, str]:
    """Rows without a watermark are in no interval, and would be lost without a word."""
    if not (count := watermark.nulls()):
        return {}
    text = f"{number_of(count, 'row')} without {watermark.name}, which no partition has; have it filled"
    return {f"NULL_WATERMARK:{watermark.name}": text}
