"""What has arrived for a dataset: the files, what their sender says of them, and which columns they have.

Nothing here raises for a bad delivery. What is missing or not as the manifest says is in ``problems``, for
G1_RESOLUTION; a file whose columns cannot be known is in ``unreadable``, for G3_SCHEMA. Rows are ``reader``'s work.

The landing zone is a folder. A remote one comes through the path where it is mounted, for now.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from data_platform.errors import SourceError, SourceUnavailableError, UsageError
from data_platform.ingestion.delimited import CsvFormat
from data_platform.ingestion.manifest import Manifest, incomplete, read_manifest
from data_platform.ingestion.probe import place_and_reason, probe
from data_platform.model.schema import Column, Schema, is_widening
from data_platform.model.source import Source, SourceFormat

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

_UNFINISHED = (".tmp", ".temp", ".part", ".partial", ".filepart", ".crdownload", ".swp", ".inprogress", ".writing", "~")
_WORDS = {
    "NO_DELIVERY": "the folder is not there; the delivery may still be on its way",
    "NO_FILES": "no file of this name is in the delivery's folder; it may still be on its way",
    "NO_MANIFEST": "no such manifest; the delivery may still be on its way",
    "MANIFEST_MISSING": "the manifest names this file, and it is not there; it may still be on its way",
    "MANIFEST_SIZE": "the file has not the size that the manifest says; ask the sender for it again",
    "MANIFEST_CHECKSUM": "the file is not the one that the manifest was written for; ask the sender for it again",
}


@dataclass(frozen=True, kw_only=True)
class DeliveryFile:
    """One readable file; ``name`` is relative to the delivery's folder, ``record_count`` is what the manifest says.

    Columns of text are nullable STRINGs, under the names that they have in Delta; ``renamed`` leads from such a name
    to the one in the file. ``untyped`` Parquet columns hold only NULLs of no type, and have taken the declared type.
    """

    name: str
    path: str
    bytes: int
    record_count: int | None
    schema: Schema
    renamed: dict[str, str]
    untyped: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """``files`` are the readable ones by name; ``unreadable`` leads from the other files to the reason.

    ``problems`` are failure signatures, and ``details`` has a sentence for each. ``id`` is 16 hexadecimal digits
    over names and contents of all files and of the manifest: the same delivery has the same id wherever it lies.
    """

    folder: str
    files: tuple[DeliveryFile, ...]
    manifest: Manifest | None
    id: str
    problems: tuple[str, ...] = ()
    unreadable: dict[str, str] = field(default_factory=dict)
    details: tuple[str, ...] = ()
    format: SourceFormat = SourceFormat.CSV


def find_delivery(landing: Path, source: Source, partition: date | None, declared: Schema) -> Delivery:
    """The delivery of ``partition`` below ``landing``; with a manifest, exactly the files that it names.

    Raises:
        UsageError: The path of ``source`` names a partition, and none was given.
        SourceUnavailableError: A file went away, or could not be opened, while it was looked at.
    """
    source = _of_day(source, partition)
    folder = landing / source.path
    try:
        return _look(folder, source, declared)
    except OSError as error:
        raise SourceUnavailableError(
            f"a file of the delivery in {folder.name} cannot be read ({type(error).__name__}); expected files that "
            "stay while they are read. Look at their permissions, and run again."
        ) from None


def bronze_schema(delivery: Delivery, declared: Schema) -> Schema:
    """The columns of bronze: the declared ones in their order, then those that only the delivery has. All are nullable.

    Text stays STRING. A Parquet column is of its declared type if every value of every file fits into it; else of the
    widest type of the files; else, if no file's type holds the values of all others, STRING.
    """
    found: dict[str, list[Column]] = {}
    for file in delivery.files:
        for column in file.schema.columns:
            if column.name not in file.untyped:
                found.setdefault(column.name.lower(), []).append(column)
    columns = []
    for column in declared.columns:
        kinds = [one.type for one in found.pop(column.name.lower(), [])]
        kind = "string" if delivery.format is not SourceFormat.PARQUET else _common_type(column.type, kinds)
        columns.append(Column(name=column.name, type=kind))
    for extra in found.values():
        columns.append(Column(name=extra[0].name, type=_common_type(extra[0].type, [one.type for one in extra])))
    return Schema.of(columns)


def promised_files(manifest: Manifest, name: str) -> list[str]:
    """Names from the delivery's folder on; in the manifest, which is called ``name``, they are from where it lies.

    Raises:
        SourceError: A file is named twice.
    """
    names = sorted((PurePosixPath(name).parent / entry.file).as_posix() for entry in manifest.files)
    if len(set(names)) < len(names):
        raise SourceError(f"{name}: a file is named twice; expected each once. Ask the sender for a right manifest.")
    return names


def is_unfinished(name: str) -> bool:
    """What tools write before they rename, or leave behind."""
    return name.startswith((".", "_")) or name.lower().endswith(_UNFINISHED)


def csv_format(source: Source, manifest: Manifest | None) -> CsvFormat:
    """How the files are written; what the manifest names wins over ``source``, what it leaves out does not."""
    said = manifest.model_dump(include={"encoding", "delimiter"}, exclude_unset=True) if manifest else {}
    return CsvFormat(**{"encoding": source.encoding, "delimiter": source.delimiter, "quote": source.quote, **said})


def _common_type(preferred: str, found: Sequence[str]) -> str:
    for kind in (preferred, *found):
        if all(other == kind or is_widening(other, kind) for other in found):
            return kind
    return "string"


def _of_day(source: Source, partition: date | None) -> Source:
    if partition is None and source.names_day:
        raise UsageError(f"source.path {source.path!r} is of one day: say of which partition")
    return source.on(partition)


def _look(folder: Path, source: Source, declared: Schema) -> Delivery:
    if not folder.is_dir():
        return _nothing(folder, source, f"NO_DELIVERY:{folder.name}")
    if not source.manifest:
        names = _listed(folder, source.glob)
        if not names:
            return _nothing(folder, source, f"NO_FILES:{source.glob}")
        return _probed(folder, source, declared, names)
    path = folder / source.manifest
    try:
        manifest = read_manifest(path)
        names = promised_files(manifest, source.manifest)
    except SourceUnavailableError:
        return _nothing(folder, source, f"NO_MANIFEST:{source.manifest}")
    except SourceError as error:
        return _nothing(folder, source, f"MANIFEST_INVALID:{source.manifest}", str(error))
    there = [name for name in names if (folder / name).is_file()]
    return _probed(folder, source, declared, there, manifest, incomplete(manifest, path.parent))


def _nothing(folder: Path, source: Source, problem: str, detail: str = "") -> Delivery:
    return Delivery(
        folder=str(folder),
        files=(),
        manifest=None,
        id=_identity(folder, []),
        problems=(problem,),
        details=(detail or _detail(problem),),
        format=source.format,
    )


def _probed(
    folder: Path,
    source: Source,
    declared: Schema,
    names: Sequence[str],
    manifest: Manifest | None = None,
    problems: Sequence[str] = (),
) -> Delivery:
    files, unreadable = [], {}
    counts = _counts(manifest, source)
    for name in names:
        try:
            files.append(_file(folder, name, source, manifest, declared, counts.get(name)))
        except SourceError as error:
            unreadable[name] = place_and_reason(error, name)[1]
    return Delivery(
        folder=str(folder),
        files=tuple(files),
        manifest=manifest,
        id=_identity(folder, [*names, *filter(None, [source.manifest])]),
        problems=tuple(problems),
        unreadable=unreadable,
        details=tuple(map(_detail, problems)),
        format=source.format,
    )


def _listed(folder: Path, glob: str) -> list[str]:
    found = (path for path in folder.glob(glob) if path.is_file() and not is_unfinished(path.name))
    return sorted({path.relative_to(folder).as_posix() for path in found})


def _file(
    folder: Path, name: str, source: Source, manifest: Manifest | None, declared: Schema, record_count: int | None
) -> DeliveryFile:
    if manifest and not manifest.header and source.format is SourceFormat.CSV:
        raise SourceError(f"{name}: no header: the manifest says so; columns are bound by name. Ask for it with one.")
    path = (folder / name).absolute()
    found = probe(path, name, source.format, csv_format(source, manifest), declared)
    return DeliveryFile(
        name=name,
        path=str(path),
        bytes=path.stat().st_size,
        record_count=record_count,
        schema=found.schema,
        renamed=found.renamed,
        untyped=found.untyped,
    )


def _counts(manifest: Manifest | None, source: Source) -> dict[str, int | None]:
    if manifest is None or source.manifest is None:
        return {}
    parent = PurePosixPath(source.manifest).parent
    return {(parent / entry.file).as_posix(): entry.record_count for entry in manifest.files}


def _identity(folder: Path, names: Sequence[str]) -> str:
    digests = {}
    for name in names:
        with (folder / name).open("rb") as content:
            digests[name] = hashlib.file_digest(content, "sha256").hexdigest()
    return delivery_id(digests)


def delivery_id(digests: Mapping[str, str]) -> str:
    """Of files' names, from the delivery's folder on, and the SHA-256 of their contents, in hexadecimal digits."""
    whole = hashlib.sha256()
    for name, digest in sorted(digests.items()):
        whole.update(f"{name}\0{digest}\n".encode())
    return whole.hexdigest()[:16]


def _detail(problem: str) -> str:
    kind, what = problem.split(":", 1)
    return f"{what}: {_WORDS[kind]}"
