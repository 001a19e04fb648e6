"""The rows of a delivery, each with the file and line that it came from.

Columns are bound by name, whatever the case; a column that a file lacks is NULL in its rows. Four more follow:
``_file``; ``_line`` (of a text file, from 1 at the header; of Parquet the row, from 1); and, of a record that cannot be
read, ``_raw``, its text, and ``_malformed``, the reason. Good records have no ``_raw``: it would double bronze.

A text file is one task, read by Python in a worker: see ``delimited`` for why. The workers must find this package, and
the file at the path where the driver found it. Bytes that cannot be decoded end a file with one malformed record, whose
reason ends in ``REST_UNREAD``: how much was lost nobody knows, so no share of good rows can make up for it. A file that
cannot be opened, or a Parquet file that is broken behind its footer, fails the Spark job.
"""

from __future__ import annotations

import gc
import re
from functools import reduce
from typing import IO, TYPE_CHECKING, Any

from data_platform.errors import SourceError
from data_platform.ingestion.delimited import CsvFormat, Record, delta_name, read_header, read_records
from data_platform.ingestion.delivery_file import csv_format
from data_platform.ingestion.header_doubt import as_declared, plain
from data_platform.ingestion.jsonlines import read_json_records
from data_platform.ingestion.probe import RESERVED, place_and_reason
from data_platform.model.schema import Schema, normal_type
from data_platform.model.source import Source, SourceFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from data_platform.ingestion.delivery_file import Delivery, DeliveryFile

REST_UNREAD = "nothing from here on was read"
BATCH_RECORDS = 5_000
BATCH_CHARACTERS = 1 << 25
"""A batch is closed early at this size, so that a few very long records do not fill a worker's memory."""


def read_rows(spark: SparkSession, delivery: Delivery, source: Source, columns: Schema) -> DataFrame:
    """Every record of the readable files: ``columns`` in their order, and the four columns of our own.

    Text formats give STRING whatever the type of a column is. Parquet is cast, and a value that does not fit
    fails the Spark job: ``bronze_schema`` says which types hold all values.
    """
    if not delivery.files:
        return spark.createDataFrame([], _row_type(columns, source.format))
    if source.format is SourceFormat.PARQUET:
        return reduce(lambda rows, more: rows.unionByName(more), (_parquet(spark, f, columns) for f in delivery.files))
    files, kind, fmt = delivery.files, source.format, csv_format(source, delivery.manifest)

    def read(batches: Iterable[Any]) -> Iterator[Any]:
        gc.disable()  # records have no cycles, and looking for some among thousands takes half the time
        try:
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    yield from text_batches(files[number], kind, fmt, columns)
        finally:
            gc.enable()  # the worker lives on

    numbers = spark.range(0, len(files), 1, len(files))  # as many partitions: one task a file
    return numbers.mapInArrow(read, _row_type(columns, kind))


def text_batches(file: DeliveryFile, kind: SourceFormat, fmt: CsvFormat, columns: Schema) -> Iterator[Any]:
    """The rows of one text file as Arrow record batches. Needs no Spark.

    Raises:
        OSError: The file is not there, or not ours to read.
    """
    try:
        source = file.open()
    except SourceError as error:
        yield _arrow([_rest(error, file.name)], [None] * len(columns.names), columns, file.name)
        return
    with source:
        if kind is SourceFormat.CSV:
            binding, records = _bound_csv(source, file.name, fmt, columns)
        else:
            binding, records = list(range(len(columns.names))), _json(source, file, columns)
        for batch in _batched(_until_unreadable(records, file.name)):
            yield _arrow(batch, binding, columns, file.name)


def _row_type(columns: Schema, kind: SourceFormat) -> StructType:
    from pyspark.sql.types import DataType, LongType, StringType, StructField, StructType

    typed = kind is SourceFormat.PARQUET
    fields = [StructField(c.name, DataType.fromDDL(c.type) if typed else StringType()) for c in columns.columns]
    own = [StructField(name, LongType() if name == "_line" else StringType()) for name in RESERVED]
    return StructType([*fields, *own])


def _bound_csv(
    source: IO[bytes], name: str, fmt: CsvFormat, columns: Schema
) -> tuple[list[int | None], Iterator[Record]]:
    """For each column its place in a record, and the records. The header is read again, lest it has changed."""
    try:
        header = read_header(source, name, fmt)
    except SourceError as error:
        return [None] * len(columns.names), iter([_rest(error, name)])
    source.seek(0)
    names = as_declared(header.names, columns.names)
    places = {column.lower(): place for place, column in enumerate(names)}
    return [places.get(column.lower()) for column in columns.names], read_records(source, name, fmt)


def _json(source: IO[bytes], file: DeliveryFile, columns: Schema) -> Iterator[Record]:
    """Records with their values in the order of ``columns``."""
    places = {name.lower(): -place for place, name in enumerate(file.schema.names, start=1)}  # there, and not asked for
    places |= {plain(name): place for place, name in enumerate(columns.names)}
    places |= {name.lower(): place for place, name in enumerate(columns.names)}
    known: dict[str, int] = {}
    for record in read_json_records(source, file.name):
        reason = record.malformed or _unbound(record.values, places, known)
        values: list[str | None] = [None] * len(columns.names)
        if not reason:
            for name, value in record.values.items():
                if (place := known[name]) >= 0:
                    values[place] = value
        yield Record(record.line, () if reason else tuple(values), record.raw, reason)


def _unbound(values: Iterable[str], places: dict[str, int], known: dict[str, int]) -> str:
    """Why these names cannot all be given a place, or nothing; ``known`` remembers the places that were found."""
    taken = set()
    for name in values:
        if name not in known:
            place = places.get(delta_name(name).lower(), places.get(plain(name)))
            if place is None:
                return "a name that is neither declared nor in the first lines of the file"
            known[name] = place
        if known[name] in taken:
            return "two names are one column name"
        taken.add(known[name])
    return ""


def _until_unreadable(records: Iterator[Record], name: str) -> Iterator[Record]:
    try:
        yield from records
    except SourceError as error:
        yield _rest(error, name)


def _rest(error: SourceError, name: str) -> Record:
    line, reason = place_and_reason(error, name)
    return Record(line or 1, (), "", f"{reason.rstrip('.')}; {REST_UNREAD}")


def _batched(records: Iterator[Record]) -> Iterator[list[Record]]:
    batch: list[Record] = []
    characters = 0
    for record in records:
        batch.append(record)
        characters += len(record.raw)
        if len(batch) >= BATCH_RECORDS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _arrow(records: Sequence[Record], binding: Sequence[int | None], columns: Schema, file: str) -> Any:
    import pyarrow as pa  # type: ignore[import-untyped]

    text, count = pa.string(), len(records)
    width = max(len(record.values) for record in records)
    missing = (None,) * width
    found = list(zip(*[record.values or missing for record in records], strict=True))
    try:
        arrays = [
            *(pa.nulls(count, text) if i is None or not width else pa.array(found[i], text) for i in binding),
            pa.repeat(pa.scalar(file, text), count),
            pa.array([record.line for record in records], pa.int64()),
            pa.array([(record.raw or None) if record.malformed else None for record in records], text),
            pa.array([record.malformed or None for record in records], text),
        ]
    except UnicodeEncodeError:  # rare, and looking for it in each value would be dear
        return _arrow([_storable(record) for record in records], binding, columns, file)
    return pa.RecordBatch.from_arrays(arrays, names=[*columns.names, *RESERVED])


def _storable(record: Record) -> Record:
    """JSON may escape one half of a character, which is no text in UTF-8."""
    try:
        "".join(value or "" for value in (*record.values, record.raw, record.malformed)).encode()
    except UnicodeEncodeError:
        raw, reason = (
            text.encode("utf-8", "backslashreplace").decode()
            for text in (record.raw, record.malformed or "half a character (a lone surrogate)")
        )
        return Record(record.line, (), raw, reason)
    return record


def _parquet(spark: SparkSession, file: DeliveryFile, columns: Schema) -> DataFrame:
    from pyspark.sql import functions as F

    # Escaped, since Spark takes a path for a pattern.
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
