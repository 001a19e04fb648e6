"""How the CSV files of a delivery are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data_platform.ingestion.manifest.document import Manifest
    from data_platform.model.source import Source


@dataclass(frozen=True, kw_only=True)
class CsvDialect:
    """``encoding`` is any codec of Python; the reader removes a byte-order mark.

    Lines above the column names whose first field is ``header_prefix``, and a last line whose first field is
    ``trailer_prefix``, are not records; an empty prefix means that there are no such lines.
    """

    delimiter: str = ","
    quote: str = '"'
    encoding: str = "utf-8"
    header_prefix: str = ""
    trailer_prefix: str = ""


def dialect_of(source: Source, manifest: Manifest | None) -> CsvDialect:
    """The dialect that ``source`` declares; a setting in the manifest overrides it."""
    overrides = manifest.model_dump(include={"encoding", "delimiter"}, exclude_unset=True) if manifest else {}
    declared = {
        "encoding": source.encoding,
        "delimiter": source.delimiter,
        "quote": source.quote,
        "header_prefix": source.header_record.prefix if source.header_record else "",
        "trailer_prefix": trailer.prefix if (trailer := source.declared_trailer) else "",
    }
    return CsvDialect(**{**declared, **overrides})
