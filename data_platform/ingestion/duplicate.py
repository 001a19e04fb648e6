"""Finds the same rows twice in one delivery: the same content under two names, or a copy beside its original.

Files are compared unpacked, so that ``orders.csv`` equals ``orders.csv.gz``; texts also without regard to line ends and
byte-order mark. Files without rows may be equal: parallel exports write many that have only the line of column names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from data_platform.model.schema import Schema

if TYPE_CHECKING:
    from data_platform.ingestion.delivery_file import DeliveryFile
    from data_platform.ingestion.part import Parts

_WORD = "(?:copy|kopie|copie|copia|kopia|cópia)"
_COPY = re.compile(
    rf"^(?:{_WORD} (?:\(\d+\) )?(?:of|von|de|di|van) )(?P<a>.+)$"
    rf"|^(?P<b>.+?)(?:[ _-]*\(\d+\)|[ _-]+[-\u2013]?[ _-]*\(?{_WORD}\)?(?:[ _-]?\(?\d+\)?)?)(?P<end>(?:\.\w+)+)$",
    re.IGNORECASE,
)


def repeated(parts: Parts) -> dict[str, str]:
    """Maps ``one = other`` to the reason, for each file that repeats another one."""
    found: dict[str, str] = {}
    copies: dict[str, str] = {}
    same: set[frozenset[str]] = set()
    first: dict[str, str] = {}
    names = {file.name.lower(): file.name for file in parts.files}
    for file in parts.files:
        content = parts.contents[file.name]
        if not _has_rows(file, parts):
            continue
        other = first.setdefault(content.sha256 if _is_parquet(file) else content.text_digest, file.name)
        if other != file.name:
            same.add(frozenset((other, file.name)))
            found[f"{other} = {file.name}"] = "the two files have the same content; remove one" + _UNLESS
        if (original := names.get(_original(file.name).lower())) and original != file.name:
            copies[f"{original} = {file.name}"] = "by its name one is a copy of the other; remove one" + _UNLESS
    return found | {pair: why for pair, why in copies.items() if frozenset(pair.split(" = ", 1)) not in same}


_UNLESS = ", or set source.duplicate_files: warn if both are to be read"


def _original(name: str) -> str:
    folder, slash, last = name.rpartition("/")
    match = _COPY.match(last)
    if match is None:
        return ""
    return folder + slash + (match["a"] or match["b"] + match["end"])


def _is_parquet(file: DeliveryFile) -> bool:
    return file.name.lower().endswith(".parquet")


def _has_rows(file: DeliveryFile, parts: Parts) -> bool:
    if file.schema == Schema(()) or not parts.contents[file.name].size:
        return False
    if _is_parquet(file):
        import pyarrow.parquet as pq  # type: ignore[import-untyped]

        return bool(pq.read_metadata(file.path).num_rows)
    content = parts.contents[file.name]
    return not content.has_one_line or bool(content.head.lstrip(b"\xef\xbb\xbf \t")[:1] == b"{")
