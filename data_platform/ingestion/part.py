"""Reads the files of a delivery one by one: the content and columns of each, or why it cannot be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.ingestion.content import Content, FileContent, read_content
from data_platform.ingestion.cut_off import cut_off
from data_platform.ingestion.delivery_file import DeliveryFile, csv_format
from data_platform.ingestion.encoding import looks_like_utf8
from data_platform.ingestion.landing import shown
from data_platform.ingestion.packing import Budget, Member
from data_platform.ingestion.probe import place_and_reason, probe_file
from data_platform.ingestion.trailer import Promise, last_record, looks_like_trailer, read_promise
from data_platform.model.source import SourceFormat
from data_platform.model.text_form import codec_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.ingestion.delimited import CsvFormat
    from data_platform.ingestion.manifest import Manifest
    from data_platform.model.schema import Schema
    from data_platform.model.source import Source

_TRAILER_WORDS = {
    "NO_TRAILER": "the last record is not the trailer that source.trailer declares; the file may be cut off, ask for "
    "it again",
    "TRAILER_INVALID": "source.trailer says where count and totals stand in the trailer, and no number such as 3 or "
    "-60.00 is there",
    "TRAILER_RECORD": "looks like a trailer record, and not like a row; declare it with source.trailer (prefix, count, "
    "totals), or say source.trailer: none if it is a row",
}

_NO_RECORD = (
    "no record: the file is empty, as one is that was cut off; a day without rows is promised by a manifest with "
    "record_count 0. Ask for it again."
)


@dataclass
class Parts:
    """``digests`` are digests of the files on disk; ``contents`` has the unpacked contents, by names of ``files``."""

    files: list[DeliveryFile] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)
    doubtful: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    contents: dict[str, Content] = field(default_factory=dict)


def read_parts(
    folder: Path, root: str, names: Sequence[str], source: Source, manifest: Manifest | None, declared: Schema
) -> Parts:
    """Reads all files. Raises: SourceUnavailableError, OSError, if a file changes or disappears while it is read."""
    parts, budget = Parts(), Budget(source.unpack)
    found: list[tuple[str, FileContent, str, Member, Content]] = []
    for name in names:
        path = str((folder / name).resolve())
        try:
            whole = read_content(path, root, name, source, budget)
        except SourceError as error:
            parts.unreadable[shown(name)] = place_and_reason(error, name)[1]
            parts.digests[name] = _raw_digest(path, root)
            continue
        parts.digests[name] = whole.sha256
        found += [(name, whole, part, member, content) for part, (member, content) in whole.parts.items()]
    counts = _counts(manifest, source)
    some = any(not content.is_blank for *_, content in found) or bool(parts.unreadable)
    for name, whole, part, member, content in found:
        if content.is_blank and some:
            parts.empty.append(part)
            continue
        if content.is_blank and source.format is SourceFormat.JSONL and counts.get(name) != 0:
            parts.unreadable[shown(part)] = _NO_RECORD
            continue
        try:
            file = _file(part, root, source, manifest, declared, whole, member, counts.get(name))
        except SourceError as error:
            parts.unreadable[shown(part)] = place_and_reason(error, part)[1]
            continue
        parts.contents[part] = content
        if source.format is SourceFormat.CSV and (doubt := _encoding_doubt(content, csv_format(source, manifest))):
            parts.doubtful[part] = doubt
        parts.files.append(_with_promise(file, content, source, manifest, parts))
    return parts


def _file(
    name: str,
    root: str,
    source: Source,
    manifest: Manifest | None,
    declared: Schema,
    whole: FileContent,
    member: Member,
    record_count: int | None,
) -> DeliveryFile:
    if manifest and not manifest.header and source.format is SourceFormat.CSV:
        raise SourceError(f"{name}: no header: the manifest says so; columns are bound by name. Ask for it with one.")
    file = DeliveryFile(
        name=name,
        path=member.path,
        bytes=whole.seen[0],
        record_count=record_count if len(whole.parts) == 1 else None,
        schema=declared,
        renamed={},
        packing=member.packing,
        member=member.name,
        root=root,
        seen=whole.seen,
    )
    return probe_file(file, source.format, csv_format(source, manifest), declared)


def _with_promise(
    file: DeliveryFile, content: Content, source: Source, manifest: Manifest | None, parts: Parts
) -> DeliveryFile:
    from dataclasses import replace

    if source.format is SourceFormat.PARQUET:
        return file
    fmt = csv_format(source, manifest)
    if source.format is SourceFormat.JSONL or source.trailer == "none":
        return _unless_cut(file, content, fmt, source, parts)
    last = last_record(content, fmt)
    if (trailer := source.declared_trailer) is None:
        if looks_like_trailer(last, len(file.schema.names)) and last:
            sentence = f"{file.name}: line {last.line} {_TRAILER_WORDS['TRAILER_RECORD']}"
            parts.problems[f"TRAILER_RECORD:{shown(file.name)}:{last.line}"] = sentence
            return file
        return _unless_cut(file, content, fmt, source, parts)
    promise: Promise = read_promise(last, trailer)
    if promise.problem:
        parts.problems[f"{promise.problem}:{shown(file.name)}"] = f"{file.name}: {_TRAILER_WORDS[promise.problem]}"
    return replace(file, promise=promise)


def _encoding_doubt(content: Content, fmt: CsvFormat) -> str:
    """Warns of UTF-8 read in a single-byte encoding: all bytes are valid there, so wrong letters raise no error."""
    codec = codec_of(fmt.encoding)
    if not codec.startswith(("cp", "iso8859", "mac")) or not looks_like_utf8(content.tail):
        return ""
    return (
        f"its letters are written as in UTF-8, and read as {fmt.encoding}; look at them, and declare utf-8 if it is so"
    )


def _unless_cut(file: DeliveryFile, content: Content, fmt: CsvFormat, source: Source, parts: Parts) -> DeliveryFile:
    if reason := cut_off(content, source.format, fmt, len(file.schema.names)):
        parts.problems[f"CUT_OFF:{shown(file.name)}"] = f"{file.name}: {reason}"
    return file


def _raw_digest(path: str, root: str) -> str:
    from data_platform.ingestion.content import measure
    from data_platform.ingestion.landing import open_inside

    with open_inside(path, root) as raw:
        return measure(iter(lambda: raw.read(1 << 20), b"")).sha256


def _counts(manifest: Manifest | None, source: Source) -> dict[str, int | None]:
    if manifest is None or source.manifest is None:
        return {}
    parent = PurePosixPath(source.manifest).parent
    return {(parent / entry.file).as_posix(): entry.record_count for entry in manifest.files}
