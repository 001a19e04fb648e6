"""A table, or what a query selects of it, as the delivery of one partition.

The columns, the interval and the number of rows are read in one transaction. Where the database can share its snapshot,
Spark's connections read the very same rows; elsewhere the number of rows shows whether the table changed in between.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_platform.errors import SourceError
from data_platform.ingestion.delivery_file import delivery_id
from data_platform.ingestion.formats.column_name import name_problems, names_in_table
from data_platform.ingestion.formats.provenance import PROVENANCE
from data_platform.ingestion.jdbc.connection import Connection
from data_platform.ingestion.jdbc.statement import Statement, all_columns, find_column, needed_columns, predicates
from data_platform.ingestion.jdbc.table_rows import TableRead, read_table
from data_platform.ingestion.jdbc.watermark import Watermark
from data_platform.model.delta_name import delta_name
from data_platform.model.number_text import number_of
from data_platform.model.run import SOURCE
from data_platform.model.schema import Column, Schema, normal_type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

    from data_platform.ingestion.jdbc.database import SourceColumn
    from data_platform.ingestion.jdbc.statement import Interval
    from data_platform.ingestion.jdbc.watermark import Intervals, Moment
    from data_platform.model.jdbc_source import JdbcSource

QUERY = "query"
"""The name of what a query selects."""


@dataclass(frozen=True, kw_only=True)
class TablePart:
    """The table as the one part of its delivery; see ``DeliveredPart``."""

    name: str
    schema: Schema
    renamed: dict[str, str]
    untyped: frozenset[str]
    as_text: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class TableDelivery:
    """Implements ``Delivered``. ``close`` ends the transaction whose snapshot the rows are of."""

    connection: Connection = field(repr=False)
    part: TablePart
    rows: TableRead = field(repr=False)
    id: str
    record_count: int
    warnings: dict[str, str]
    facts: Mapping[str, Any]
    problems: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    is_typed: bool = True
    producer: str | None = None
    unreadable: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    file_counts: dict[str, int] = field(default_factory=dict)
    control_totals: dict[str, str] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[TablePart, ...]:
        return (self.part,)

    def read(self, spark: SparkSession, columns: Schema) -> DataFrame:
        try:
            return read_table(spark, self.rows, columns)
        except Exception as error:
            raise (self.failure(error) or error) from None

    def missing_parts(self) -> tuple[str, ...]:
        return ()

    def damaged_parts(self) -> dict[str, str]:
        return {}

    def failure(self, error: Exception) -> Exception | None:
        return self.connection.failure(error)

    def close(self) -> None:
        self.connection.close()


def find_table(
    spark: SparkSession,
    source: JdbcSource,
    declared: Schema,
    run_id: str,
    moment: Moment | None = None,
    intervals: Intervals | None = None,
) -> TableDelivery:
    """Examines the table; ``moment`` and ``intervals`` are those of a partition whose rows a watermark selects.

    Raises:
        SourceUnavailableError: The database does not answer, or somebody else holds a lock.
        SourceError: There is no such table, or it cannot be read as the policy says.
        EnvironmentProblem: The driver or the password is missing.
    """
    connection = Connection(spark, source)
    try:
        return _Examination(connection, source, declared, run_id).delivery(moment, intervals)
    except BaseException:
        connection.close()
        raise


class _Examination:
    def __init__(self, connection: Connection, source: JdbcSource, declared: Schema, run_id: str) -> None:
        self.connection, self.source, self.declared, self.run_id = connection, source, declared, run_id
        self.name = source.table or QUERY
        self.columns = connection.columns(all_columns(source))
        self._require_names()

    def delivery(self, moment: Moment | None, intervals: Intervals | None) -> TableDelivery:
        part, expressions = self._part()
        interval, problems = None, dict[str, str]()
        if self.source.watermark and moment is not None and intervals is not None:
            watermark = Watermark(connection=self.connection, source=self.source, column=self._column("watermark"))
            interval = watermark.interval(moment, intervals)
            problems = self._left_out(watermark)
        split = self.connection.quoted(self._column("split.column").name) if self.source.split else ""
        statement = Statement(source=self.source, columns=expressions, interval=interval, split=split)
        count, low, high = self._counted(statement)
        parts = predicates(self.source.split, low, high)
        rows = TableRead(
            source=self.source,
            database=self.connection.database,
            driver=self.connection.driver_class,
            properties=self.connection.properties,
            session=self.connection.database.session_statement(self.connection.snapshot, self.connection.seconds),
            statement=statement,
            predicates=parts,
            names=part.schema.names,
            part=self.name,
        )
        facts = self._facts(interval, count, max(len(parts), 1))
        return TableDelivery(
            connection=self.connection,
            part=part,
            rows=rows,
            id=delivery_id({name: str(value) for name, value in {**facts, "run": self.run_id}.items()}),
            record_count=count,
            warnings={},
            facts={SOURCE: facts},
            problems=tuple(problems),
            details=tuple(problems.values()),
        )

    def _require_names(self) -> None:
        names = [column.name for column in self.columns]
        if problems := list(name_problems(names)):
            raise SourceError(f"{self.name}: {'; '.join(problems)}. Give each column one name in a source.query.")
        if reserved := [name for name in names if name.lower() in PROVENANCE]:
            raise SourceError(
                f"{self.name}: reserved column {', '.join(reserved)}: the platform adds its own. Rename it in a query."
            )
        for key, name in needed_columns(self.source):
            if find_column(self.columns, name) is None:
                raise SourceError(f"{self.name} has no column {name}, which source.{key} names; correct the policy")

    def _column(self, key: str) -> SourceColumn:
        name = dict(needed_columns(self.source))[key]
        found = find_column(self.columns, name)
        assert found is not None, "checked before"  # noqa: S101
        return found

    def _part(self) -> tuple[TablePart, dict[str, str]]:
        """The table's columns, and the expression that reads each, by its alias."""
        names = names_in_table([delta_name(one.name) for one in self.columns], self.declared.names, self.name)
        columns, expressions, untyped, as_text = [], {}, set(), set()
        for place, (column, name) in enumerate(zip(self.columns, names, strict=True), start=1):
            known = self.declared.get(name)
            reading = self.connection.database.reading(column, normal_type(known.type) if known else None)
            if reading.as_text:
                as_text.add(name)
            if reading.type is None and known:
                untyped.add(name)
            kind = reading.type or (known.type if known else "string")
            columns.append(Column(name=name, type=kind, nullable=column.nullable))
            expressions[f"dp_c{place}"] = self.connection.database.expression(
                column, self.connection.quoted(column.name)
            )
        renamed = {name: column.name for column, name in zip(self.columns, names, strict=True) if name != column.name}
        part = TablePart(
            name=self.name,
            schema=Schema.of(columns),
            renamed=renamed,
            untyped=frozenset(untyped),
            as_text=frozenset(as_text),
        )
        return part, expressions

    def _left_out(self, watermark: Watermark) -> dict[str, str]:
        """Rows without a watermark are in no interval, and would be lost without a word."""
        if not watermark.column.nullable:
            return {}
        without = Statement(source=self.source, columns={}).without(watermark.quoted)
        [(count,)] = self.connection.query(without)
        if not int(count or 0):
            return {}
        name = watermark.column.name
        rows = number_of(int(count or 0), "row")
        text = f"{rows} without {name}, which no partition has; have it filled, or leave them out in a source.query"
        return {f"NULL_WATERMARK:{name}": text}

    def _counted(self, statement: Statement) -> tuple[int, int | None, int | None]:
        [(count, *bounds)] = self.connection.query(statement.counts)
        split = self.source.split
        if split is None:
            return int(count or 0), None, None
        if split.lower is not None:
            return int(count or 0), split.lower, split.upper
        try:
            low, high = (None if bound is None else int(bound) for bound in bounds)
        except ValueError:
            raise SourceError(
                f"source.split.column {split.column} holds no whole numbers; name another column, or remove split"
            ) from None
        return int(count or 0), low, high

    def _facts(self, interval: Interval | None, count: int, parts: int) -> dict[str, Any]:
        facts: dict[str, Any] = {"database": self.connection.place, "table": self.name, "rows": self.source.rows.value}
        if interval is not None:
            facts["interval"] = interval.condition
        if self.connection.snapshot:
            facts["snapshot"] = self.connection.snapshot
        return {**facts, "count": count, "parts": parts}
