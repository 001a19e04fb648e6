"""Reads the rows of a table with Spark: in parts, each through a connection of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from data_platform.ingestion.jdbc.database import Database
    from data_platform.ingestion.jdbc.statement import Statement
    from data_platform.model.jdbc_source import JdbcSource
    from data_platform.model.schema import Schema


@dataclass(frozen=True, kw_only=True)
class TableRead:
    """``names`` are the columns of ``statement`` in bronze, in its order; ``session`` is executed by each connection.

    ``properties`` has the password, and is asked only when Spark needs it.
    """

    source: JdbcSource
    database: Database
    driver: str
    properties: Callable[[], dict[str, str]]
    session: str
    statement: Statement
    predicates: Sequence[str]
    names: Sequence[str]
    part: str

    @property
    def options(self) -> dict[str, str]:
        options = {"driver": self.driver, "fetchsize": str(self.source.fetch_size), **self.properties()}
        options |= {"sessionInitStatement": self.session} if self.session else {}
        # A limit of each statement; a database with a session statement has it there, for every statement.
        return options if self.session else {**options, "queryTimeout": str(self.source.time_limit_minutes * 60)}


def read_table(spark: SparkSession, table: TableRead, columns: Schema) -> DataFrame:
    """``columns`` in their order, NULL where the table has none of that name, and the provenance columns.

    ``_line`` numbers the rows of this read; the next read of the same rows may number them otherwise.
    """
    from pyspark.sql import functions as F

    url, rows = table.source.url, table.statement.rows
    if table.predicates:
        read = spark.read.jdbc(url, rows, predicates=list(table.predicates), properties=table.options)
    else:
        read = spark.read.jdbc(url, rows, properties=table.options)
    by_name = {name.lower(): field for name, field in zip(table.names, read.schema.fields, strict=False)}

    def value(name: str, kind: str) -> Column:
        field = by_name.get(name.lower())
        if field is None:
            return F.lit(None).cast(kind)
        return F.col(field.name) if field.dataType.simpleString() == kind else F.col(field.name).cast(kind)

    return read.select(
        *(value(column.name, column.type).alias(column.name) for column in columns.columns),
        F.lit(table.part).alias("_file"),
        (F.monotonically_increasing_id() + 1).alias("_line"),
        F.lit(None).cast("string").alias("_raw"),
        F.lit(None).cast("string").alias("_malformed"),
    )
