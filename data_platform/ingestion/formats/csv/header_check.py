"""Explains why the first line of a CSV file is not its header.

A header that lacks declared columns may be another schema, which G3_SCHEMA judges; or the file does not have the
declared format: another delimiter, a title above the names, Excel's ``sep=``, no header at all. Messages never contain
a value of a row.
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import islice
from typing import IO, TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.ingestion.formats.column_name import normal_name
from data_platform.ingestion.formats.text.encoding import decoded_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.ingestion.formats.csv.dialect import CsvDialect

_SEARCHED_LINES = 30
"""Number of lines that are searched for the column names."""

_DELIMITERS = {
    ",": "`,`", ";": "`;`", "\t": "a tab", "|": "`|`", "\x01": "Ctrl-A", "~": "`~`", "^": "`^`", ":": "`:`",
    "\x1f": "the unit separator", " ": "a blank",
}  # fmt: skip
_OTHER_ENDS = {
    "\x0b": "vertical tabs", "\x0c": "form feeds", "\x1e": "record separators", "\x85": "U+0085", "\u2028": "U+2028",
    "\u2029": "U+2029",
}  # fmt: skip
_VALUE = re.compile(r"[-+(]?[\d.,:/ TZ-]*\d[\d.,:/ TZ%)-]*")


def why_not_header(source: IO[bytes], file: str, dialect: CsvDialect, declared: Sequence[str]) -> str:
    """Why the first line that is not blank is not the header; empty, if no cause is found."""
    source.seek(0)
    lines: list[str] = []
    with suppress(SourceError):
        lines.extend(islice(decoded_lines(source, file, dialect.encoding), _SEARCHED_LINES))
    blank = next((place for place, line in enumerate(lines) if line.strip()), None)
    if not declared or blank is None:
        return ""
    lines = lines[blank:]
    return (
        _other_kind(lines[0])
        or _other_delimiter(lines[0], dialect, declared)
        or _elsewhere(lines, blank, dialect, declared)
    )


def _other_kind(line: str) -> str:
    """Why the first line is not a line of column names in any CSV dialect."""
    if sep := re.match(r"\"?sep=(.)", line, re.IGNORECASE):
        return (
            f"it is Excel's sep= line (the delimiter is {_shown(sep[1])}), not a header. Ask for the file without it."
        )
    if re.match(r"\s*<[!?a-zA-Z]", line):
        return "it is HTML or XML, such as an error page, not CSV. Ask for the file itself."
    if re.match(r"\s*[\[{]\s*(?:[\[{\"]|$)", line):
        return "it is JSON, not CSV. Ask for CSV, or declare source.format: jsonl if it has one object a line."
    if ends := [name for character, name in _OTHER_ENDS.items() if character in line.rstrip()]:
        return f"its lines end in {ends[0]}, which do not end lines in CSV. Ask for line feeds."
    return ""


def _other_delimiter(line: str, dialect: CsvDialect, declared: Sequence[str]) -> str:
    here = _count_declared(line, dialect.delimiter, dialect, declared)
    others = [delimiter for delimiter in _DELIMITERS if delimiter != dialect.delimiter]
    counts = {delimiter: _count_declared(line, delimiter, dialect, declared) for delimiter in others}
    best = max(others, key=lambda delimiter: counts[delimiter])
    if counts[best] > max(here, 1) or (counts[best] == len(declared) > here):
        return (
            f"the delimiter looks like {_DELIMITERS[best]}, but {_shown(dialect.delimiter)} is declared "
            "(source.delimiter, or the manifest's). Ask for one delimiter, or declare that one."
        )
    return ""


def _elsewhere(lines: Sequence[str], above: int, dialect: CsvDialect, declared: Sequence[str]) -> str:
    """Why the first of ``lines`` is a title or a row; ``above`` counts the blank lines before it."""
    here = _count_declared(lines[0], dialect.delimiter, dialect, declared)
    for place, line in enumerate(lines[1:], start=above + 2):
        count = _count_declared(line, dialect.delimiter, dialect, declared)
        if count > here and (count == len(declared) or count > max(here, 1)):
            return (
                f"it is not the header: the column names are on line {place}. Ask for the file without the lines above "
                "them, or declare these lines with source.header_record if they begin with the same word."
            )
    fields = _fields(lines[0], dialect.delimiter, dialect)
    if not here and any(_VALUE.fullmatch(one) for one in fields):
        return (
            "it looks like a row, not like a header: it names none of the declared columns. Ask for the file with a "
            "line of column names."
        )
    if fields and not fields[-1] and len(fields) > 1 and here >= len(fields) - 1:
        return f"it ends in a delimiter, so that column {len(fields)} has no name. Ask for the file without it."
    return ""


def _count_declared(line: str, delimiter: str, dialect: CsvDialect, declared: Sequence[str]) -> int:
    """The number of declared columns that are named in ``line``."""
    names = {normal_name(name) for name in declared}
    return len({normal_name(field) for field in _fields(line, delimiter, dialect)} & names)


def _fields(line: str, delimiter: str, dialect: CsvDialect) -> list[str]:
    return [part.strip().strip(dialect.quote).strip() for part in line.rstrip("\r\n").split(delimiter)]


def _shown(character: str) -> str:
    return _DELIMITERS.get(character, repr(character))
