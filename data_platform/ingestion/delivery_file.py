"""Describes a delivery and its files; ``delivery`` finds them, ``reader`` reads their rows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, BinaryIO, cast

from data_platform.errors import SourceError
from data_platform.ingestion.content import Seen, seen_of
from data_platform.ingestion.delimited import CsvFormat
from data_platform.ingestion.landing import open_inside
from data_platform.ingestion.packing import Member, Packing, unpacked
from data_platform.model.source import Source, SourceFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from data_platform.ingestion.manifest import Manifest
    from data_platform.ingestion.trailer import Promise
    from data_platform.model.schema import Schema


@dataclass(frozen=True, kw_only=True)
class DeliveryFile:
    """One readable file; ``name`` is relative to the delivery's folder, ``record_count`` comes from the manifest.

    Columns of text files are nullable STRINGs under their Delta names; ``renamed`` maps a Delta name to the name in the
    file. ``untyped`` Parquet columns hold only NULLs without a type, and get the declared type. ``member`` is the entry
    of a zip, ``root`` the folder that must contain ``path``, and ``promise`` the counts and totals of the file's
    trailer.
    """

    name: str
    path: str
    bytes: int
    record_count: int | None
    schema: Schema
    renamed: dict[str, str]
    untyped: frozenset[str] = frozenset()
    packing: Packing = Packing.NONE
    member: str = ""
    root: str = ""
    seen: Seen = ()
    promise: Promise | None = None

    def open(self) -> BinaryIO:
        """Opens the unpacked text.

        Raises:
            SourceError: The file has changed since it was examined, or cannot be unpacked.
            OSError: The file does not exist, or cannot be opened.
        """
        raw = open_inside(self.path, self.root)
        if self.seen and seen_of(raw) != self.seen:
            raw.close()
            raise SourceError(f"{self.name}: the file was changed after it was looked at. Run again.")
        member = Member(path=self.path, packing=self.packing, name=self.member)
        return cast("BinaryIO", unpacked(raw, member, self.name))


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """``files`` are the readable files by name; ``unreadable`` maps the other files to the reason.

    ``problems`` are failure signatures, and ``details`` has a message for each; ``warnings`` maps a signature that
    blocks nothing to its message. ``passed`` maps ignored files to the reason. ``id`` is 16 hexadecimal digits, hashed
    from names and contents of all files and of the manifest: the same delivery has the same id in any folder.
    """

    folder: str
    files: tuple[DeliveryFile, ...]
    manifest: Manifest | None
    id: str
    problems: tuple[str, ...] = ()
    unreadable: dict[str, str] = field(default_factory=dict)
    details: tuple[str, ...] = ()
    warnings: dict[str, str] = field(default_factory=dict)
    passed: dict[str, str] = field(default_factory=dict)
    format: SourceFormat = SourceFormat.CSV

    @property
    def record_count(self) -> int | None:
        """The record count of all files: from the manifest, or else the sum of the counts of all trailers."""
        if self.manifest and self.manifest.record_count is not None:
            return self.manifest.record_count
        counts = [file.promise.count if file.promise else None for file in self.files]
        return sum(count or 0 for count in counts) if counts and None not in counts else None

    @property
    def file_counts(self) -> dict[str, int]:
        """The record count of each file whose own trailer contains one."""
        return {f.name: f.promise.count for f in self.files if f.promise and f.promise.count is not None}

    @property
    def control_totals(self) -> dict[str, str]:
        """The control totals of the manifest; for other columns the sums of the trailers' totals."""
        said = {name: str(total) for name, total in trailer_totals(self.files).items()}
        return {**said, **(self.manifest.control_totals if self.manifest else {})}


def trailer_totals(files: Iterable[DeliveryFile]) -> dict[str, Decimal]:
    """The sum of the totals in the trailers of all files, by column."""
    found: dict[str, Decimal] = {}
    for file in files:
        for name, total in file.promise.totals.items() if file.promise else ():
            found[name] = found.get(name, Decimal(0)) + total
    return found


def csv_format(source: Source, manifest: Manifest | None) -> CsvFormat:
    """The format of the files; a setting in the manifest overrides the one in ``source``."""
    said = manifest.model_dump(include={"encoding", "delimiter"}, exclude_unset=True) if manifest else {}
    own = {
        "encoding": source.encoding,
        "delimiter": source.delimiter,
        "quote": source.quote,
        "header_prefix": source.header_record.prefix if source.header_record else "",
        "trailer_prefix": trailer.prefix if (trailer := source.declared_trailer) else "",
    }
    return CsvFormat(**{**own, **said})


def delivery_id(digests: Mapping[str, str]) -> str:
    """Computes the id from file names, relative to the delivery's folder, and hexadecimal SHA-256 digests."""
    whole = hashlib.sha256()
    for name, digest in sorted(digests.items()):
        whole.update(f"{name}\0{digest}\n".encode(errors="surrogateescape"))
    return whole.hexdigest()[:16]
