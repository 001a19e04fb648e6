"""The deliveries of a new dataset as one frame, read by the readers that its runs will use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.ingestion.delivery import bronze_schema, find_delivery
from data_platform.ingestion.reader import read_rows
from data_platform.model.personal import redacted
from data_platform.model.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from data_platform.ingestion.delivery_file import Delivery, DeliveryFile
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.source import Source

WHOLE = "all"
"""The name of the one delivery of a dataset without partitions."""
_MOST_SHOWN = 3


@dataclass(frozen=True)
class DeliveredRows:
    """``deliveries`` maps names (``2013-01-31``) to deliveries; ``columns`` are those of all of them.

    ``delivery_of`` maps each ``_file`` of the rows to its delivery's name. ``problems`` are what is wrong with files,
    also of deliveries of which none can be read; runs hold such a delivery.
    """

    deliveries: dict[str, Delivery]
    columns: Schema
    delivery_of: dict[str, str]
    problems: tuple[str, ...] = ()

    @property
    def producer(self) -> str | None:
        """The producer that the last manifest names."""
        *_, last = self.deliveries.values()
        return last.manifest.producer if last.manifest else None

    def frame(self, spark: SparkSession) -> DataFrame:
        """All rows. ``_file`` begins with the delivery's name."""
        one = self._joined()
        return read_rows(spark, one, self.columns)

    def typed(self, rows: DataFrame) -> DataFrame:
        """``rows`` as they are: a profile finds the types of text, and files of other formats have types."""
        return rows

    def close(self) -> None:
        """Nothing: files stay where they are."""

    def _joined(self) -> Delivery:
        files = tuple(file for name, one in self.deliveries.items() for file in _named(name, one))
        *_, last = self.deliveries.values()
        return replace(last, files=files)


def find_rows(landing: Path, source: Source, days: Sequence[PartitionKey]) -> DeliveredRows:
    """Examines the deliveries of ``days``, or the one of a dataset without partitions.

    Raises:
        SourceError: No file of them can be read.
        SourceUnavailableError: A file disappeared, or was written to.
    """
    nothing = Schema(())
    if days:
        deliveries = {str(day): find_delivery(landing, source, day, nothing) for day in days}
    else:
        deliveries = {WHOLE: find_delivery(landing, source, None, nothing)}
    problems = tuple(
        f"{name}: {detail}" for name, one in deliveries.items() for detail in (*one.details, *one.unreadable.values())
    )
    readable = {name: one for name, one in deliveries.items() if one.files}
    if not readable:
        raise SourceError(f"no file can be read: {'; '.join(problems[:_MOST_SHOWN])}")
    found = DeliveredRows(readable, nothing, {}, problems)
    files = {file.name: name for name, one in readable.items() for file in _named(name, one)}
    return replace(found, columns=bronze_schema(found._joined(), nothing), delivery_of=files)


def require_names(columns: Schema) -> None:
    """A name of a column is in files, pages and events; the first record of a file without a header has values there.

    Raises:
        SourceError: A column has a value for a name.
    """
    wordless = [name for name in columns.names if not any(sign.isalpha() for sign in name)]
    values = set(wordless) if len(wordless) * 2 >= len(columns.names) else set[str]()
    values |= {name for name in columns.names if redacted(name) != name}
    wrong = [str(place) for place, name in enumerate(columns.names, start=1) if name in values]
    if wrong:
        raise SourceError(
            f"the name of column {', '.join(wrong[:_MOST_SHOWN])} is a value, so the files seem to have no line with "
            "the names of their columns: have them delivered with one"
        )


def _named(name: str, delivery: Delivery) -> list[DeliveryFile]:
    return [replace(file, name=f"{name}/{file.name}") for file in delivery.files]
