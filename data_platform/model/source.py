"""Where a dataset's deliveries land and how their files are written: the ``source`` of ``dataset.yaml``."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from data_platform.model.closed import Closed
from data_platform.model.day_pattern import check_day_pattern, has_day, with_day
from data_platform.model.record_layout import HeaderRecord, Trailer
from data_platform.model.text_form import check_encoding, check_separator

if TYPE_CHECKING:
    from datetime import date


class SourceFormat(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"


def _below(text: str) -> str:
    if text.startswith("/") or ".." in text.split("/"):
        raise ValueError("it lies below the landing root and its delivery's folder: neither absolute nor with ..")
    return check_day_pattern(text)


Below = Annotated[str, AfterValidator(_below)]
"""A path or a shell pattern of one, with ``{partition}`` or ``{partition:%Y%m%d}`` where the day stands."""


Encoding = Annotated[str, AfterValidator(check_encoding)]
Separator = Annotated[str, Field(min_length=1, max_length=1), AfterValidator(check_separator)]


class Arrival(Closed):
    """Where deliveries are, and how one tells that they are whole. ``path`` is a folder below the landing root.

    ``marker`` is the file that is written last, such as ``_SUCCESS``, ``*.done`` or the manifest itself; it and the
    manifest are named from ``path`` on. With a ``manifest`` (JSON) the files are those that it names, and each is
    checked against it.
    """

    path: Below = Field(min_length=1)
    files: Below = ""
    manifest: Below | None = None
    marker: Below | None = None

    @property
    def glob(self) -> str:
        """Which files are data; all, if it is empty."""
        return self.files

    @property
    def names_day(self) -> bool:
        return any(has_day(text) for text in self._texts().values() if text)

    @property
    def is_of_day(self) -> bool:
        """Whether the files of one day can be told from those of another."""
        return has_day(self.path) or has_day(self.manifest or self.files)

    def on(self, day: date | None) -> Self:
        """With the day in its names."""
        if day is None or not self.names_day:
            return self
        named = {name: text and with_day(text, day) for name, text in self._texts().items()}
        return self.model_copy(update=named)

    def _texts(self) -> dict[str, str | None]:
        return {"path": self.path, "files": self.files, "manifest": self.manifest, "marker": self.marker}


class Watch(Arrival):
    """A delivery that the platform watches for, and does not land itself: ``marker`` says that it is whole.

    ``files`` are what belongs to it; without them, everything beside the marker does, and may be nothing.
    """

    @model_validator(mode="after")
    def _has_marker(self) -> Watch:
        if not self.marker:
            raise ValueError("marker is missing: the file that is written last, such as _SUCCESS, or the manifest")
        return self


class Unpack(Closed):
    """What the compressed files of one delivery may unpack to; more is refused before a row is read."""

    max_bytes: int = Field(default=10 << 30, ge=1)
    max_ratio: int = Field(default=200, ge=1)  # of unpacked to packed bytes; a day of real CSV has 5 to 20
    max_files: int = Field(default=1_000, ge=1)  # in one archive


class OnDuplicate(StrEnum):
    HOLD = "hold"
    WARN = "warn"


_OF_CSV = ("encoding", "delimiter", "quote")


class Source(Arrival):
    """Where deliveries land: ``path`` is below the landing root, and ``{partition}`` in it is the day, ``2013-01-01``.

    ``files`` is a pattern below ``path``; the default is every file of the format, compressed or not. Every other file
    holds the day, unless ``ignore`` names it: patterns of a file, or of a folder with all that is in it. With a
    ``marker`` a sensor watches for deliveries, and starts the day when one is whole. ``duplicate_files`` says what the
    same content twice does. ``exponents`` lets a decimal be written ``1e3``, ``rounding`` lets it have more digits than
    its scale. ``trailer: none`` says that a last row that looks like a trailer is a row.
    """

    format: SourceFormat
    producer: str | None = None
    encoding: Encoding = "utf-8"
    delimiter: Separator = ","
    quote: Separator = '"'
    ignore: tuple[Below, ...] = ()
    unpack: Unpack = Unpack()
    duplicate_files: OnDuplicate = OnDuplicate.HOLD
    header_record: HeaderRecord | None = None
    trailer: Trailer | Literal["none"] | None = None
    exponents: bool = False
    rounding: bool = False

    @property
    def glob(self) -> str:
        return self.files or f"*.{self.format.value}"

    @property
    def declared_trailer(self) -> Trailer | None:
        return self.trailer if isinstance(self.trailer, Trailer) else None

    @model_validator(mode="after")
    def _only_csv_has_records_beside_rows(self) -> Source:
        if self.format is not SourceFormat.CSV and (self.declared_trailer or self.header_record):
            raise ValueError("trailer and header_record are of format csv; remove them")
        return self

    @model_validator(mode="after")
    def _says_nothing_that_its_format_lacks(self) -> Source:
        lacking = {SourceFormat.CSV: (), SourceFormat.JSONL: _OF_CSV, SourceFormat.PARQUET: (*_OF_CSV, "unpack")}
        usual = {name: field.get_default() for name, field in type(self).model_fields.items()}
        if said := [name for name in lacking[self.format] if getattr(self, name) != usual[name]]:
            raise ValueError(f"{', '.join(said)}: not of format {self.format.value}, where it does nothing; remove it")
        if self.delimiter == self.quote:
            raise ValueError("delimiter and quote are the same sign; they stand for two things")
        return self
