"""Finds the same rows twice in one delivery: the same content under two names, or a copy beside its original.

Files are compared unpacked, so that ``orders.csv`` equals ``orders.csv.gz``; texts also without regard to line ends and
byte-order mark. Files without rows may be equal: parallel exports write many that have only the line of column names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from data_platform.model.schema import Schema

if TYPE_CHECKING:
    from data_platform.ingestion.formats.protocol import FileFormat
    from data_platform.ingestion.inspection import Inspection

_WORD = "(?:copy|kopie|copie|copia|kopia|cópia)"
_COPY = re.compile(
    rf"^(?:{_WORD} (?:\(\d+\) )?(?:of|von|de|di|van) )(?P<a>.+)$"
    rf"|^(?P<b>.+?)(?:[ _-]*\(\d+\)|[ _-]+[-\u2013]?[ _-]*\(?{_WORD}\)?(?:[ _-]?\(?\d+\)?)?)(?P<end>(?:\.\w+)+)$",
    re.IGNORECASE,
)


def repeated(inspection: Inspection, file_format: FileFormat) -> dict[str, str]:
    """Maps ``one = other`` to the reason, for each file that repeats another one."""
    same: dict[str, str] = {}
    copies: dict[str, str] = {}
    pairs: set[frozenset[str]] = set()
    first: dict[str, str] = {}
    names = {file.name.lower(): file.name for file in inspection.files}
    for file in inspection.files:
        content = inspection.contents[file.name]
        if file.schema == Schema(()) or not content.size or not file_format.has_rows(file, content):
            continue
        other = first.setdefault(file_format.content_digest(content), file.name)
        if other != file.name:
            pairs.add(frozenset((other, file.name)))
            same[f"{other} = {file.name}"] = "the two files have the same content; remove one" + _UNLESS
        if (original := names.get(_original(file.name).lower())) and original != file.name:
            copies[f"{original} = {file.name}"] = "by its name one is a copy of the other; remove one" + _UNLESS
    return same | {pair: why for pair, why in copies.items() if frozenset(pair.split(" = ", 1)) not in pairs}


_UNLESS = ", or set source.duplicate_files: warn if both are to be read"


def _original(name: str) -> str:
    folder, slash, last = name.rpartition("/")
    match = _COPY.match(last)
    if match is None:
        return ""
    return folder + slash + (match["a"] or match["b"] + match["end"])
