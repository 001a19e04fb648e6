"""The base of the text formats: Python workers read the files, and every value is text.

A subclass finds the columns and parses the records. The workers need this package, and the file at the same path as on
the driver, which itself reads a small delivery: a worker takes seconds to start. Bytes that cannot be decoded end a
file with one malformed record (``record.unread_rest``). A file that cannot be opened fails the Spark job.
"""

from __future__ import annotations

import gc
from abc import ABC, abstractmethod
from typing import IO, TYPE_CHECKING, Any, ClassVar

from data_platform.errors import SourceError
from data_platform.ingestion.formats.protocol import ContentCheck
from data_platform.ingestion.formats.provenance import row_type
from data_platform.ingestion.formats.text.record import unread_rest
from data_platform.ingestion.formats.text.record_batch import record_batch
from data_platform.ingestion.formats.text.share import WHOLE, Share, tasks_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from data_platform.ingestion.content import Content
    from data_platform.ingestion.delivery_file import DeliveryFile
    from data_platform.ingestion.formats.protocol import FileColumns
    from data_platform.model.schema import Schema
    from data_platform.model.source_format import SourceFormat


SMALL_BYTES = 1 << 20
SMALL_TABLE_BYTES = 4 << 20
"""The driver itself reads a delivery whose files and whose rows, as an Arrow table, are not larger."""

NO_RECORD = (
    "no record: the file is empty, and may be cut off; a day without rows needs a manifest with record_count 0. Ask "
    "for it again."
)
"""Why a blank file of a format without column names holds the day."""


class TextFormat(ABC):
    """Implements ``protocol.FileFormat`` for text."""

    kind: ClassVar[SourceFormat]

    @abstractmethod
    def columns(self, file: DeliveryFile, declared: Schema) -> FileColumns: ...

    @abstractmethod
    def batches(self, source: IO[bytes], file: DeliveryFile, columns: Schema, share: Share) -> Iterator[Any]:
        """Yields the rows of a share as Arrow record batches (``record_batch``). ``source`` is at the file's start.

        Raises:
            SourceError: Before the first batch, if no record can be read.
        """

    def record_starts(self, source: IO[bytes], file: str) -> Iterator[tuple[int, int]]:
        """Yields offsets at which a file may be cut, since a record starts there, with its line; none by default."""
        return iter(())

    def content_problem(self, head: bytes) -> str:
        """Empty, because ``packing`` refuses bytes that are not text."""
        return ""

    def blank_problem(self, record_count: int | None) -> str:
        return ""

    def check(self, file: DeliveryFile, content: Content) -> ContentCheck:
        return ContentCheck()

    def has_rows(self, file: DeliveryFile, content: Content) -> bool:
        return not content.is_blank

    def content_digest(self, content: Content) -> str:
        return content.text_digest

    def damage(self, file: DeliveryFile) -> str:
        """Empty: a record that cannot be read is malformed, and fails no job."""
        return ""

    def read(self, spark: SparkSession, files: Sequence[DeliveryFile], columns: Schema) -> DataFrame:
        if (small := self._small_table(files, columns)) is not None:
            return spark.createDataFrame(small, row_type(columns, is_typed=False)).coalesce(1)
        tasks = tasks_of(self, files, spark.sparkContext.defaultParallelism)

        def rows(batches: Iterable[Any]) -> Iterator[Any]:
            gc.disable()  # records have no reference cycles, and searching thousands for cycles takes half the time
            try:
                for batch in batches:
                    for share in (share for number in batch.column(0).to_pylist() for share in tasks[number]):
                        yield from read_share(self, files[share.file], columns, share)
            finally:
                gc.enable()  # Spark reuses the worker

        numbers = spark.range(0, len(tasks), 1, len(tasks))  # one partition for each task
        return numbers.mapInArrow(rows, row_type(columns, is_typed=False))

    def _small_table(self, files: Sequence[DeliveryFile], columns: Schema) -> Any:
        """The rows of a small delivery as an Arrow table; None if it is larger, has no row, or a file is gone."""
        import pyarrow as pa  # type: ignore[import-untyped]

        batches: list[Any] = []
        size = 0
        if sum(file.bytes for file in files) > SMALL_BYTES:
            return None
        try:
            for file in files:
                for batch in read_share(self, file, columns):
                    batches.append(batch)
                    size += batch.nbytes
                    if size > SMALL_TABLE_BYTES:
                        return None
        except OSError:
            return None  # the Spark job reports it
        return pa.Table.from_batches(batches) if batches else None


def read_share(text_format: TextFormat, file: DeliveryFile, columns: Schema, share: Share = WHOLE) -> Iterator[Any]:
    """Yields the rows of one text file, or of a share of it, as Arrow record batches. Needs no Spark.

    Raises:
        OSError: The file does not exist, or cannot be opened.
    """
    try:
        with file.open() as source:
            yield from text_format.batches(source, file, columns, share)
    except SourceError as error:
        yield record_batch([unread_rest(error, file.name)], [None] * len(columns.names), columns, file.name)
