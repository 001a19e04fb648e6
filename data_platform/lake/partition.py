"""The rows of one partition: the value of their column, the condition that selects them, the rows themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from data_platform.model.partition_key import PartitionKey


@dataclass(frozen=True)
class Slice:
    """The rows of a table whose ``column`` holds ``partition``."""

    column: str
    partition: PartitionKey

    @property
    def condition(self) -> str:
        """In SQL, for Delta's ``replaceWhere``."""
        return f"`{self.column}` = {self.partition.sql}"

    def of(self, rows: DataFrame) -> DataFrame:
        return rows.where(self.condition)


def column_value(partition: PartitionKey) -> Column:
    """The value of the partition's column, for a row that has none."""
    from pyspark.sql import functions as F

    return F.lit(partition.value)
