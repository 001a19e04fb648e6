"""Determines the columns of a file from its smallest sufficient part: a header, a footer, or the first lines.

``reader`` reads the values.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.ingestion.delimited import CsvFormat, delta_name, name_problems, read_header
from data_platform.ingestion.encoding import decoded_lines
from data_platform.ingestion.header_doubt import LOOKED_AT, as_declared, doubt, look_alike, plain
from data_platform.ingestion.jsonlines import read_json_records
from data_platform.ingestion.landing import shown
from data_platform.ingestion.parquet import read_parquet_columns
from data_platform.model.personal import is_like_data
from data_platform.model.schema import Column, Schema
from data_platform.model.source import SourceFormat

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.ingestion.delivery_file import DeliveryFile

PROBED_LINES = 1_000
"""JSON lines has no header: a later line is malformed if it has a name that is neither declared nor in these lines."""

RESERVED = ("_file", "_line", "_raw", "_malformed")
"""Columns that the reader adds to every row; a delivery cannot have columns of these names."""


@dataclass(frozen=True)
class Probe:
    """``renamed`` maps the Delta name to the name in the file.

    ``untyped`` are the Parquet columns that hold only NULLs without a type; they get the declared type.
    """

    schema: Schema
    renamed: dict[str, str] = field(default_factory=dict)
    untyped: frozenset[str] = frozenset()


def probe_file(file: DeliveryFile, kind: SourceFormat, fmt: CsvFormat, declared: Schema) -> DeliveryFile:
    """``file`` with its columns.

    Raises:
        SourceError: The file cannot be read as ``kind``, or its columns cannot form one table.
        OSError: The file does not exist, or cannot be opened.
    """
    if kind is SourceFormat.PARQUET:
        found = probe(Path(file.path), file.name, kind, fmt, declared)
    else:
        with file.open() as source:
            found = _text(source, file.name, kind, fmt, declared)
    return replace(file, schema=found.schema, renamed=found.renamed, untyped=found.untyped)


def probe(path: Path, name: str, kind: SourceFormat, fmt: CsvFormat, declared: Schema) -> Probe:
    """The columns of the file at ``path``; messages call it ``name``.

    Raises:
        SourceError: The file cannot be read as ``kind``, or its columns cannot form one table.
        OSError: The file does not exist, or cannot be opened.
    """
    if kind is not SourceFormat.PARQUET:
        with path.open("rb") as source:
            return _text(source, name, kind, fmt, declared)
    return _without_reserved(_parquet(path, name, declared), name)


def _text(source: IO[bytes], name: str, kind: SourceFormat, fmt: CsvFormat, declared: Schema) -> Probe:
    found = _csv(source, name, fmt, declared) if kind is SourceFormat.CSV else _jsonl(source, name, declared)
    return _without_reserved(found, name)


def _without_reserved(found: Probe, name: str) -> Probe:
    if taken := [column for column in found.schema.names if column.lower() in RESERVED]:
        raise SourceError(f"{name}: reserved column {', '.join(taken)}: the platform adds its own. Have it renamed.")
    return found


def place_and_reason(error: SourceError, name: str) -> tuple[int | None, str]:
    """The line, if the message names one, and the message without file, line and the word header."""
    match = re.match(r"(?::(\d+))?: (?:header: )?", rest := str(error).removeprefix(name))
    if match is None:
        return None, rest.removeprefix("/")  # the name of a zip entry
    return (int(match[1]) if match[1] else None), rest[match.end() :]


def _csv(source: IO[bytes], name: str, fmt: CsvFormat, declared: Schema) -> Probe:
    try:
        header = read_header(source, name, fmt)
    except SourceError as error:
        if found := _doubt(source, name, fmt, declared):
            raise SourceError(f"{name}:1: {found}") from None
        raise error
    names = as_declared(header.names, declared.names)
    if alike := look_alike(names, _shown_alike):
        raise SourceError(f"{name}: {alike}")
    known = {column.lower() for column in names}
    if any(column.lower() not in known for column in declared.names) and (found := _doubt(source, name, fmt, declared)):
        raise SourceError(f"{name}:1: {found}")
    renamed = {new: old for new, old in zip(names, header.original, strict=True) if new != old}
    return Probe(Schema.of(Column(name=column) for column in names), renamed)


def _shown_alike(name: str) -> str:
    return "a name" if is_like_data(plain(name)) else shown(name)


def _doubt(source: IO[bytes], name: str, fmt: CsvFormat, declared: Schema) -> str:
    """Why the first line is perhaps not the header, judged from the first lines."""
    source.seek(0)
    lines: list[str] = []
    with suppress(SourceError):
        lines.extend(islice(decoded_lines(source, name, fmt.encoding), LOOKED_AT))
    return doubt(lines, fmt, declared.names)


def _jsonl(source: IO[bytes], name: str, declared: Schema) -> Probe:
    """All declared columns, since any line may omit any of them, and the other columns of the first lines."""
    found = _JsonNames(declared)
    try:
        for record in read_json_records(source, name):
            if not found.started and record.malformed and (reason := _one_json(record.raw)):
                raise SourceError(f"{name}: {reason}; expected one JSON object a line. Ask for JSON lines.")
            if record.line > PROBED_LINES:
                break
            found.add(record.values)
    except SourceError:
        if not found.started:  # otherwise the reader reads the good lines and reports the bad one
            raise
    if found.is_all_strange:
        raise SourceError(f"{name}: none of the declared columns is in its first lines. Ask for it with these.")
    names = [*declared.names, *map(delta_name, found.extra.values())]
    renamed = {delta_name(original): original for original in found.extra.values() if delta_name(original) != original}
    return Probe(Schema.of(Column(name=column) for column in names), renamed)


class _JsonNames:
    """Collects undeclared names: ``extra`` has those of objects that also have a declared name.

    An object without a declared name, such as a trailer, adds no column to the table.
    """

    def __init__(self, declared: Schema) -> None:
        self._known = {form for column in declared.names for form in (column.lower(), plain(column))}
        self.extra: dict[str, str] = {}
        self.started = self._matched = self._strange = False

    @property
    def is_all_strange(self) -> bool:
        return self._strange and not self._matched

    def add(self, names: Iterable[str]) -> None:
        keys = {delta_name(original).lower(): original for original in names}
        new = {key: one for key, one in keys.items() if key not in self._known and plain(one) not in self._known}
        self.started = True
        if self._known and keys and len(new) == len(keys):
            self._strange = True
            return
        self._matched = True
        for key, original in new.items():
            if original.strip() and original.isprintable():
                self.extra.setdefault(key, original)


def _one_json(first: str) -> str:
    """Why the first line shows that the file is not JSON lines but pretty-printed JSON or one list; else empty."""
    if first.lstrip().startswith("["):
        return "it is one JSON list"
    return "its objects stand on several lines each" if first.strip() == "{" else ""


def _parquet(path: Path, name: str, declared: Schema) -> Probe:
    if path.name.startswith(("_", ".")):
        raise SourceError(f"{name}: Spark skips Parquet files whose name begins with _ or a dot. Have it renamed.")
    found = read_parquet_columns(path, name)
    if problems := list(name_problems(column.name for column in found)):
        raise SourceError(f"{name}: {'; '.join(problems)}. Have the sender give each column one name.")
    columns, renamed = [], {}
    names = as_declared([delta_name(column.name) for column in found], declared.names)
    if alike := look_alike(names, _shown_alike):
        raise SourceError(f"{name}: {alike}")
    for column, new in zip(found, names, strict=True):
        if new != column.name:
            renamed[new] = column.name
        kind = column.type or _declared_type(declared.columns, new)
        columns.append(Column(name=new, type=kind, nullable=column.nullable))
    untyped = frozenset(name for column, name in zip(found, names, strict=True) if column.type is None)
    return Probe(Schema.of(columns), renamed, untyped)


def _declared_type(declared: Iterable[Column], name: str) -> str:
    return next((column.type for column in declared if column.name.lower() == name.lower()), "string")
