"""Where a dataset's deliveries land and how their files are written: the ``source`` of ``dataset.yaml``."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from data_platform.model.closed import Closed
from data_platform.model.fixed_layout import FixedLayout  # noqa: TC001 - pydantic reads annotations at run time
from data_platform.model.partition_path import check_path, has_partition, with_partition
from data_platform.model.record_layout import HeaderRecord, Trailer
from data_platform.model.source_format import SourceFormat  # noqa: TC001 - pydantic reads annotations at run time
from data_platform.model.text_form import check_encoding, check_separator

if TYPE_CHECKING:
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.source_format import FormatTraits


def _below(text: str) -> str:
    if text.startswith("/") or ".." in text.split("/"):
        raise ValueError("it must be below the landing root and its delivery's folder: neither absolute nor with ..")
    return check_path(text)


Below = Annotated[str, AfterValidator(_below)]
"""A path or a shell pattern, with ``{partition}`` or ``{partition:%Y%m%d}`` in place of the partition."""


Encoding = Annotated[str, AfterValidator(check_encoding)]
Separator = Annotated[str, Field(min_length=1, max_length=1), AfterValidator(check_separator)]


def _names(value: object) -> object:
    return tuple(value.split(".")) if isinstance(value, str) and value else value


RecordPath = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_names, json_schema_input_type=str)
]
"""Where the records are in a document: names that are separated by dots, such as ``data.orders``."""


class Arrival(Closed):
    """Where deliveries are, and how to detect that they are complete. ``path`` is a folder below the landing root.

    ``marker`` is the file that is written last, such as ``_SUCCESS``, ``*.done`` or the manifest itself; it and the
    manifest are relative to ``path``. With a ``manifest`` (JSON) the files are those that it names, and each is checked
    against it.
    """

    path: Below = Field(min_length=1)
    files: Below = ""
    manifest: Below | None = None
    marker: Below | None = None

    @property
    def glob(self) -> str:
        """The pattern of data files; all files, if it is empty."""
        return self.files

    @property
    def names_partition(self) -> bool:
        return any(has_partition(text) for text in self._texts().values() if text)

    @property
    def is_of_partition(self) -> bool:
        """Whether the files of one partition can be distinguished from those of another."""
        return has_partition(self.path) or has_partition(self.manifest or self.files)

    def on(self, partition: PartitionKey | None) -> Self:
        """The same with the partition in its names."""
        if partition is None or not self.names_partition:
            return self
        named = {name: text and with_partition(text, partition) for name, text in self._texts().items()}
        return self.model_copy(update=named)

    def _texts(self) -> dict[str, str | None]:
        return {"path": self.path, "files": self.files, "manifest": self.manifest, "marker": self.marker}


class Watch(Arrival):
    """A delivery that the platform watches, and does not land itself: ``marker`` is written when it is complete.

    ``files`` are its data; without them, everything beside the marker is, which may be nothing.
    """

    @model_validator(mode="after")
    def _has_marker(self) -> Watch:
        if not self.marker:
            raise ValueError("marker is missing: the file that is written last, such as _SUCCESS, or the manifest")
        return self


class Unpack(Closed):
    """Limits for unpacking the compressed files of one delivery; beyond them it is refused before a row is read."""

    max_bytes: int = Field(default=10 << 30, ge=1)
    max_ratio: int = Field(default=200, ge=1)  # of unpacked to packed bytes; a day of real CSV has 5 to 20
    max_files: int = Field(default=1_000, ge=1)  # in one archive


class OnDuplicate(StrEnum):
    HOLD = "hold"
    WARN = "warn"


class OnRepetition(StrEnum):
    """WARN is the default: which datasets rarely change is not known on their first days, and these must not stop."""

    HOLD = "hold"
    WARN = "warn"
    ALLOW = "allow"


class Source(Arrival):
    """Where deliveries land: ``path`` is below the landing root, and ``{partition}`` in it is the day, ``2013-01-01``.

    ``files`` is a pattern below ``path``; the default is every file of the format, compressed or not. Any other file
    holds the day, unless ``ignore`` names it: patterns of a file, or of a folder with all its contents. With a
    ``marker`` a sensor watches for deliveries, and starts the day when one is complete. ``duplicate_files`` is what
    happens if the same content arrives twice, ``repeated_delivery`` what happens if a day has the rows of another day:
    ``warn`` does so unless the dataset rarely changes. ``exponents`` allows decimals such as ``1e3``, ``rounding``
    allows more digits than their scale. ``trailer: none`` declares that a last row that looks like a trailer is a row.
    ``sheet`` names one of several sheets of a workbook, ``header_row`` its row of column names; ``row_element`` names
    the elements of XML that are records.
    """

    format: SourceFormat
    producer: str | None = None
    encoding: Encoding = "utf-8"
    delimiter: Separator = ","
    quote: Separator = '"'
    ignore: tuple[Below, ...] = ()
    unpack: Unpack = Unpack()
    duplicate_files: OnDuplicate = OnDuplicate.HOLD
    repeated_delivery: OnRepetition = OnRepetition.WARN
    header_record: HeaderRecord | None = None
    trailer: Trailer | Literal["none"] | None = None
    layout: FixedLayout | None = None
    record_path: RecordPath = ()
    sheet: str = ""
    row_element: str = ""
    header_row: int = Field(default=1, ge=1, le=1_048_576)
    exponents: bool = False
    rounding: bool = False

    @property
    def glob(self) -> str:
        return self.files or f"*{self.format.traits.endings[0]}"

    @property
    def traits(self) -> FormatTraits:
        return self.format.traits

    @property
    def kind(self) -> str:
        """The name of the format, for people."""
        return self.format.value

    @property
    def arrival(self) -> Arrival | None:
        """The marker that is watched; None if nothing is."""
        return self if self.marker else None

    @property
    def names_producer(self) -> bool:
        """Whether the policy or a manifest can name the producer."""
        return bool(self.producer or self.manifest)

    @property
    def declared_trailer(self) -> Trailer | None:
        return self.trailer if isinstance(self.trailer, Trailer) else None

    @model_validator(mode="after")
    def _has_only_keys_of_its_format(self) -> Source:
        defaults = {name: field.get_default() for name, field in type(self).model_fields.items()}
        values = {name: getattr(self, name) for name in self.format.traits.unsupported_keys}
        if "trailer" in values:
            values["trailer"] = self.declared_trailer  # every format allows `trailer: none`
        if unsupported := [name for name, value in values.items() if value != defaults[name]]:
            raise ValueError(
                f"{', '.join(unsupported)}: not supported by format {self.format.value}, where it has no effect;"
                " remove it"
            )
        if missing := [name for name in sorted(self.format.traits.required_keys) if not getattr(self, name)]:
            raise ValueError(f"{', '.join(missing)}: format {self.format.value} needs it; its files do not say it")
        if self.delimiter == self.quote:
            raise ValueError("delimiter and quote are the same character; they must differ")
        return self
