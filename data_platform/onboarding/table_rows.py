"""The rows of a table that is onboarded, read as its runs will read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.gates.expression.column import quoted
from data_platform.ingestion.columns import bronze_schema
from data_platform.ingestion.formats.provenance import PROVENANCE
from data_platform.ingestion.jdbc.table_delivery import TableDelivery, find_table
from data_platform.model.delta_source import DeltaSource
from data_platform.model.schema import Schema
from data_platform.onboarding.delivered_rows import WHOLE
from data_platform.stage.delivered import add_driver, delta_table
from data_platform.stage.delta_delivery import find_delta

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from data_platform.installation import Platform
    from data_platform.model.jdbc_source import JdbcSource
    from data_platform.stage.delta_delivery import DeltaDelivery


@dataclass(frozen=True)
class TableRows:
    """Like ``DeliveredRows``: a table is one delivery. ``columns`` have the types of the table."""

    delivery: TableDelivery | DeltaDelivery
    problems: tuple[str, ...] = ()
    producer: str | None = None

    @property
    def columns(self) -> Schema:
        return self.delivery.part.schema

    @property
    def delivery_of(self) -> dict[str, str]:
        return {self.delivery.part.name: WHOLE}

    def frame(self, spark: SparkSession) -> DataFrame:
        """All rows as bronze has them: values that Spark might change are text."""
        return self.delivery.read(spark, bronze_schema(self.delivery, Schema(())))

    def typed(self, rows: DataFrame) -> DataFrame:
        """``rows`` in the types of the database; a value that has none in Spark, such as an infinite date, is NULL."""
        as_text = self.delivery.part.as_text
        values = (
            quoted(one.name).try_cast(one.type).alias(one.name) if one.name in as_text else quoted(one.name)
            for one in self.columns.columns
        )
        return rows.select(*values, *PROVENANCE)

    def close(self) -> None:
        self.delivery.close()


def find_table_rows(platform: Platform, source: JdbcSource | DeltaSource) -> TableRows:
    """Examines the table.

    Raises:
        SourceUnavailableError: The database does not answer.
        SourceError: There is no such table, or it cannot be read.
        EnvironmentProblem: The driver or the password is missing.
    """
    if isinstance(source, DeltaSource):
        return TableRows(find_delta(delta_table(platform, source), source, "onboarding"))
    add_driver(platform, source)
    return TableRows(find_table(platform.spark, source, Schema(()), "onboarding"))
