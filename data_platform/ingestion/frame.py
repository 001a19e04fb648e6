"""Lines of a CSV file that frame its records: a trailer below them, and what stands above the names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from data_platform.ingestion.delimited import CsvFormat, Record


def begins_with(raw: str, prefix: str, fmt: CsvFormat) -> bool:
    """Whether ``prefix`` is the whole first field of the line ``raw``, quoted or not."""
    first = raw.split(fmt.delimiter, 1)[0].strip()
    return prefix in (first, first.strip(fmt.quote))


def without_trailer(records: Iterator[Record], fmt: CsvFormat, file: str) -> Iterator[Record]:
    """All but the last, if that is a trailer; one before the last means two files in one, or rows behind the end."""
    return trailer_is_last(records, lambda record: begins_with(record.raw, fmt.trailer_prefix, fmt), file)


def trailer_is_last(records: Iterator[Record], is_trailer: Callable[[Record], bool], file: str) -> Iterator[Record]:
    """Raises: SourceError, while iterating, when a record follows a trailer."""
    trailer: Record | None = None
    for record in records:
        if trailer is not None:
            raise SourceError(f"{file}:{trailer.line}: a trailer stands before the last line. Ask for the file again.")
        if is_trailer(record):
            trailer = record
        else:
            yield record
