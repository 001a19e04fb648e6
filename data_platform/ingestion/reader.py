"""Reads the rows of a delivery, each with its file and line.

Columns are bound by name, ignoring case; a column that a file lacks is NULL in its rows. Four columns are added:
``_file``; ``_line`` (in a text file the line, from 1 at the header; in Parquet the row, from 1); and, for an unreadable
record, ``_raw``, its text, and ``_malformed``, the reason. Good records have no ``_raw``: it would double bronze.

Python workers read text: Arrow's parser reads regular pieces of a CSV file, regular JSON lines are read many at once,
and all else record by record (``text_walk``, ``delimited``; ``json_walk``, ``jsonlines``). ``text_share`` assigns the
tasks. The workers need this package, and the file at the same path as on the driver. Bytes that cannot be decoded end a
file with one malformed record, whose reason ends in ``REST_UNREAD``: the number of lost rows is unknown, so no share of
good rows can compensate for it. A file that cannot be opened, or a Parquet file with a valid footer and damaged data,
fails the Spark job.
"""

from __future__ import annotations

import gc
import re
from functools import reduce
from typing import IO, TYPE_CHECKING, Any, TypeVar

from data_platform.errors import SourceError
from data_platform.ingestion.arrow_csv import column_parser
from data_platform.ingestion.delimited import CsvFormat, Record, delta_name, read_header
from data_platform.ingestion.delivery_file import csv_format
from data_platform.ingestion.header_doubt import as_declared
from data_platform.ingestion.json_binding import JsonBinding
from data_platform.ingestion.json_walk import JsonPiece, json_walk
from data_platform.ingestion.probe import RESERVED, place_and_reason
from data_platform.ingestion.record_batch import batched, mixed_batch, record_batch, regular_batch
from data_platform.ingestion.record_scan import Signs
from data_platform.ingestion.text_share import Share, tasks_of
from data_platform.ingestion.text_walk import Piece, TextWalk
from data_platform.model.schema import Schema, normal_type
from data_platform.model.source import Source, SourceFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from data_platform.ingestion.delivery_file import Delivery, DeliveryFile

WHOLE = Share(0)
_Piece = TypeVar("_Piece")
REST_UNREAD = "nothing from here on was read"


def read_rows(spark: SparkSession, delivery: Delivery, source: Source, columns: Schema) -> DataFrame:
    """Reads every record of the readable files: ``columns`` in their order, and the four added columns.

    Text formats give STRING for every column type. Parquet values are cast, and a value that does not fit
    fails the Spark job: ``bronze_schema`` chooses types that hold all values.
    """
    if not delivery.files:
        return spark.createDataFrame([], _row_type(columns, source.format))
    if source.format is SourceFormat.PARQUET:
        return reduce(lambda rows, more: rows.unionByName(more), (_parquet(spark, f, columns) for f in delivery.files))
    files, kind, fmt = delivery.files, source.format, csv_format(source, delivery.manifest)

    cores = spark.sparkContext.defaultParallelism
    tasks = tasks_of(files, kind, fmt, cores)

    def read(batches: Iterable[Any]) -> Iterator[Any]:
        gc.disable()  # records have no reference cycles, and searching thousands for cycles takes half the time
        try:
            for batch in batches:
                for share in (share for number in batch.column(0).to_pylist() for share in tasks[number]):
                    yield from text_batches(files[share.file], kind, fmt, columns, share)
        finally:
            gc.enable()  # Spark reuses the worker

    numbers = spark.range(0, len(tasks), 1, len(tasks))  # one partition for each task
    return numbers.mapInArrow(read, _row_type(columns, kind))


def text_batches(
    file: DeliveryFile, kind: SourceFormat, fmt: CsvFormat, columns: Schema, share: Share = WHOLE
) -> Iterator[Any]:
    """Yields the rows of one text file, or of a share of it, as Arrow record batches. Needs no Spark.

    Raises:
        OSError: The file does not exist, or cannot be opened.
    """
    try:
        source = file.open()
    except SourceError as error:
        yield _rest_batch(error, file.name, columns)
        return
    with source:
        if kind is SourceFormat.CSV:
            yield from _csv_batches(source, file.name, fmt, columns, share)
        else:
            yield from _json_batches(source, file, columns, share)


def _json_batches(source: IO[bytes], file: DeliveryFile, columns: Schema, share: Share) -> Iterator[Any]:
    if share.start:
        source.seek(share.start)
    length = None if share.end is None else share.end - share.start
    binding = JsonBinding(file.schema.names, columns.names)
    walk = json_walk(source, file.name, binding, line=share.line, length=length)
    for found in batched(_until_unreadable(walk, file.name)):
        if isinstance(found, JsonPiece):
            yield mixed_batch(found.lines, found.values, found.odd, columns, file.name)
        else:
            yield record_batch(found, range(len(columns.names)), columns, file.name)


def _row_type(columns: Schema, kind: SourceFormat) -> StructType:
    from pyspark.sql.types import DataType, LongType, StringType, StructField, StructType

    typed = kind is SourceFormat.PARQUET
    fields = [StructField(c.name, DataType.fromDDL(c.type) if typed else StringType()) for c in columns.columns]
    own = [StructField(name, LongType() if name == "_line" else StringType()) for name in RESERVED]
    return StructType([*fields, *own])


def _csv_batches(source: IO[bytes], name: str, fmt: CsvFormat, columns: Schema, share: Share) -> Iterator[Any]:
    """Reads the header again, in case it has changed; ``binding`` has the position of each column in a record."""
    try:
        header = read_header(source, name, fmt)
    except SourceError as error:
        yield _rest_batch(error, name, columns)
        return
    source.seek(share.start)
    places = {column.lower(): place for place, column in enumerate(as_declared(header.names, columns.names))}
    binding, width = [places.get(column.lower()) for column in columns.names], len(header.names)
    length = None if share.end is None else share.end - share.start
    parse = column_parser(Signs(fmt), width, binding)
    walk = TextWalk(source, name, fmt, width=width, names=header.original, parse=parse, line=share.line, length=length)
    for found in batched(_until_unreadable(walk, name)):
        if isinstance(found, Piece):
            lines, values = found.values
            if len(lines):
                yield regular_batch(lines + found.line, values, binding, columns, name)
        else:
            yield record_batch(found, binding, columns, name)


def _until_unreadable(records: Iterable[_Piece | Record], name: str) -> Iterator[_Piece | Record]:
    try:
        yield from records
    except SourceError as error:
        yield _rest(error, name)


def _rest_batch(error: SourceError, name: str, columns: Schema) -> Any:
    return record_batch([_rest(error, name)], [None] * len(columns.names), columns, name)


def _rest(error: SourceError, name: str) -> Record:
    line, reason = place_and_reason(error, name)
    return Record(line or 1, (), "", f"{reason.rstrip('.')}; {REST_UNREAD}")


def _parquet(spark: SparkSession, file: DeliveryFile, columns: Schema) -> DataFrame:
    from pyspark.sql import functions as F

    # Escaped, because Spark treats a path as a pattern.
    rows = spark.read.parquet("file://" + re.sub(r"([*?\[\]{}\\])", r"\\\1", file.path))
    fields = rows.schema.fields
    names = as_declared([delta_name(f.name) for f in fields], columns.names)
    kinds = [(f.name, normal_type(f.dataType.simpleString())) for f in fields]
    there = {name.lower(): kind for name, kind in zip(names, kinds, strict=True)}
    untyped = {name.lower() for name in file.untyped}

    def value(name: str, kind: str) -> Column:
        original, found = there.get(name.lower(), ("", ""))
        if not original or name.lower() in untyped:
            return F.lit(None).cast(kind)
        return F.col(_quoted(original)) if found == kind else F.col(_quoted(original)).cast(kind)

    return rows.select(
        *(value(column.name, column.type).alias(column.name) for column in columns.columns),
        F.lit(file.name).alias("_file"),
        (rows.metadataColumn("_metadata")["row_index"] + 1).cast("bigint").alias("_line"),
        F.lit(None).cast("string").alias("_raw"),
        F.lit(None).cast("string").alias("_malformed"),
    )


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
