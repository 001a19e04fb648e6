"""The registry of source formats, with the facts about each that are known without reading a file.

A new format is one member of ``SourceFormat``, one module in ``ingestion.formats``, and one case in its ``registry``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

NESTED_TYPES = frozenset({"array", "map", "struct"})
FORMAT_KEYS = (
    "encoding",
    "delimiter",
    "quote",
    "header_record",
    "trailer",
    "layout",
    "record_path",
    "sheet",
    "header_row",
    "unpack",
)
"""The keys of ``source`` that only some formats support."""


@dataclass(frozen=True, kw_only=True)
class FormatTraits:
    """``endings`` are those of file names, in lower case, without the ending of a compression.

    ``is_typed`` is true if a file declares the types of its columns; else every value is text. The files of a
    ``is_compressible`` format may be compressed with gzip, or be in a zip. ``keys`` are the supported ones of
    ``FORMAT_KEYS``, and ``nested_types`` the supported ones of ``NESTED_TYPES``. A policy must have the
    ``required_keys``, because a file does not have this information.
    """

    endings: tuple[str, ...]
    keys: frozenset[str] = frozenset()
    nested_types: frozenset[str] = frozenset()
    required_keys: frozenset[str] = frozenset()
    is_typed: bool = False
    is_compressible: bool = True

    @property
    def unsupported_keys(self) -> tuple[str, ...]:
        return tuple(key for key in FORMAT_KEYS if key not in self.keys)

    def can_hold(self, column_type: str) -> bool:
        """Whether a file can hold a column of this type, such as ``ARRAY<STRUCT<id: INT>>``."""
        text = "".join(column_type.lower().split())
        return not any(f"{nested}<" in text for nested in NESTED_TYPES - self.nested_types)


class SourceFormat(StrEnum):  # without a docstring, which editors of policies would show
    _value_: str
    traits: FormatTraits

    def __new__(cls, name: str, traits: FormatTraits) -> SourceFormat:
        source_format = str.__new__(cls, name)
        source_format._value_, source_format.traits = name, traits
        return source_format

    @classmethod
    def named(cls, name: str) -> SourceFormat:
        """Raises: KeyError, if no format is registered under ``name``, such as ``csv``."""
        return {kind.value: kind for kind in cls}[name]

    CSV = (
        "csv",
        FormatTraits(
            endings=(".csv",),
            keys=frozenset({"encoding", "delimiter", "quote", "header_record", "trailer", "unpack"}),
        ),
    )
    FIXED_WIDTH = (
        "fixed_width",
        FormatTraits(
            endings=(".fixed", ".fwf", ".dat", ".txt"),
            keys=frozenset({"encoding", "layout", "unpack"}),
            required_keys=frozenset({"layout"}),
        ),
    )
    AVRO = (
        "avro",
        FormatTraits(
            endings=(".avro",),
            keys=frozenset({"unpack"}),
            nested_types=frozenset({"array", "struct"}),
            is_compressible=False,
        ),
    )
    XLSX = (
        "xlsx",
        FormatTraits(
            endings=(".xlsx", ".xlsm"), keys=frozenset({"sheet", "header_row", "unpack"}), is_compressible=False
        ),
    )
    XML = (
        "xml",
        FormatTraits(
            endings=(".xml",),
            keys=frozenset({"row_element", "unpack"}),
            required_keys=frozenset({"row_element"}),
            nested_types=frozenset({"array", "struct"}),
        ),
    )
    JSON = (
        "json",
        FormatTraits(
            endings=(".json",), keys=frozenset({"record_path", "unpack"}), nested_types=frozenset({"array", "struct"})
        ),
    )
    JSONL = (
        "jsonl",
        FormatTraits(
            endings=(".jsonl", ".ndjson"), keys=frozenset({"unpack"}), nested_types=frozenset({"array", "struct"})
        ),
    )
    PARQUET = (
        "parquet",
        FormatTraits(endings=(".parquet",), nested_types=NESTED_TYPES, is_typed=True, is_compressible=False),
    )
