"""Turns records into Arrow record batches with the columns of a table and the four added by the reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from data_platform.errors import SourceError
from data_platform.ingestion.formats.provenance import PROVENANCE
from data_platform.ingestion.formats.text.record import Record, unread_rest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.model.schema import Schema

_Piece = TypeVar("_Piece")

BATCH_RECORDS = 5_000
BATCH_CHARACTERS = 1 << 25
"""A batch ends early at this size, so that a few very long records do not fill a worker's memory."""


def batched(records: Iterator[_Piece | Record], file: str) -> Iterator[_Piece | list[Record]]:
    """Yields records in batches, and the pieces between them, in order; a SourceError becomes the last record."""
    batch: list[Record] = []
    characters = 0
    for one in _until_unreadable(records, file):
        if not isinstance(one, Record):
            if batch:
                yield batch
            yield one
            batch, characters = [], 0
            continue
        batch.append(one)
        characters += len(one.raw)
        if len(batch) >= BATCH_RECORDS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _until_unreadable(records: Iterator[_Piece | Record], file: str) -> Iterator[_Piece | Record]:
    try:
        yield from records
    except SourceError as error:
        yield unread_rest(error, file)


def record_batch(records: Sequence[Record], binding: Sequence[int | None], columns: Schema, file: str) -> Any:
    import pyarrow as pa  # type: ignore[import-untyped]

    text, count = pa.string(), len(records)
    width = max(len(record.values) for record in records)
    missing = (None,) * width
    values = list(zip(*[record.values or missing for record in records], strict=True))
    try:
        arrays = [
            *(pa.nulls(count, text) if i is None or not width else pa.array(values[i], text) for i in binding),
            pa.repeat(pa.scalar(file, text), count),
            pa.array([record.line for record in records], pa.int64()),
            pa.array([(record.raw or None) if record.malformed else None for record in records], text),
            pa.array([record.malformed or None for record in records], text),
        ]
    except UnicodeEncodeError:  # rare, and checking each value would be expensive
        return record_batch([_storable(record) for record in records], binding, columns, file)
    return pa.RecordBatch.from_arrays(arrays, names=[*columns.names, *PROVENANCE])


def _storable(record: Record) -> Record:
    """Marks a record malformed if it has a lone surrogate: JSON can escape one, but UTF-8 cannot encode it."""
    try:
        "".join(value or "" for value in (*record.values, record.raw, record.malformed)).encode()
    except UnicodeEncodeError:
        raw, reason = (
            text.encode("utf-8", "backslashreplace").decode()
            for text in (record.raw, record.malformed or "half a character (a lone surrogate)")
        )
        return Record(record.line, (), raw, reason)
    return record


def regular_batch(lines: Any, values: dict[int, Any], binding: Sequence[int | None], columns: Schema, file: str) -> Any:
    """A batch of regular records, from their line numbers and their Arrow columns by position in the file."""
    import pyarrow as pa

    text, count = pa.string(), len(lines)
    arrays = [
        *(pa.nulls(count, text) if place is None else values[place] for place in binding),
        pa.repeat(pa.scalar(file, text), count),
        pa.array(lines, pa.int64()),
        pa.nulls(count, text),
        pa.nulls(count, text),
    ]
    return pa.RecordBatch.from_arrays(arrays, names=[*columns.names, *PROVENANCE])


def mixed_batch(lines: Any, values: dict[int, Any], odd: Sequence[Record], columns: Schema, file: str) -> Any:
    """A batch of regular records, whose columns are by position in ``columns``, and ``odd`` ones, sorted by line."""
    import pyarrow as pa
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    width = range(len(columns.names))
    regular = regular_batch(lines, values, [place if place in values else None for place in width], columns, file)
    if not odd:
        return regular
    both = pa.Table.from_batches([regular, record_batch(odd, width, columns, file)])
    return both.take(pc.sort_indices(both.column("_line"))).combine_chunks().to_batches()[0]
