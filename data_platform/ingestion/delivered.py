"""What a delivery is, whether it came as files or is read from a table: rows, an identity, a count and control totals.

``delivery`` finds files, ``jdbc.table_delivery`` describes a table. Bronze judges and writes either; nothing else asks
how the rows came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from data_platform.model.schema import Schema


class DeliveredPart(Protocol):
    """A file, or a table; its columns are compared with the registered ones.

    ``renamed`` maps a Delta name to the name in the source. ``untyped`` columns have no type of their own; those
    ``as_text`` are read as text, which silver reads in the declared type.
    """

    @property
    def name(self) -> str: ...
    @property
    def schema(self) -> Schema: ...
    @property
    def renamed(self) -> dict[str, str]: ...
    @property
    def untyped(self) -> frozenset[str]: ...
    @property
    def as_text(self) -> frozenset[str]: ...


class Delivered(Protocol):
    """The delivery of one partition before its rows are read.

    ``problems`` are failure signatures, and ``details`` has a message for each; ``warnings`` maps a signature that
    blocks nothing to its message. ``unreadable`` maps parts whose columns are not known to the reason, ``skipped`` what
    was ignored. ``facts`` are recorded with the run, and are shown in Dagster.
    """

    @property
    def id(self) -> str: ...
    @property
    def parts(self) -> Sequence[DeliveredPart]: ...
    @property
    def is_typed(self) -> bool: ...
    @property
    def problems(self) -> tuple[str, ...]: ...
    @property
    def details(self) -> tuple[str, ...]: ...
    @property
    def warnings(self) -> dict[str, str]: ...
    @property
    def unreadable(self) -> dict[str, str]: ...
    @property
    def skipped(self) -> dict[str, str]: ...
    @property
    def producer(self) -> str | None: ...
    @property
    def record_count(self) -> int | None: ...
    @property
    def file_counts(self) -> dict[str, int]: ...
    @property
    def control_totals(self) -> dict[str, str]: ...
    @property
    def facts(self) -> Mapping[str, Any]: ...

    def read(self, spark: SparkSession, columns: Schema) -> DataFrame:
        """Every record: ``columns`` in their order, and the provenance columns."""

    def missing_parts(self) -> tuple[str, ...]:
        """The parts that do not exist any more, as they may be shown."""

    def damaged_parts(self) -> dict[str, str]:
        """The parts whose rows cannot be read, each with the reason; asked after a job has failed."""

    def failure(self, error: Exception) -> Exception | None:
        """The error of the source that made a Spark job fail with ``error``; None if the source is not the cause."""

    def close(self) -> None:
        """Lets go of what keeps the rows as they were examined; they cannot be read after it."""
