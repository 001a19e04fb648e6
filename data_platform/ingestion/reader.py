"""Reads the rows of a delivery, each with its file and line (``formats.provenance``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.ingestion.formats.provenance import row_type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from data_platform.ingestion.delivery_file import Delivery
    from data_platform.model.schema import Schema


def read_rows(spark: SparkSession, delivery: Delivery, columns: Schema) -> DataFrame:
    """Every record of the readable files: ``columns`` in their order, and the provenance columns.

    Text formats give STRING for every column type; ``bronze_schema`` chooses the types of the others.
    """
    if not delivery.files:
        return spark.createDataFrame([], row_type(columns, is_typed=delivery.format.kind.traits.is_typed))
    return delivery.format.read(spark, delivery.files, columns)
