"""Reads the last record of a text file: the trailer that the policy declares, or a row that looks like one.

A trailer contains the number of records and control totals; it is read before any row, and is never a row.
A file that ends without its declared trailer was cut off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from data_platform.ingestion.content import TAIL
from data_platform.ingestion.formats.protocol import TrailerTotals
from data_platform.ingestion.formats.text.encoding import END_OF_TEXT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from data_platform.ingestion.content import Content
    from data_platform.ingestion.formats.csv.dialect import CsvDialect
    from data_platform.model.record_layout import HeaderRecord

_TRAILER_WORDS = {
    "trailer", "trl", "trlr", "tlr", "eof", "e o f", "endoffile", "end of file", "eod", "end of data", "footer", "ftr",
    "sum", "sums", "total", "totals", "grand total", "grandtotal", "subtotal", "sub total", "total records",
    "total rows", "totale", "totaal", "somme", "suma", "summe", "gesamt", "gesamtsumme", "record count", "record_count",
    "recordcount", "rec_count", "row count", "row_count", "rowcount", "number of records", "number of rows", "checksum",
    "end of report", "totaux", "anzahl", "anzahl zeilen", "nombre de lignes",
    "итого", "всего", "合計", "総計", "合计", "总计",
}  # fmt: skip
_TRAILER_LETTERS = {"t", "tt", "tr", "z", "zz", "f", "e", "end", "ende", "fin", "fine", "foot", "utl", "eot"}
_TRAILER_NUMBERS = {"9", "99", "999", "9999"}
_REPORT = re.compile(
    r"\W*\d+\s+(?:rows?|records?|lines?|zeilen?|lignes?|filas?|righe|record\(s\)|row\(s\))\b"
    r"|\W*(?:elapsed|time|total|records?|rows?|row_?count|record_?count|count|end|eof|end of (?:file|data))\b.{0,40}"
    r"|sql>.*|[A-Z]{1,8}[0-9]{6,}\s*$",
    re.IGNORECASE,
)
_WORD_AND_NUMBER = re.compile(r"(\D{1,40}?)\s*[:=]\s*[0-9.,]*")
"""``record count: 3`` in one field."""
_FOREIGN = re.compile(r"[|;\t~^]")
"""What a trailer separates its fields with, where the rows have another delimiter."""
_PLAIN = re.compile(r"[+-]?(?:[0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})")
_COUNTED = re.compile(r"[A-Za-z]{1,8}0*([0-9]{1,15})")
_EXAMINED_RECORDS = 100
"""Number of last records that are examined, for example for the width of the first field."""
_FEW = 3
"""With at least this many rows, a last row of another kind than all of them indicates a trailer."""
_TRAILER_CODES = {"T", "TT", "TR", "Z", "ZZ", "ZZZ"}
_COUNT_VARIANTS = 3
"""A count may include the rows only, also the trailer, or also trailer and header."""


@dataclass(frozen=True, kw_only=True)
class LastRecord:
    line: int
    fields: tuple[str, ...]
    widths: frozenset[int] = frozenset()
    """Widths of the first fields of the examined lines before it, without the column names."""
    firsts: tuple[str, ...] = ()
    """These first fields themselves."""
    sums: tuple[Decimal | None, ...] = ()
    """Sum of each field over all rows before it, if the whole file was read and all values of the field are numbers."""
    blank_lines: int = 0
    """Number of blank lines before it, if the whole file was read; else 0."""


def last_record(content: Content, dialect: CsvDialect) -> LastRecord | None:
    """The last record of a file, or None. Each line is one record here: no trailer has several lines."""
    lines = re.split(r"\r\n|\n|\r", content.tail_text(dialect.encoding))
    places = [place for place, line in enumerate(lines) if line.strip().strip(END_OF_TEXT)]
    if not places:
        return None
    whole = content.size <= TAIL
    line = places[-1] + 1 if whole else content.newlines + 1 - (len(lines) - 1 - places[-1])
    records = [_fields_of(lines[place], dialect) for place in places[-_EXAMINED_RECORDS:]]
    firsts = tuple(fields[0] for fields in records[1:-1])
    return LastRecord(
        line=line,
        fields=records[-1],
        widths=frozenset(map(len, firsts)),
        firsts=firsts,
        sums=_sums(records[1:-1]) if whole and len(places) <= _EXAMINED_RECORDS else (),
        blank_lines=places[-1] + 1 - len(places) if whole else 0,
    )


def header_record(content: Content, dialect: CsvDialect, declared: HeaderRecord) -> LastRecord | None:
    """The first line that begins with the declared prefix, out of the whole lines at the start of the content."""
    text = content.head.decode(dialect.encoding, errors="replace").lstrip("\ufeff")
    lines = re.split(r"\r\n|\n|\r", text)
    whole = lines if content.size <= len(content.head) else lines[:-1]
    records = ((number, _fields_of(line, dialect)) for number, line in enumerate(whole, start=1))
    return next((LastRecord(line=line, fields=one) for line, one in records if one[0] == declared.prefix), None)


def _sums(rows: Sequence[tuple[str, ...]]) -> tuple[Decimal | None, ...]:
    columns = zip(*rows, strict=False)
    return tuple(
        sum(map(Decimal, column), Decimal(0)) if all(_PLAIN.fullmatch(one) for one in column) else None
        for column in columns
    )


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


def looks_like_trailer(last: LastRecord | None, width: int) -> bool:
    """Whether a record that is not declared as a trailer looks like one, rather than like a row of ``width`` fields.

    Its first field is a usual word of trailers; or a usual letter or number, and either a field is the number of
    records before it or the record is too short for a row; or it is a database client's "(3 rows affected)". A number
    as wide as the first fields of the rows is an id.
    """
    if last is None or last.line <= 1:
        return False
    return any(_looks_like_trailer(one, width) for one in _ways_to_split(last, width))


def _looks_like_trailer(last: LastRecord, width: int) -> bool:
    named = next((field for field in last.fields if field), "")
    first = named.casefold().strip("#*-=:<>[] ")
    labelled = _WORD_AND_NUMBER.fullmatch(first)
    if labelled and labelled[1] in _TRAILER_WORDS:
        return True
    if first in _TRAILER_WORDS or (len(last.fields) == 1 < width and _is_report(last, named)):
        return True
    if not last.fields[0] and "" not in last.firsts and _has_sum(last):
        return True
    if len(last.fields) < width and len(last.fields) > 1:
        return first in _TRAILER_LETTERS | _TRAILER_NUMBERS
    rows = last.line - 2 - last.blank_lines
    if _is_count(first, rows) and sum(map(bool, last.fields)) == 2 and _has_sum(last, after=1):
        return True
    counts = {int(text) for text in last.fields[1:] if text.isascii() and text.isdigit() and len(text) < 16}
    if first in _TRAILER_LETTERS | _TRAILER_NUMBERS and _is_counted(last, first, rows, counts):
        return True
    return _is_of_another_kind(last, rows, counts)


def _ways_to_split(last: LastRecord, width: int) -> Iterator[LastRecord]:
    """``last`` itself, and if it is a single field, the fields in it by another delimiter than that of the rows."""
    yield last
    parts = _FOREIGN.split(last.fields[0])
    if len(last.fields) == 1 < width and len(parts) > 1:
        yield replace(last, fields=tuple(part.strip() for part in parts), sums=())


def _is_counted(last: LastRecord, first: str, rows: int, counts: Collection[int]) -> bool:
    if first in _TRAILER_NUMBERS and len(last.fields[0]) in last.widths:  # an id like those before it
        return _has_count_and_sum(last, rows)
    return any(rows + more in counts for more in range(_COUNT_VARIANTS))


def _is_report(last: LastRecord, text: str) -> bool:
    """Whether ``text`` is a line that a database client adds, or only the number of rows."""
    rows = last.line - 2 - last.blank_lines
    return bool(_REPORT.match(text)) or _is_count(text, rows)


def _is_count(text: str, rows: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 16 and int(text) == rows


def _has_sum(last: LastRecord, *, after: int = 0) -> bool:
    """Whether a field behind the first ``after`` is the sum over the rows before it; with a single row, or of zeros,
    the sum proves nothing."""
    pairs = list(zip(last.fields, last.sums, strict=False))[after:]
    return len(last.firsts) > 1 and any(
        total and _PLAIN.fullmatch(field) and Decimal(field) == total for field, total in pairs
    )


def _has_count_and_sum(last: LastRecord, rows: int) -> bool:
    """Whether one field is the number of the rows, and another the sum of any field over them."""
    numbers = [Decimal(field) if _PLAIN.fullmatch(field) else None for field in last.fields[1:]]
    return rows >= _FEW and Decimal(rows) in numbers and any(total and total in numbers for total in last.sums)


def _is_of_another_kind(last: LastRecord, rows: int, counts: Collection[int]) -> bool:
    """Whether only the last record starts with capitals, not with a number, and has the row count or a trailer code."""
    first, others = last.fields[0], last.firsts
    if others and not others[-1].isdigit():  # another trailer, or a line of dashes
        others = others[:-1]
    if len(others) < _FEW or not all(one.isdigit() for one in others) or not first[:1].isupper():
        return False
    counted = _COUNTED.fullmatch(first)
    is_word = re.fullmatch(r"[A-Z][A-Z_ ]{1,20}", first) is not None
    return (is_word and rows in counts) or (counted is not None and int(counted[1]) == rows) or first in _TRAILER_CODES


def _number(last: LastRecord, place: int) -> Decimal:
    if not _PLAIN.fullmatch(text := last.fields[place - 1]):
        raise InvalidOperation
    return Decimal(text)
