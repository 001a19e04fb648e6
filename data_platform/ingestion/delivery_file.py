"""Describes a delivery and its files; ``delivery`` finds them, ``reader`` reads their rows."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from data_platform.errors import SourceError
from data_platform.ingestion.content import FileState, state_of
from data_platform.ingestion.landing.folder import open_inside, shown
from data_platform.ingestion.packing import Member, unpacked
from data_platform.ingestion.reader import read_rows
from data_platform.model.packing import Packing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from data_platform.ingestion.formats.protocol import FileFormat, TrailerTotals
    from data_platform.ingestion.manifest.document import Manifest
    from data_platform.model.schema import Schema


@dataclass(frozen=True, kw_only=True)
class DeliveryFile:
    """One readable file; ``name`` is relative to the delivery's folder, ``record_count`` comes from the manifest.

    Columns of text files are nullable STRINGs under their Delta names; ``renamed`` maps a Delta name to the name in the
    file. ``untyped`` Parquet columns hold only NULLs without a type, and get the declared type. ``member`` is the entry
    of a zip, ``root`` the folder that must contain ``path``, and ``state`` the state in which the file was examined.
    """

    name: str
    path: str
    bytes: int
    record_count: int | None
    schema: Schema
    renamed: dict[str, str]
    untyped: frozenset[str] = frozenset()
    as_text: frozenset[str] = frozenset()
    packing: Packing = Packing.NONE
    member: str = ""
    root: str = ""
    state: FileState = ()
    trailer: TrailerTotals | None = None

    def open(self) -> BinaryIO:
        """Opens the unpacked text.

        Raises:
            SourceError: The file has changed since it was examined, or cannot be unpacked.
            OSError: The file does not exist, or cannot be opened.
        """
        raw = open_inside(self.path, self.root)
        if self.state and state_of(raw) != self.state:
            raw.close()
            raise SourceError(f"{self.name}: the file changed after it was examined. Run again.")
        member = Member(path=self.path, packing=self.packing, name=self.member)
        return cast("BinaryIO", unpacked(raw, member, self.name))


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """``files`` are the readable files by name; ``unreadable`` maps the other files to the reason.

    ``problems`` are failure signatures, and ``details`` has a message for each; ``warnings`` maps a signature that
    blocks nothing to its message. ``skipped`` maps ignored files to the reason. ``id`` is 16 hexadecimal digits, hashed
    from names and contents of all files and of the manifest: the same delivery has the same id in any folder.
    """

    folder: str
    format: FileFormat
    files: tuple[DeliveryFile, ...]
    manifest: Manifest | None
    id: str
    problems: tuple[str, ...] = ()
    unreadable: dict[str, str] = field(default_factory=dict)
    details: tuple[str, ...] = ()
    warnings: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[DeliveryFile, ...]:
        return self.files

    @property
    def is_typed(self) -> bool:
        return self.format.kind.traits.is_typed

    @property
    def producer(self) -> str | None:
        """The producer that the manifest names."""
        return self.manifest.producer if self.manifest else None

    @property
    def facts(self) -> dict[str, Any]:
        return {}

    def read(self, spark: SparkSession, columns: Schema) -> DataFrame:
        return read_rows(spark, self, columns)

    def failure(self, error: Exception) -> Exception | None:
        """None: ``missing_parts`` and ``damaged_parts`` look at the files themselves."""
        del error
        return None

    def close(self) -> None:
        """Nothing: files stay where they are."""

    def missing_parts(self) -> tuple[str, ...]:
        """The readable files that do not exist any more, as they may be shown."""
        return tuple(shown(file.name) for file in self.files if not os.path.exists(file.path))

    def damaged_parts(self) -> dict[str, str]:
        """The files whose rows cannot be read though their columns could, each with the reason. It reads them all."""
        found = {shown(file.name): self.format.damage(file) for file in self.files}
        return {name: reason for name, reason in found.items() if reason}

    @property
    def record_count(self) -> int | None:
        """The record count of all files: from the manifest, or else the sum of the counts of all trailers."""
        if self.manifest and self.manifest.record_count is not None:
            return self.manifest.record_count
        counts = [file.trailer.count if file.trailer else None for file in self.files]
        return sum(count or 0 for count in counts) if counts and None not in counts else None

    @property
    def file_counts(self) -> dict[str, int]:
        """The record count of each file whose own trailer contains one."""
        return {f.name: f.trailer.count for f in self.files if f.trailer and f.trailer.count is not None}

    @property
    def control_totals(self) -> dict[str, str]:
        """The control totals of the manifest; for other columns the sums of the trailers' totals."""
        totals = {name: str(total) for name, total in sum_trailers(self.files).items()}
        return {**totals, **(self.manifest.control_totals if self.manifest else {})}


def sum_trailers(files: Iterable[DeliveryFile]) -> dict[str, Decimal]:
    """The sum of the totals in the trailers of all files, by column."""
    sums: dict[str, Decimal] = {}
    for file in files:
        for name, total in file.trailer.totals.items() if file.trailer else ():
            sums[name] = sums.get(name, Decimal(0)) + total
    return sums


def differing_totals(in_manifest: Mapping[str, str], in_trailers: Mapping[str, Decimal]) -> list[str]:
    """Columns whose control total in the manifest differs from the sum of the trailers' totals."""
    sums = {name.lower(): total for name, total in in_trailers.items()}
    differing = []
    for name, text in in_manifest.items():
        try:
            differs = name.lower() in sums and Decimal(text) != sums[name.lower()]
        except InvalidOperation:
            differs = True
        if differs:
            differing.append(name)
    return differing


def delivery_id(digests: Mapping[str, str]) -> str:
    """Computes the id from file names, relative to the delivery's folder, and hexadecimal SHA-256 digests."""
    whole = hashlib.sha256()
    for name, digest in sorted(digests.items()):
        whole.update(f"{name}\0{digest}\n".encode(errors="surrogateescape"))
    return whole.hexdigest()[:16]
