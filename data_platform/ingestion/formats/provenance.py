"""The columns that the platform adds to every row of a delivery.

``_file`` is the file; ``_line`` the line in a text file, from 1 at the header, or the row in Parquet, from 1. Only an
unreadable record has ``_raw``, its text, and ``_malformed``, the reason: the text of all records would double bronze.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from data_platform.model.schema import Schema

PROVENANCE = ("_file", "_line", "_raw", "_malformed")
"""A delivery cannot have columns of these names."""


def row_type(columns: Schema, *, is_typed: bool) -> StructType:
    """The Spark type of the rows; without ``is_typed`` all ``columns`` are STRING."""
    from pyspark.sql.types import DataType, LongType, StringType, StructField, StructType

    fields = [StructField(c.name, DataType.fromDDL(c.type) if is_typed else StringType()) for c in columns.columns]
    added = [StructField(name, LongType() if name == "_line" else StringType()) for name in PROVENANCE]
    return StructType([*fields, *added])
