"""Reads the last record of a text file, and the trailer that the policy declares.

A trailer contains the number of records and control totals; it is read before any row, and is never a row.
A file that ends without its declared trailer was cut off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import TYPE_CHECKING

from data_platform.ingestion.content import TAIL
from data_platform.ingestion.formats.protocol import TrailerTotals
from data_platform.ingestion.formats.text.encoding import END_OF_TEXT

if TYPE_CHECKING:
    from data_platform.ingestion.content import Content
    from data_platform.ingestion.formats.csv.dialect import CsvDialect
    from data_platform.model.record_layout import HeaderRecord

PLAIN = re.compile(r"[+-]?(?:[0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})")
_EXAMINED_RECORDS = 100
"""Number of last records that are examined, for example for the width of the first field."""


@dataclass(frozen=True, kw_only=True)
class LastRecord:
    """The last record, and the ``rows`` before it that were examined, without the column names."""

    line: int
    fields: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()
    is_whole: bool = False
    """Whether ``rows`` are all rows of the file."""
    blank_lines: int = 0
    """Number of blank lines before it, if the whole file was read; else 0."""

    @cached_property
    def firsts(self) -> tuple[str, ...]:
        return tuple(row[0] for row in self.rows)

    @property
    def count(self) -> int:
        """The number of rows before it."""
        return self.line - 2 - self.blank_lines

    def column(self, place: int) -> list[str]:
        return [row[place] for row in self.rows if place < len(row)]

    @cached_property
    def sums(self) -> tuple[Decimal | None, ...]:
        """The sum of each column, if all rows are known and all its values are numbers."""
        if not self.is_whole:
            return ()
        columns = (self.column(place) for place in range(len(self.fields)))
        return tuple(
            sum(map(Decimal, column), Decimal(0)) if all(map(PLAIN.fullmatch, column)) else None for column in columns
        )

    def added(self, place: int) -> int:
        """The number of values other than 0 in a column of numbers."""
        return sum(Decimal(text) != 0 for text in self.column(place))

    def has_sum(self, place: int) -> bool:
        """Whether the field is the sum of its column. Of a single number, or of zeros, the sum proves nothing."""
        total, field = (self.sums[place : place + 1] or (None,))[0], self.fields[place]
        return bool(total) and self.added(place) > 1 and PLAIN.fullmatch(field) is not None and Decimal(field) == total


def last_record(content: Content, dialect: CsvDialect, *, with_value: bool = False) -> LastRecord | None:
    """The last record of a file, or None. Each line is one record here: no trailer has several lines.

    ``with_value`` leaves out records of empty fields at the end, which spreadsheets write below what they contain.
    """
    lines = re.split(r"\r\n|\n|\r", content.tail_text(dialect.encoding))
    places = [place for place, line in enumerate(lines) if line.strip().strip(END_OF_TEXT)]
    while with_value and places and not any(_fields_of(lines[places[-1]], dialect)):
        places.pop()
    if not places:
        return None
    whole = content.size <= TAIL
    line = places[-1] + 1 if whole else content.newlines + 1 - (len(lines) - 1 - places[-1])
    records = [_fields_of(lines[place], dialect) for place in places[-_EXAMINED_RECORDS:]]
    return LastRecord(
        line=line,
        fields=records[-1],
        rows=tuple(records[1:-1]),
        is_whole=whole and len(places) <= _EXAMINED_RECORDS,
        blank_lines=places[-1] + 1 - len(places) if whole else 0,
    )


def header_record(content: Content, dialect: CsvDialect, declared: HeaderRecord) -> LastRecord | None:
    """The first line that begins with the declared prefix, out of the whole lines at the start of the content."""
    text = content.head.decode(dialect.encoding, errors="replace").lstrip("\ufeff")
    lines = re.split(r"\r\n|\n|\r", text)
    whole = lines if content.size <= len(content.head) else lines[:-1]
    records = ((number, _fields_of(line, dialect)) for number, line in enumerate(whole, start=1))
    return next((LastRecord(line=line, fields=one) for line, one in records if one[0] == declared.prefix), None)


def _fields_of(line: str, dialect: CsvDialect) -> tuple[str, ...]:
    return tuple(part.strip().strip(dialect.quote).strip() for part in line.strip(END_OF_TEXT).split(dialect.delimiter))


def read_trailer(last: LastRecord, trailer: HeaderRecord) -> TrailerTotals | None:
    """The count and totals in a trailer or header record; None, if a number is not where ``trailer`` declares it."""
    try:
        count = _number(last, trailer.count) if trailer.count else None
        totals = {column: _number(last, place) for column, place in trailer.totals.items()}
    except (IndexError, InvalidOperation):
        return None
    if count is not None and (count != int(count) or count < 0):
        return None
    return TrailerTotals(count=None if count is None else int(count) - trailer.counts_also, totals=totals)


def _number(last: LastRecord, place: int) -> Decimal:
    if not PLAIN.fullmatch(text := last.fields[place - 1]):
        raise InvalidOperation
    return Decimal(text)
