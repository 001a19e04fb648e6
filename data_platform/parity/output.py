"""Reads the output of a legacy job as rows: a file, a folder of files, or the latest version of a Delta table.

CSV and JSON lines are read by ``ingestion``, so that a broken record is a row with a reason and no digit is lost; their
values are text. Spark reads Parquet and Delta, with partition folders. No policy is needed.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from data_platform.errors import SourceError, UsageError
from data_platform.ingestion.columns import with_columns
from data_platform.ingestion.delivery_file import Delivery, DeliveryFile
from data_platform.ingestion.formats.column_name import name_problems
from data_platform.ingestion.formats.provenance import PROVENANCE
from data_platform.ingestion.formats.registry import format_of
from data_platform.ingestion.reader import read_rows
from data_platform.lake.table import LakeTable, schema_of
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source
from data_platform.model.source_format import SourceFormat
from data_platform.parity.report import LegacySide
from data_platform.stage.spark_failure import condition_of, spark_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from data_platform.ingestion.formats.protocol import FileFormat


class OutputFormat(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    DELTA = "delta"


_ENDINGS = {
    ".csv": OutputFormat.CSV,
    ".jsonl": OutputFormat.JSONL,
    ".ndjson": OutputFormat.JSONL,
    ".json": OutputFormat.JSONL,
    ".parquet": OutputFormat.PARQUET,
}
_NAMED = f"name it: --format {', '.join(OutputFormat)}"
_TEXT = (OutputFormat.CSV, OutputFormat.JSONL)


@dataclass(frozen=True, kw_only=True)
class OutputPlace:
    """Location of the output, a path or for Parquet and Delta any URI that Spark reads, and the format of its text."""

    path: str
    format: OutputFormat
    encoding: str = "utf-8"
    delimiter: str = ","


@dataclass(frozen=True)
class LegacyOutput:
    """``schema`` has the job's own columns; rows of text also have the columns of ``ingestion.formats.provenance``."""

    rows: DataFrame
    schema: Schema
    side: LegacySide

    @property
    def is_text(self) -> bool:
        return self.side.format in _TEXT


def guess_format(path: str) -> OutputFormat:
    """Guesses the format from ``_delta_log``, from the file's ending, or from the endings of a folder's files.

    Raises:
        UsageError: ``path`` does not exist, or its format cannot be guessed.
    """
    if "://" in path:
        raise UsageError(f"the format of {path} is not known without reading it: {_NAMED}")
    place = Path(path)
    if not place.exists():
        raise UsageError(f"{path} does not exist: name a file or folder that the legacy job wrote")
    if (place / "_delta_log").is_dir():
        return OutputFormat.DELTA
    endings = {file.suffix.lower() for file in (_files(place, "*") if place.is_dir() else [place])}
    formats = {_ENDINGS[ending] for ending in endings if ending in _ENDINGS}
    if len(formats) == 1:
        return formats.pop()
    listed = ", ".join(sorted(ending or "no ending" for ending in endings)) or "no file"
    raise UsageError(f"the format of {path} cannot be guessed from its name ({listed}): {_NAMED}")


def read_output(spark: SparkSession, place: OutputPlace) -> LegacyOutput:
    """Returns the rows of the output; Spark reads them later.

    Raises:
        UsageError: The path does not exist, or the encoding or delimiter is invalid.
        SourceError: The output cannot be read in its format, or its columns cannot form one table.
    """
    if "://" not in place.path and not Path(place.path).exists():
        raise UsageError(f"{place.path} does not exist: name a file or folder that the legacy job wrote")
    if place.format in _TEXT:
        return _read_text(spark, place)
    try:
        output = _read_delta(spark, place) if place.format is OutputFormat.DELTA else _read_parquet(spark, place)
    except spark_errors() as error:
        raise SourceError(
            f"{place.path} cannot be read as {place.format.value} ({condition_of(error)}): look whether the job wrote "
            "it whole, or name another --format"
        ) from None
    if problems := list(name_problems(output.schema.names)):
        raise SourceError(f"{place.path}: {'; '.join(problems)}: have the legacy job give each column one name")
    return output


def _read_text(spark: SparkSession, place: OutputPlace) -> LegacyOutput:
    try:
        codecs.lookup(place.encoding)
        source = Source(
            format=SourceFormat.named(place.format.value), path=".", encoding=place.encoding, delimiter=place.delimiter
        )
    except LookupError:
        raise UsageError(f"--encoding {place.encoding} is not a Python encoding such as cp1252") from None
    except ValidationError:
        raise UsageError(f"--delimiter {place.delimiter!r}: expected one character") from None
    root = Path(place.path).absolute()
    paths = _text_files(root, place.format)
    if not paths:
        raise UsageError(f"{place.path} has no {place.format.value} file: name the folder that the legacy job wrote to")
    folder = root if root.is_dir() else root.parent
    file_format = format_of(source)
    files = tuple(_described(path, path.relative_to(folder).as_posix(), file_format) for path in paths)
    names: dict[str, str] = {}
    for name in (name for file in files for name in file.schema.names):
        names.setdefault(name.lower(), name)
    schema = Schema.of(Column(name=name) for name in names.values())
    delivery = Delivery(folder=str(folder), format=file_format, files=files, manifest=None, id="")
    side = LegacySide(path=place.path, format=place.format.value, files=len(files))
    return LegacyOutput(read_rows(spark, delivery, schema), schema, side)


def _described(path: Path, name: str, file_format: FileFormat) -> DeliveryFile:
    try:
        size = path.stat().st_size
        file = DeliveryFile(name=name, path=str(path), bytes=size, record_count=None, schema=Schema(()), renamed={})
        return with_columns(file, file_format, Schema(()))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None


def _text_files(root: Path, kind: OutputFormat) -> Sequence[Path]:
    if not root.is_dir():
        return [root]
    endings = [ending for ending, format_of_ending in _ENDINGS.items() if format_of_ending is kind]
    return [path for path in _files(root, "*") if path.suffix.lower() in endings]


def _files(folder: Path, pattern: str) -> list[Path]:
    """Returns files without tool leftovers: no file or parent folder starts with a dot or an underscore."""

    def is_data(path: Path) -> bool:
        return path.is_file() and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)

    return sorted(filter(is_data, folder.rglob(pattern)))


def _read_parquet(spark: SparkSession, place: OutputPlace) -> LegacyOutput:
    # All footers are read, so that a column that only some files have is not silently dropped.
    rows = spark.read.option("mergeSchema", "true").parquet(_spark_path(place.path))
    return LegacyOutput(rows, _own(schema_of(rows).columns), LegacySide(path=place.path, format=place.format.value))


def _read_delta(spark: SparkSession, place: OutputPlace) -> LegacyOutput:
    table = LakeTable(spark, place.path if "://" in place.path else str(Path(place.path).absolute()))
    if not table.exists:
        raise SourceError(f"{place.path} is not a Delta table, since it has no _delta_log: name another --format")
    version = table.version()
    rows = table.at(version)
    side = LegacySide(path=place.path, format=place.format.value, version=version)
    return LegacyOutput(rows, _own(schema_of(rows).columns), side)


def _own(columns: Iterable[Column]) -> Schema:
    """Drops the columns that our ingestion added, if the legacy output is a bronze table of this platform."""
    return Schema.of(column for column in columns if column.name not in PROVENANCE)


def _spark_path(path: str) -> str:
    """Escapes the path, since Spark treats a path as a pattern."""
    if "://" in path:
        return path
    return "file://" + re.sub(r"([*?\[\]{}\\])", r"\\\1", str(Path(path).absolute()))
