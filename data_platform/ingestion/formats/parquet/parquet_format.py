"""Parquet as a source format: Spark reads the rows, with the types that the footer declares."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from data_platform.errors import SourceError
from data_platform.ingestion.formats.column_name import as_declared, name_problems, names_in_table
from data_platform.ingestion.formats.parquet.footer import read_parquet_columns
from data_platform.ingestion.formats.protocol import ContentCheck, FileColumns
from data_platform.ingestion.packing import kind_of
from data_platform.model.delta_name import delta_name
from data_platform.model.schema import Column, Schema, normal_type
from data_platform.model.source_format import SourceFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame, SparkSession

    from data_platform.ingestion.content import Content
    from data_platform.ingestion.delivery_file import DeliveryFile


_READ_OPTIONS = {
    # Spark's own writer stores a checksum of each page, and its reader ignores them: damaged pages became wrong values.
    "parquet.page.verify-checksum.enabled": "true",
    # Hadoop's local file system compares a file with the .crc beside it, which a resent file leaves behind.
    "fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    "fs.file.impl.disable.cache": "true",
}


@dataclass(frozen=True)
class ParquetFormat:
    """Implements ``protocol.FileFormat``. A file with a valid footer and damaged data fails the Spark job."""

    kind: ClassVar[SourceFormat] = SourceFormat.PARQUET

    def content_problem(self, head: bytes) -> str:
        if (kind := kind_of(head)) == "Parquet":
            return ""
        return f"not a Parquet file{f', but {kind}' if kind else ', or cut off'}. Ask the sender for a whole one."

    def blank_problem(self, record_count: int | None) -> str:
        """Empty, because ``columns`` refuses a file without a footer."""
        return ""

    def columns(self, file: DeliveryFile, declared: Schema) -> FileColumns:
        path = Path(file.path)
        if path.name.startswith(("_", ".")):
            raise SourceError(
                f"{file.name}: Spark skips Parquet files whose name begins with _ or a dot. Have it renamed."
            )
        footer = read_parquet_columns(path, file.name)
        if problems := list(name_problems(column.name for column in footer)):
            raise SourceError(f"{file.name}: {'; '.join(problems)}. Have the sender give each column one name.")
        names = names_in_table([delta_name(column.name) for column in footer], declared.names, file.name)
        columns, renamed, untyped = [], {}, set()
        for column, name in zip(footer, names, strict=True):
            if name != column.name:
                renamed[name] = column.name
            if column.type is None:
                untyped.add(name)
            kind = column.type or _declared_type(declared.columns, name)
            columns.append(Column(name=name, type=kind, nullable=column.nullable))
        return FileColumns(Schema.of(columns), renamed, frozenset(untyped))

    def check(self, file: DeliveryFile, content: Content) -> ContentCheck:
        """Nothing, because a file that was cut off has no footer."""
        return ContentCheck()

    def has_rows(self, file: DeliveryFile, content: Content) -> bool:
        import pyarrow.parquet as pq  # type: ignore[import-untyped]

        return bool(pq.read_metadata(file.path).num_rows)

    def content_digest(self, content: Content) -> str:
        return content.sha256

    def damage(self, file: DeliveryFile) -> str:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(file.path, page_checksum_verification=True) as opened:
                for _ in opened.iter_batches():
                    pass
        except (pa.ArrowException, OSError):  # its text may quote a value
            return "it is damaged inside, so its rows cannot be read. Ask the sender for a whole one."
        return ""

    def read(self, spark: SparkSession, files: Sequence[DeliveryFile], columns: Schema) -> DataFrame:
        """Casts the values. A value that does not fit fails the Spark job; ``bronze_schema`` prevents it."""
        return reduce(lambda rows, more: rows.unionByName(more), (_rows(spark, file, columns) for file in files))


def _declared_type(declared: Iterable[Column], name: str) -> str:
    return next((column.type for column in declared if column.name.lower() == name.lower()), "string")


def _rows(spark: SparkSession, file: DeliveryFile, columns: Schema) -> DataFrame:
    from pyspark.sql import functions as F

    # Escaped, because Spark treats a path as a pattern.
    reader = spark.read.options(**_READ_OPTIONS)
    rows = reader.parquet("file://" + re.sub(r"([*?\[\]{}\\])", r"\\\1", file.path))
    fields = rows.schema.fields
    names = as_declared([delta_name(field.name) for field in fields], columns.names)
    kinds = [(field.name, normal_type(field.dataType.simpleString())) for field in fields]
    present = {name.lower(): kind for name, kind in zip(names, kinds, strict=True)}
    untyped = {name.lower() for name in file.untyped}

    def value(name: str, wanted: str) -> SparkColumn:
        original, kind = present.get(name.lower(), ("", ""))
        if not original or name.lower() in untyped:
            return F.lit(None).cast(wanted)
        return F.col(_quoted(original)) if kind == wanted else F.col(_quoted(original)).cast(wanted)

    return rows.select(
        *(value(column.name, column.type).alias(column.name) for column in columns.columns),
        F.lit(file.name).alias("_file"),
        (rows.metadataColumn("_metadata")["row_index"] + 1).cast("bigint").alias("_line"),
        F.lit(None).cast("string").alias("_raw"),
        F.lit(None).cast("string").alias("_malformed"),
    )


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
