"""Recognizes lines of a CSV file that are not records: a trailer, lines above the names, a repeated header."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.ingestion.formats.text.encoding import MARK_WITHIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from data_platform.ingestion.formats.csv.dialect import CsvDialect
    from data_platform.ingestion.formats.text.record import Record


def begins_with(raw: str, prefix: str, dialect: CsvDialect) -> bool:
    """Whether ``prefix`` is the whole first field of the line ``raw``, quoted or not."""
    first = raw.split(dialect.delimiter, 1)[0].strip()
    return prefix in (first, first.strip(dialect.quote))


def without_trailer(records: Iterator[Record], dialect: CsvDialect, file: str) -> Iterator[Record]:
    """Yields the records without a trailer at the end. An earlier trailer means two files in one, or rows after it."""
    return trailer_is_last(records, lambda record: begins_with(record.raw, dialect.trailer_prefix, dialect), file)


def trailer_is_last(records: Iterator[Record], is_trailer: Callable[[Record], bool], file: str) -> Iterator[Record]:
    """Yields all records but a last trailer. Raises: SourceError, while iterating, when a record follows a trailer."""
    trailer: Record | None = None
    for record in records:
        if trailer is not None:
            raise SourceError(f"{file}:{trailer.line}: a trailer is before the last line. Ask for the file again.")
        if is_trailer(record):
            trailer = record
        else:
            yield record


def checked(record: Record, width: int, names: Sequence[str] = ()) -> Record:
    """``record``, marked malformed if its number of fields differs from the header's, or if it repeats the header.

    Concatenated files have headers among their rows. In a file of one column, the column name may be a value.
    """
    if record.malformed:
        return record
    if len(record.values) != width:
        return record._replace(values=(), malformed=f"{len(record.values)} fields, expected {width}")
    if width > 1 and names and _plain(record.values[0]) == names[0] and _is_header(record, names):
        return record._replace(values=(), malformed="a repeated header line")
    if width > 1 and _is_ruled(record):
        return record._replace(values=(), malformed="a line of dashes, not a record")
    if record.raw.startswith("\ufeff"):
        return record._replace(values=(), malformed=MARK_WITHIN)
    return record


def _is_ruled(record: Record) -> bool:
    """Whether the record is a line of dashes, which database clients print below the column names."""
    first = record.values[0] or ""
    return first.startswith(("--", "==")) and not any((value or "").strip("-= +") for value in record.values)


def _is_header(record: Record, names: Sequence[str]) -> bool:
    return all(_plain(value) == name for value, name in zip(record.values, names, strict=True))


def _plain(value: str | None) -> str:
    return (value or "").strip("\ufeff \"'")


def blanks_of(dialect: CsvDialect) -> str:
    """The characters that a blank line may contain."""
    return " \t".replace(dialect.delimiter, "")
