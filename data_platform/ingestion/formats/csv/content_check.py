"""Checks the end of a CSV file before its rows are read: its trailer, whether it was cut off, and its encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from data_platform.ingestion.formats.csv.parser import ends_inside_quotes
from data_platform.ingestion.formats.csv.trailer import header_record, last_record, read_trailer
from data_platform.ingestion.formats.csv.undeclared_trailer import looks_like_trailer
from data_platform.ingestion.formats.protocol import ContentCheck, Finding
from data_platform.ingestion.formats.text.control_total import DIFFER, merged_totals
from data_platform.ingestion.formats.text.cut_off import CUT_OFF, unended_line
from data_platform.ingestion.formats.text.encoding import has_windows_characters, looks_like_utf8
from data_platform.model.record_layout import Trailer
from data_platform.model.text_form import codec_of

if TYPE_CHECKING:
    from data_platform.ingestion.content import Content
    from data_platform.ingestion.formats.csv.dialect import CsvDialect
    from data_platform.ingestion.formats.csv.trailer import LastRecord
    from data_platform.ingestion.formats.protocol import TrailerTotals
    from data_platform.model.record_layout import HeaderRecord

_TRAILER = (
    Finding(
        "NO_TRAILER",
        "the last record is not the trailer that source.trailer declares; the file may be cut off, ask for it again",
    ),
    Finding(
        "TRAILER_INVALID",
        "the trailer has no number such as 3 or -60.00 where source.trailer declares the count and the totals",
    ),
)
_HEADER = (
    Finding(
        "NO_HEADER",
        "its first lines have no record with the prefix that source.header_record declares; ask for the file with it",
    ),
    Finding(
        "HEADER_INVALID",
        "the header record has no number such as 3 or -60.00 where source.header_record declares the count or a total",
    ),
)
_TRAILER_RECORD = (
    "looks like a trailer record, not like a row; declare it with source.trailer (prefix, count, totals), or set "
    "source.trailer: none if it is a row"
)


def check_content(
    content: Content,
    dialect: CsvDialect,
    trailer: Trailer | Literal["none"] | None,
    width: int,
    header: HeaderRecord | None = None,
) -> ContentCheck:
    """``width`` is the number of columns."""
    problems: list[Finding] = []
    found: list[TrailerTotals] = []
    if header is not None and header.has_numbers:
        _add(header_record(content, dialect, header), header, _HEADER, problems, found)
    if isinstance(trailer, Trailer):
        last = last_record(content, dialect)
        is_trailer = last is not None and last.fields[0] == trailer.prefix
        _add(last if is_trailer else None, trailer, _TRAILER, problems, found)
    else:
        suspected = _trailer_record(content, dialect, width) if trailer is None else ()
        problems += suspected or _cut_off(content, dialect, width)
    merged = merged_totals(found)
    if merged is None:
        problems.append(Finding("HEADER_DIFFERS", DIFFER))
    return ContentCheck(
        problems=tuple(problems),
        warnings=_encoding_warnings(content, dialect),
        trailer=merged if found else None,
    )


def _add(
    record: LastRecord | None,
    declared: HeaderRecord,
    findings: tuple[Finding, Finding],
    problems: list[Finding],
    found: list[TrailerTotals],
) -> None:
    """Adds the numbers of the record to ``found``, or why there are none to ``problems``: it is missing, or invalid."""
    totals = read_trailer(record, declared) if record is not None else None
    if totals is not None:
        found.append(totals)
    else:
        problems.append(findings[record is not None])


def _trailer_record(content: Content, dialect: CsvDialect, width: int) -> tuple[Finding, ...]:
    last = last_record(content, dialect, with_value=True)
    if last is None or not looks_like_trailer(last, width):
        return ()
    return (Finding("TRAILER_RECORD", f"line {last.line} {_TRAILER_RECORD}", str(last.line)),)


def _cut_off(content: Content, dialect: CsvDialect, width: int) -> tuple[Finding, ...]:
    line = unended_line(content, dialect.encoding)
    if line is None:
        return ()
    if ends_inside_quotes(line.text, dialect):
        return (Finding("CUT_OFF", f"its last line opens a quote {CUT_OFF}"),)
    fields = line.text.count(dialect.delimiter) + 1
    if dialect.quote in line.text or fields >= width or line.is_first:
        return ()
    return (Finding("CUT_OFF", f"its last line has {fields} of {width} fields {CUT_OFF}"),)


def _encoding_warnings(content: Content, dialect: CsvDialect) -> tuple[Finding, ...]:
    """Warns of another encoding than a declared single-byte one: all bytes are valid there, and raise no error."""
    codec = codec_of(dialect.encoding)
    if not codec.startswith(("cp", "iso8859", "mac")):
        return ()
    if looks_like_utf8(content.tail):
        message = f"its letters look like UTF-8, and are read as {dialect.encoding}; check them, or declare utf-8"
    elif has_windows_characters(content.tail, codec):
        message = f"it has control characters of {dialect.encoding} that are quotes or € in cp1252; declare cp1252"
    else:
        return ()
    return (Finding("DOUBTFUL_ENCODING", message),)
