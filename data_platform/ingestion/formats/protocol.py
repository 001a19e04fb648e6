"""The protocol of a source format: everything that the platform asks about the files of one format.

A format never decides which files belong to a delivery (``landing``), and never judges rows (``gates``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from pyspark.sql import DataFrame, SparkSession

    from data_platform.ingestion.content import Content
    from data_platform.ingestion.delivery_file import DeliveryFile
    from data_platform.model.schema import Schema
    from data_platform.model.source_format import SourceFormat


class FileFormat(Protocol):
    """The format of all files of one delivery. There is one instance for each delivery, and it can be pickled."""

    kind: ClassVar[SourceFormat]

    def content_problem(self, head: bytes) -> str:
        """Why a file with these first bytes is not of the format; empty if it may be."""

    def blank_problem(self, record_count: int | None) -> str:
        """Why a blank file cannot be read if all files of the delivery are blank; empty if ``columns`` decides.

        ``record_count`` is the number of records in the manifest.
        """

    def columns(self, file: DeliveryFile, declared: Schema) -> FileColumns:
        """The columns of ``file``, from its smallest sufficient part: a header, a footer or the first lines.

        Raises:
            SourceError: The file is not of the format, or its columns cannot form one table.
            OSError: The file does not exist, or cannot be opened.
        """

    def check(self, file: DeliveryFile, content: Content) -> ContentCheck:
        """What the beginning and the end of the content show before any row is read. ``file`` has its columns."""

    def has_rows(self, file: DeliveryFile, content: Content) -> bool:
        """Whether the file has at least one row; false only if that is certain."""

    def content_digest(self, content: Content) -> str:
        """A digest that is equal for files with the same rows in the same order."""

    def damage(self, file: DeliveryFile) -> str:
        """Why the rows of a file with good columns cannot be read; empty if they can, or only Spark knows.

        It reads the whole file, and is asked after a Spark job has failed.
        """

    def read(self, spark: SparkSession, files: Sequence[DeliveryFile], columns: Schema) -> DataFrame:
        """The rows of at least one file: ``columns`` in their order, and the provenance columns.

        Columns are bound by name, ignoring case; a column that a file lacks is NULL in its rows.
        """


@dataclass(frozen=True)
class FileColumns:
    """The columns of a file under their Delta names; ``renamed`` maps a Delta name to the name in the file.

    ``untyped`` columns hold only NULLs without a type; they get the declared type.
    """

    schema: Schema
    renamed: dict[str, str] = field(default_factory=dict)
    untyped: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Finding:
    """A failure signature is ``kind:file``, or ``kind:file:place``; ``message`` does not repeat the file."""

    kind: str
    message: str
    place: str = ""


@dataclass(frozen=True, kw_only=True)
class TrailerTotals:
    """The record count and the control totals, by column, in the trailer of a file."""

    count: int | None = None
    totals: dict[str, Decimal] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ContentCheck:
    """``problems`` hold the delivery, ``warnings`` do not; ``trailer`` is None if no trailer is declared."""

    problems: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    trailer: TrailerTotals | None = None
