"""A delivery and its files, as they were found; ``delivery`` finds them, ``reader`` reads their rows."""

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
    """One readable file; ``name`` is relative to the delivery's folder, ``record_count`` is what the manifest says.

    Columns of text are nullable STRINGs, under the names that they have in Delta; ``renamed`` leads from such a name
    to the one in the file. ``untyped`` Parquet columns hold only NULLs of no type, and have taken the declared type.
    ``member`` is the entry of a zip, ``root`` the folder that ``path`` must not lead out of, and ``promise`` what the
    file's own trailer says.
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
        """Its text, unpacked.

        Raises:
            SourceError: It is another file by now, or cannot be unpacked.
            OSError: It is not there, or not ours to read.
        """
        raw = open_inside(self.path, self.root)
        if self.seen and seen_of(raw) != self.seen:
            raw.close()
            raise SourceError(f"{self.name}: the file was changed after it was looked at. Run again.")
        member = Member(path=self.path, packing=self.packing, name=self.member)
        return cast("BinaryIO", unpacked(raw, member, self.name))


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """``files`` are the readable ones by name; ``unreadable`` leads from the other files to the reason.

    ``problems`` are failure signatures, and ``details`` has a sentence for each; ``warnings`` lead from a signature
    that holds nothing to its sentence. ``passed`` leads from files that were passed over to the reason. ``id`` is 16
    hexadecimal digits over names and contents of all files and of the manifest: the same delivery has the same id
    wherever it lies.
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
        """Of all files, as the manifest or else every trailer says."""
        if self.manifest and self.manifest.record_count is not None:
            return self.manifest.record_count
        counts = [file.promise.count if file.promise else None for file in self.files]
        return sum(count or 0 for count in counts) if counts and None not in counts else None

    @property
    def file_counts(self) -> dict[str, int]:
        """Of each file of which its own trailer says how many records it has."""
        return {f.name: f.promise.count for f in self.files if f.promise and f.promise.count is not None}

    @property
    def control_totals(self) -> dict[str, str]:
        """What the manifest says; of other columns the sums of what the trailers say."""
        said = {name: str(total) for name, total in trailer_totals(self.files).items()}
        return {**said, **(self.manifest.control_totals if self.manifest else {})}


def trailer_totals(files: Iterable[DeliveryFile]) -> dict[str, Decimal]:
    """What the trailers of all files say together, by column."""
    found: dict[str, Decimal] = {}
    for file in files:
        for name, total in file.promise.totals.items() if file.promise else ():
            found[name] = found.get(name, Decimal(0)) + total
    return found


def csv_format(source: Source, manifest: Manifest | None) -> CsvFormat:
    """How the files are written; what the manifest names wins over ``source``, what it leaves out does not."""
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
    """Of files' names, from the delivery's folder on, and the SHA-256 of their contents, in hexadecimal digits."""
    whole = hashlib.sha256()
    for name, digest in sorted(digests.items()):
        whole.update(f"{name}\0{digest}\n".encode(errors="surrogateescape"))
    return whole.hexdigest()[:16]
