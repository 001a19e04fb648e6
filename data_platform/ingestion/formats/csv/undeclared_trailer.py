"""Recognizes a last record that is no row, although the policy declares no trailer.

A real row may have a few numbers of a trailer by chance, above all in a small file. So numbers alone are no evidence: a
trailer also differs from every row before it, by a word, an empty field or a code, and a running number is of a row.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from data_platform.ingestion.formats.csv.trailer import PLAIN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from data_platform.ingestion.formats.csv.trailer import LastRecord

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
_COUNTED = re.compile(r"[A-Za-z]{1,8}0*([0-9]{1,15})")
_FEW = 3
"""With at least this many rows, a last row of another kind than all of them indicates a trailer."""
_MANY_DIGITS = 4
"""A sum with that many digits is not the value of a row by chance."""
_SHORT_WORD = 3
"""The letters of a code, such as F and M or T and F."""
_TRAILER_CODES = {"T", "TT", "TR", "Z", "ZZ", "ZZZ"}
_COUNT_VARIANTS = 3
"""A count may include the rows only, also the trailer, or also trailer and header."""


def looks_like_trailer(last: LastRecord | None, width: int) -> bool:
    """Whether a record that is not declared as a trailer looks like one, rather than like a row of ``width`` fields.

    Its first field is a usual word of trailers; or a usual letter or number, and either a field is the number of
    records before it or the record is too short for a row; or it is a database client's "(3 rows affected)"; or it has
    nothing but sums, where no row has an empty field. What a row before it has in the same place is a value.
    """
    if last is None or last.line <= 1:
        return False
    return any(_looks_like_trailer(one, width) for one in _ways_to_split(last, width))


def _looks_like_trailer(last: LastRecord, width: int) -> bool:
    place = next((place for place, field in enumerate(last.fields) if field), 0)
    named = last.fields[place]
    first = named.casefold().strip("#*-=:<>[] ")
    labelled = _WORD_AND_NUMBER.fullmatch(first)
    if first in _TRAILER_WORDS or (labelled and labelled[1] in _TRAILER_WORDS):
        return named not in last.column(place)
    if len(last.fields) == 1 < width and (_REPORT.match(named) or _is_count(named, last.count)):
        return True
    if 1 < len(last.fields) < width:
        return first in _TRAILER_LETTERS | _TRAILER_NUMBERS
    counts = set(_counts(last))
    return (
        _has_only_sums(last)
        or _is_only_text(last)
        or _has_only_count_and_sum(last)
        or (first in _TRAILER_LETTERS and _is_counted_letter(last, place, counts))
        or (first in _TRAILER_NUMBERS and _is_counted_number(last))
        or _is_of_another_kind(last, counts)
    )


def _counts(last: LastRecord) -> Iterator[int]:
    """The whole numbers behind the first field, without those that continue a running number."""
    for place, text in enumerate(last.fields):
        if place and text.isascii() and text.isdigit() and len(text) < 16 and not _continues(last, place):
            yield int(text)


def _continues(last: LastRecord, place: int) -> bool:
    """Whether the field is the next one of a running number, of which a value may be missing."""
    before, text = last.column(place)[-2:], last.fields[place]
    is_number = text.isascii() and text.isdigit() and len(text) < 16
    return is_number and any(_is_count(one, int(text) - away) for away, one in enumerate(reversed(before), start=1))


def _ways_to_split(last: LastRecord, width: int) -> Iterator[LastRecord]:
    """``last`` itself, and if it is a single field, the fields in it by another delimiter than that of the rows."""
    yield last
    parts = _FOREIGN.split(last.fields[0])
    if len(last.fields) == 1 < width and len(parts) > 1:
        yield replace(last, fields=tuple(part.strip() for part in parts), is_whole=False)


def _is_count(text: str, rows: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 16 and int(text) == rows


def _has_only_sums(last: LastRecord) -> bool:
    """Whether it has no key, and each other field is a sum or the number of rows, or is empty where no row is.

    A row may have all this by chance, so there must be more of it than one small number in two columns.
    """
    filled = [place for place, field in enumerate(last.fields) if field and place]
    empty = [place for place, field in enumerate(last.fields) if not field]
    sums = [place for place in filled if last.has_sum(place)]
    has_key = bool(last.fields[0]) and not _is_text_among_numbers(last)
    if has_key or len(last.rows) < _FEW or not sums or any("" in last.column(place) for place in empty):
        return False
    if any(place not in sums and not _is_count(last.fields[place], last.count) for place in filled):
        return False
    if any(_continues(last, place) for place in filled):
        return False
    others = [place for place in empty if place]
    return bool(others) or len(filled) > 1 or _digits(last.fields[sums[0]]) >= _MANY_DIGITS


def _is_only_text(last: LastRecord) -> bool:
    """Whether it has nothing but a text where all rows have a number, and values in each other column."""
    is_rest_empty = len(last.fields) > 1 and not any(last.fields[1:])
    is_never_empty = not any("" in last.column(place) for place in range(len(last.fields)))
    return is_rest_empty and is_never_empty and len(last.rows) >= _FEW and _is_text_among_numbers(last)


def _is_text_among_numbers(last: LastRecord) -> bool:
    """Whether its first field has a letter or a sign, and those of all rows are whole numbers."""
    return not last.fields[0][:1].isdigit() and bool(last.fields[0]) and all(one.isdigit() for one in last.firsts)


def _digits(number: str) -> int:
    """The number of digits without zeros at both ends."""
    return len(number.strip("+-").replace(".", "").strip("0"))


def _has_only_count_and_sum(last: LastRecord) -> bool:
    """Whether it has the number of rows first, one sum, and nothing else; a row would have an id of its own."""
    filled = [place for place, field in enumerate(last.fields) if field]
    empty = [place for place, field in enumerate(last.fields) if not field]
    if len(filled) != 2 or filled[0] != 0 or not _is_count(last.fields[0], last.count) or not last.has_sum(filled[1]):
        return False
    is_no_id = last.fields[0] in last.firsts or len(last.fields[0]) not in set(map(len, last.firsts))
    is_short = bool(empty) and not any("" in last.column(place) for place in empty)
    return is_no_id and (is_short or _digits(last.fields[filled[1]]) >= _MANY_DIGITS)


def _is_counted_letter(last: LastRecord, place: int, counts: Collection[int]) -> bool:
    """Whether it has the number of rows; if rows may have such a code there too, also a sum: F and T are values."""
    others = last.column(place)
    if place or any(not one or (one.isalpha() and len(one) <= _SHORT_WORD) for one in others):
        return last.fields[place] not in others and _has_count_and_sum(last)
    return any(last.count + more in counts for more in range(_COUNT_VARIANTS))


def _is_counted_number(last: LastRecord) -> bool:
    """Whether it has the number of rows and a sum; or that number with zeros in front, if it is no id by its width."""
    is_padded = any(field.startswith("0") and _is_count(field, last.count) for field in last.fields[1:])
    return _has_count_and_sum(last) or (is_padded and len(last.fields[0]) not in set(map(len, last.firsts)))


def _has_count_and_sum(last: LastRecord) -> bool:
    """Whether one field is the number of the rows, and another the sum of any column with more than a few numbers."""
    counted = last.count >= _FEW and last.count in set(_counts(last))
    numbers = {Decimal(field) for field in last.fields[1:] if PLAIN.fullmatch(field)} - {Decimal(last.count)}
    totals = (total for place, total in enumerate(last.sums) if total and last.added(place) >= _FEW)
    return counted and any(total in numbers for total in totals)


def _is_of_another_kind(last: LastRecord, counts: Collection[int]) -> bool:
    """Whether only the last record starts with capitals, not with a number, and has the row count or a trailer code."""
    first, others = last.fields[0], last.firsts
    if others and not others[-1].isdigit():  # another trailer, or a line of dashes
        others = others[:-1]
    if len(others) < _FEW or not all(one.isdigit() for one in others) or not first[:1].isupper():
        return False
    counted = _COUNTED.fullmatch(first)
    is_word = re.fullmatch(r"[A-Z][A-Z_ ]{1,20}", first) is not None
    return (
        (is_word and last.count in counts)
        or (counted is not None and int(counted[1]) == last.count)
        or first in _TRAILER_CODES
    )
