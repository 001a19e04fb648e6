"""The registry of formats: a new format is one case here."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from data_platform.ingestion.formats.avro.avro_format import AvroFormat
from data_platform.ingestion.formats.csv.csv_format import CsvFormat
from data_platform.ingestion.formats.fixed.fixed_format import FixedWidthFormat
from data_platform.ingestion.formats.jsonl.array_format import JsonArrayFormat
from data_platform.ingestion.formats.jsonl.jsonl_format import JsonLinesFormat
from data_platform.ingestion.formats.parquet.parquet_format import ParquetFormat
from data_platform.ingestion.formats.xlsx.xlsx_format import XlsxFormat
from data_platform.ingestion.formats.xml.xml_format import XmlFormat
from data_platform.model.source_format import SourceFormat

if TYPE_CHECKING:
    from data_platform.ingestion.formats.protocol import FileFormat
    from data_platform.ingestion.manifest.document import Manifest
    from data_platform.model.source import Source


def format_of(source: Source, manifest: Manifest | None = None) -> FileFormat:  # noqa: C901 - a case for each format
    """The format of a delivery, as ``source`` declares it; a setting in the manifest overrides that of ``source``."""
    match source.format:
        case SourceFormat.CSV:
            return CsvFormat.declared(source, manifest)
        case SourceFormat.FIXED_WIDTH:
            return FixedWidthFormat.declared(source, manifest)
        case SourceFormat.JSON:
            return JsonArrayFormat(source.record_path)
        case SourceFormat.JSONL:
            return JsonLinesFormat()
        case SourceFormat.PARQUET:
            return ParquetFormat()
        case SourceFormat.XLSX:
            return XlsxFormat(source.sheet, source.header_row, source.unpack)
        case SourceFormat.XML:
            return XmlFormat(source.row_element)
        case SourceFormat.AVRO:
            return AvroFormat(source.unpack)
    assert_never(source.format)
