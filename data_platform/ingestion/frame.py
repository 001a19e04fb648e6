"""Lines of a CSV file that frame its records: a trailer below them, and what stands above the names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.ingestion.delimited import CsvFormat, Record


def begins_with(raw: str, prefix: str, fmt: CsvFormat) -> bool:
    """Whether ``prefix`` is the whole first field of the line ``raw``, quoted or not."""
    first = raw.split(fmt.delimiter, 1)[0].strip()
    return prefix in (first, first.strip(fmt.quote))


def without_trailer(records: Iterator[Record], fmt: CsvFormat, file: str) -> Iterator[Record]:
    """All but the last, if that is a trailer; one before the last means two files in one, or rows behind the end."""
    last: Record | None = None
    for record in records:
        if last is not None:
            if begins_with(last.raw, fmt.trailer_prefix, fmt):
                raise SourceError(f"{file}:{last.line}: a trailer stands before the last line. Ask for the file again.")
            yield last
        last = record
    if last is not None and not begins_with(last.raw, fmt.trailer_prefix, fmt):
        yield last
