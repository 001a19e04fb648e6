"""Reads the records of a CSV file (RFC 4180), bound by header name, each with its line number.

Why not Spark's CSV reader: it binds a given schema by position, reports a corrupt row only if all columns are selected,
rounds decimals silently, has no line numbers, and lets one unclosed quote swallow the rest of the file. This reader
keeps an unreadable record with its raw text and the reason, and continues at the next line. Values stay text.
``walk`` gives the regular pieces of a file to a faster parser.
The reader streams; it holds one record, or, after an unclosed quote, at most ``MAX_RECORD_LINES`` lines.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from functools import cache
from typing import IO, TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.ingestion.formats.column_name import name_problems
from data_platform.ingestion.formats.csv.dialect import CsvDialect
from data_platform.ingestion.formats.csv.line_kind import begins_with, blanks_of, checked, without_trailer
from data_platform.ingestion.formats.text.encoding import decoded_lines, without_end_of_text
from data_platform.ingestion.formats.text.record import Record
from data_platform.model.delta_name import delta_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_RECORD_LINES = 1_000
"""The reader treats a quoted field of more lines than this as a quote that was never closed."""


@dataclass(frozen=True)
class Header:
    """The column names in the file, and their names in Delta.

    A name stays unchanged unless Delta refuses a character in it; then each run of such
    characters becomes one ``_`` and ``renamed`` maps the new name to the old one.
    """

    original: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def renamed(self) -> dict[str, str]:
        return {new: old for new, old in zip(self.names, self.original, strict=True) if new != old}


def read_header(source: IO[bytes], file: str, dialect: CsvDialect | None = None) -> Header:
    """Reads the header of ``source`` from its current position.

    Raises:
        SourceError: There is no header; a column has no name; two names are equal in Delta; the bytes are not valid
            in the encoding. The message reports all problems with the names.
    """
    dialect = dialect or CsvDialect()
    return _header(_first(parse_lines(decoded_lines(source, file, dialect.encoding), dialect), dialect), file)


def read_records(source: IO[bytes], file: str, dialect: CsvDialect | None = None) -> Iterator[Record]:
    """Yields every record after the header; blank lines are not records. ``walk`` does the same faster.

    Raises:
        SourceError: As ``read_header``; also while iterating, when bytes are not valid in the encoding, after every
            record that ends before them has been yielded.
    """
    dialect = dialect or CsvDialect()
    records = parse_lines(decoded_lines(source, file, dialect.encoding), dialect)
    names = _header(_first(records, dialect), file).original
    rows = without_trailer(records, dialect, file) if dialect.trailer_prefix else records
    yield from (checked(record, len(names), names) for record in rows)


def _first(records: Iterator[Record], dialect: CsvDialect) -> Record | None:
    """The record of the column names, after the declared header records above it."""
    for record in records:
        if not dialect.header_prefix or not begins_with(record.raw, dialect.header_prefix, dialect):
            return record
    return None


def _header(first: Record | None, file: str) -> Header:
    if first is None:
        raise SourceError(f"{file}: no header: the file is empty; expected a line of column names. Ask for it again.")
    if first.malformed:
        raise SourceError(f"{file}:1: header: {first.malformed}. Ask the sender for a whole file.")
    original = tuple((value or "").strip() for value in first.values)
    problems = list(name_problems(original))
    if problems:
        raise SourceError(f"{file}:1: header: " + "; ".join(problems) + ". Have the sender give each column one name.")
    return Header(original, tuple(delta_name(name) for name in original))


def parse_lines(
    lines: Iterable[str], dialect: CsvDialect, first: int = 1, waiting: deque[str] | None = None
) -> Iterator[Record]:
    """Splits lines into records; an unclosed quote makes only its own line malformed.

    ``first`` numbers the first line; ``waiting`` holds the lines that were read ahead and are not parsed yet.
    """
    waiting = deque() if waiting is None else waiting
    errors: list[SourceError] = []
    source = without_end_of_text(_until_error(lines, errors))
    number, blanks = first - 1, blanks_of(dialect)
    while (line := waiting.popleft() if waiting else next(source, None)) is not None:
        number += 1
        raw = line.rstrip("\r\n")
        if dialect.quote not in raw:  # true of most records; twice as fast
            if raw.strip(blanks):
                yield Record(number, tuple([field or None for field in raw.split(dialect.delimiter)]), raw)
            continue
        taken = _take(line, waiting, source, dialect)
        if taken is None:
            yield Record(number, (), raw, "a quote is opened and never closed")
            continue
        yield _parse(number, "".join(taken).rstrip("\r\n"), dialect)
        number += len(taken) - 1
    if errors:
        raise errors[0]


def _until_error(lines: Iterable[str], errors: list[SourceError]) -> Iterator[str]:
    """Postpones the error: the lines read ahead after an open quote must still become records."""
    try:
        yield from lines
    except SourceError as error:
        errors.append(error)


def _take(line: str, waiting: deque[str], source: Iterator[str], dialect: CsvDialect) -> list[str] | None:
    """The lines of the record that begins with ``line``. If no quote closes it, returns None and restores the rest."""
    taken = [line]
    is_open = ends_inside_quotes(line, dialect)
    while is_open and len(taken) < MAX_RECORD_LINES:
        more = waiting.popleft() if waiting else next(source, None)
        if more is None:
            break
        taken.append(more)
        if dialect.quote in more:  # no other line can close the field
            is_open = ends_inside_quotes("".join(taken), dialect)
    if is_open:
        waiting.extendleft(reversed(taken[1:]))
        return None
    return taken


def ends_inside_quotes(text: str, dialect: CsvDialect) -> bool:
    """Whether a quoted field is still open at the end of ``text``, which starts at the start of a record.

    Counting quotes is not enough: only a quote at the start of a field opens it, so ``5" pipe`` is plain text.
    """
    if dialect.quote not in text:
        return False
    quoted, start = _quoted_field(dialect.quote), 0
    while True:
        if text.startswith(dialect.quote, start):
            field = quoted.match(text, start)
            if field is None:
                return True
            start = field.end()
        delimiter = text.find(dialect.delimiter, start)
        if delimiter < 0:
            return False
        start = delimiter + 1


@cache
def _quoted_field(quote: str) -> re.Pattern[str]:
    q = re.escape(quote)
    return re.compile(f"{q}[^{q}]*+(?:{q}{q}[^{q}]*+)*+{q}")


def _parse(number: int, raw: str, dialect: CsvDialect) -> Record:
    """``raw`` has no unclosed quote. Python's csv module would refuse a field of more than 131,072 characters."""
    quoted, start = _quoted_field(dialect.quote), 0
    fields: list[str | None] = []
    while start <= len(raw):
        if field := quoted.match(raw, start):
            end = field.end()
            if end < len(raw) and not raw.startswith(dialect.delimiter, end):
                return Record(number, (), raw, "text next to a quoted field")
            value = field[0][1:-1].replace(dialect.quote * 2, dialect.quote)
        else:
            end = raw.find(dialect.delimiter, start)
            end = len(raw) if end < 0 else end
            value = raw[start:end]
        fields.append(value or None)
        start = end + 1
    return Record(number, tuple(fields), raw)
