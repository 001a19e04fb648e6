"""Explains why the first line of a CSV file is not its header.

A header that lacks declared columns may be another schema, which G3_SCHEMA judges; or the file does not have the
declared format: another delimiter, a title above the names, Excel's ``sep=``, no header at all. Messages never contain
a value of a row.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from data_platform.ingestion.delimited import CsvFormat, delta_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

LOOKED_AT = 30
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


def as_declared(found: Sequence[str], declared: Iterable[str]) -> tuple[str, ...]:
    """The names of a file; a name that differs from a declared one only invisibly is replaced by the declared name.

    Invisible are the Unicode form of accents (NFD, NFC), zero-width characters, soft hyphens and the width of blanks.
    A name is not replaced if the file already has the declared name.
    """
    taken = {name.lower() for name in found}
    wanted = {plain(name): name for name in declared if name.lower() not in taken}
    names: list[str] = []
    for name in found:
        new = wanted.pop(plain(name), name)
        names.append(new)
    return tuple(names)


def look_alike(names: Sequence[str], shown: Callable[[str], str]) -> str:
    """A message about two names of one file that look the same; empty, if there are none."""
    seen: dict[str, str] = {}
    for name in names:
        if (other := seen.setdefault(plain(name), name)) is not name:
            return (
                f"{shown(other)} / {shown(name)} look like one column name. Have the sender give each column one name."
            )
    return ""


def plain(name: str) -> str:
    """``name`` in NFC and lower case, without zero-width characters."""
    seen = "".join(sign for sign in name if unicodedata.category(sign) not in ("Cf", "Cc"))
    return delta_name(re.sub(r"\s+", " ", unicodedata.normalize("NFC", seen)).strip()).lower()


def doubt(lines: Sequence[str], fmt: CsvFormat, declared: Sequence[str]) -> str:
    """Why the first of ``lines`` is not a header; empty, if no cause is found."""
    if not declared or not any(line.strip() for line in lines):
        return ""
    blank = next(place for place, line in enumerate(lines) if line.strip())
    return _of_text(lines[blank:], blank, fmt, declared)


def _of_text(lines: Sequence[str], above: int, fmt: CsvFormat, declared: Sequence[str]) -> str:
    """``above`` counts the blank lines before the first of ``lines``."""
    if found := re.match(r"\"?sep=(.)", lines[0], re.IGNORECASE):
        return (
            f"it is Excel's sep= line (the delimiter is {_word(found[1])}), and no header. Ask for the file without it."
        )
    if re.match(r"\s*<[!?a-zA-Z]", lines[0]):
        return "it is HTML or XML, such as the page of an error, and no CSV. Ask for the file itself."
    if re.match(r"\s*[\[{]\s*(?:[\[{\"]|$)", lines[0]):
        return "it is JSON, and no CSV. Ask for CSV, or declare source.format: jsonl if it has one object a line."
    if ends := [word for sign, word in _OTHER_ENDS.items() if sign in lines[0].rstrip()]:
        return f"its lines end in {ends[0]}, which end no line of CSV. Ask for line feeds."
    here = _known(lines[0], fmt.delimiter, fmt, declared)
    other = {sign: _known(lines[0], sign, fmt, declared) for sign in _DELIMITERS if sign != fmt.delimiter}
    best = max(other, key=lambda sign: other[sign])
    if other[best] > max(here, 1) or (other[best] == len(declared) > here):
        return (
            f"the delimiter looks like {_DELIMITERS[best]}, and declared is {_word(fmt.delimiter)} (source.delimiter, "
            "or the manifest's). Ask for one delimiter, or declare that one."
        )
    return _elsewhere(lines, above, fmt, declared, here)


def _elsewhere(lines: Sequence[str], above: int, fmt: CsvFormat, declared: Sequence[str], here: int) -> str:
    for place, line in enumerate(lines[1:], start=above + 2):
        known = _known(line, fmt.delimiter, fmt, declared)
        if known > here and (known == len(declared) or known > max(here, 1)):
            return (
                f"it is no header: the names of the columns stand on line {place}. Ask for the file without the lines "
                "above them, or declare these with source.header_record if they begin with one word."
            )
    fields = _fields(lines[0], fmt.delimiter, fmt)
    if not here and any(_VALUE.fullmatch(one) for one in fields):
        return (
            "it looks like a row, and like no header: none of the declared columns is named in it. Ask for the file "
            "with a line of column names."
        )
    if fields and not fields[-1] and len(fields) > 1 and here >= len(fields) - 1:
        return f"it ends in a delimiter, so that column {len(fields)} has no name. Ask for the file without it."
    return ""


def _known(line: str, delimiter: str, fmt: CsvFormat, declared: Sequence[str]) -> int:
    names = {plain(name) for name in declared}
    return len({plain(field) for field in _fields(line, delimiter, fmt)} & names)


def _fields(line: str, delimiter: str, fmt: CsvFormat) -> list[str]:
    return [part.strip().strip(fmt.quote).strip() for part in line.rstrip("\r\n").split(delimiter)]


def _word(sign: str) -> str:
    return _DELIMITERS.get(sign, repr(sign))
