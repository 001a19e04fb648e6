"""Reads the records of a CSV file (RFC 4180), bound by header name, each with its line number.

Why not Spark's CSV reader: it binds a given schema by position, reports a corrupt row only if all columns are selected,
rounds decimals silently, has no line numbers, and lets one unclosed quote swallow the rest of the file. This reader
keeps an unreadable record with its raw text and the reason, and continues at the next line. Values stay text.
``text_walk`` gives the regular pieces of a file to a faster parser.
The reader streams; it holds one record, or, after an unclosed quote, at most ``MAX_RECORD_LINES`` lines.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from functools import cache
from typing import IO, TYPE_CHECKING, NamedTuple

from data_platform.errors import SourceError
from data_platform.ingestion.encoding import decoded_lines, without_end_sign
from data_platform.ingestion.frame import begins_with, blanks_of, judged, without_trailer
from data_platform.model.personal import is_like_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_RECORD_LINES = 1_000
"""The reader treats a quoted field of more lines than this as a quote that was never closed."""

# Delta refuses these characters in a column name; control characters are replaced because they are invisible.
_NOT_IN_DELTA = re.compile(r"[ ,;{}()\n\t=\x00-\x1f]+")


@dataclass(frozen=True, kw_only=True)
class CsvFormat:
    """The format of a CSV file. ``encoding`` is any codec of Python; the reader removes a byte-order mark.

    Lines above the column names whose first field is ``header_prefix``, and a last line whose first field is
    ``trailer_prefix``, are not records; an empty prefix means that there are no such lines.
    """

    delimiter: str = ","
    quote: str = '"'
    encoding: str = "utf-8"
    header_prefix: str = ""
    trailer_prefix: str = ""


class Record(NamedTuple):  # a million instances of a dataclass take twice as long to create
    """One record; ``line`` counts from 1 at the header. ``values`` are in header order, None where empty.
    A malformed record has no values; its reason ``malformed`` contains no value of the data.
    ``raw`` is the text without its line end.
    """

    line: int
    values: tuple[str | None, ...]
    raw: str
    malformed: str = ""


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


def read_header(source: IO[bytes], file: str, fmt: CsvFormat | None = None) -> Header:
    """Reads the header of ``source`` from its current position.

    Raises:
        SourceError: There is no header; a column has no name; two names are equal in Delta; the bytes are not valid
            in the encoding. The message reports all problems with the names.
    """
    fmt = fmt or CsvFormat()
    return _header(_first(parse_lines(decoded_lines(source, file, fmt.encoding), fmt), fmt), file)


def read_records(source: IO[bytes], file: str, fmt: CsvFormat | None = None) -> Iterator[Record]:
    """Yields every record after the header; blank lines are not records. ``text_walk`` does the same faster.

    Raises:
        SourceError: As ``read_header``; also while iterating, when bytes are not valid in the encoding, after every
            record that ends before them has been yielded.
    """
    fmt = fmt or CsvFormat()
    records = parse_lines(decoded_lines(source, file, fmt.encoding), fmt)
    names = _header(_first(records, fmt), file).original
    rows = without_trailer(records, fmt, file) if fmt.trailer_prefix else records
    yield from (judged(record, len(names), names) for record in rows)


def delta_name(name: str) -> str:
    """``Order ID`` becomes ``Order_ID``; ``a.b`` and ``naïve`` stay, because Delta accepts them."""
    return _NOT_IN_DELTA.sub("_", name)


def _first(records: Iterator[Record], fmt: CsvFormat) -> Record | None:
    """The record of the column names, after the declared header records above it."""
    for record in records:
        if not fmt.header_prefix or not begins_with(record.raw, fmt.header_prefix, fmt):
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


def name_problems(names: Iterable[str]) -> Iterator[str]:
    """Yields why these names cannot be the columns of one table: a name is blank, or occurs twice in Delta."""
    seen: dict[str, str] = {}
    listed = list(names)
    for position, name in enumerate(listed, start=1):
        key = delta_name(name).lower()
        if not name.strip():
            yield f"unnamed column at position {position}"
        elif key not in seen:
            seen[key] = name
        elif seen[key] == name:
            yield f"duplicate column {_shown(name, position)}"
        else:
            first = 1 + [delta_name(other).lower() for other in listed].index(key)
            yield f"{_shown(seen[key], first)} / {_shown(name, position)} are one column name"


def _shown(name: str, position: int) -> str:
    return f"#{position}" if is_like_data(name.replace(" ", "_")) else name


def parse_lines(
    lines: Iterable[str], fmt: CsvFormat, first: int = 1, waiting: deque[str] | None = None
) -> Iterator[Record]:
    """Splits lines into records; an unclosed quote makes only its own line malformed.

    ``first`` numbers the first line; ``waiting`` holds the lines that were read ahead and are not parsed yet.
    """
    waiting = deque() if waiting is None else waiting
    errors: list[SourceError] = []
    source = without_end_sign(_until_error(lines, errors))
    number, blanks = first - 1, blanks_of(fmt)
    while (line := waiting.popleft() if waiting else next(source, None)) is not None:
        number += 1
        raw = line.rstrip("\r\n")
        if fmt.quote not in raw:  # true of most records; twice as fast
            if raw.strip(blanks):
                yield Record(number, tuple([field or None for field in raw.split(fmt.delimiter)]), raw)
            continue
        taken = _take(line, waiting, source, fmt)
        if taken is None:
            yield Record(number, (), raw, "a quote is opened and never closed")
            continue
        yield _parse(number, "".join(taken).rstrip("\r\n"), fmt)
        number += len(taken) - 1
    if errors:
        raise errors[0]


def _until_error(lines: Iterable[str], errors: list[SourceError]) -> Iterator[str]:
    """Postpones the error: the lines read ahead after an open quote must still become records."""
    try:
        yield from lines
    except SourceError as error:
        errors.append(error)


def _take(line: str, waiting: deque[str], source: Iterator[str], fmt: CsvFormat) -> list[str] | None:
    """The lines of the record that begins with ``line``. If no quote closes it, returns None and restores the rest."""
    taken = [line]
    is_open = ends_inside_quotes(line, fmt)
    while is_open and len(taken) < MAX_RECORD_LINES:
        more = waiting.popleft() if waiting else next(source, None)
        if more is None:
            break
        taken.append(more)
        if fmt.quote in more:  # no other line can close the field
            is_open = ends_inside_quotes("".join(taken), fmt)
    if is_open:
        waiting.extendleft(reversed(taken[1:]))
        return None
    return taken


def ends_inside_quotes(text: str, fmt: CsvFormat) -> bool:
    """Whether a quoted field is still open at the end of ``text``, which starts at the start of a record.

    Counting quotes is not enough: only a quote at the start of a field opens it, so ``5" pipe`` is plain text.
    """
    if fmt.quote not in text:
        return False
    quoted, start = _quoted_field(fmt.quote), 0
    while True:
        if text.startswith(fmt.quote, start):
            field = quoted.match(text, start)
            if field is None:
                return True
            start = field.end()
        delimiter = text.find(fmt.delimiter, start)
        if delimiter < 0:
            return False
        start = delimiter + 1


@cache
def _quoted_field(quote: str) -> re.Pattern[str]:
    q = re.escape(quote)
    return re.compile(f"{q}[^{q}]*+(?:{q}{q}[^{q}]*+)*+{q}")


def _parse(number: int, raw: str, fmt: CsvFormat) -> Record:
    """``raw`` has no unclosed quote. Python's csv module would refuse a field of more than 131,072 characters."""
    quoted, start = _quoted_field(fmt.quote), 0
    fields: list[str | None] = []
    while start <= len(raw):
        if field := quoted.match(raw, start):
            end = field.end()
            if end < len(raw) and not raw.startswith(fmt.delimiter, end):
                return Record(number, (), raw, "text stands beside a quoted field")
            value = field[0][1:-1].replace(fmt.quote * 2, fmt.quote)
        else:
            end = raw.find(fmt.delimiter, start)
            end = len(raw) if end < 0 else end
            value = raw[start:end]
        fields.append(value or None)
        start = end + 1
    return Record(number, tuple(fields), raw)
