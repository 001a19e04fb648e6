"""CSV as a source format: text with a header, to whose names the columns are bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, ClassVar, Literal

from data_platform.errors import SourceError
from data_platform.ingestion.formats.column_name import as_declared, names_in_table
from data_platform.ingestion.formats.csv.arrow_parser import column_parser
from data_platform.ingestion.formats.csv.content_check import check_content
from data_platform.ingestion.formats.csv.dialect import CsvDialect, dialect_of
from data_platform.ingestion.formats.csv.header_check import why_not_header
from data_platform.ingestion.formats.csv.parser import Header, read_header
from data_platform.ingestion.formats.csv.record_scan import ScanRules
from data_platform.ingestion.formats.csv.walk import Piece, TextWalk
from data_platform.ingestion.formats.protocol import ContentCheck, FileColumns
from data_platform.ingestion.formats.text.record_batch import batched, record_batch, regular_batch
from data_platform.ingestion.formats.text.text_format import TextFormat
from data_platform.model.schema import Column, Schema
from data_platform.model.source_format import SourceFormat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.ingestion.content import Content
    from data_platform.ingestion.delivery_file import DeliveryFile
    from data_platform.ingestion.formats.text.share import Share
    from data_platform.ingestion.manifest.document import Manifest
    from data_platform.model.record_layout import HeaderRecord, Trailer
    from data_platform.model.source import Source


@dataclass(frozen=True, kw_only=True)
class CsvFormat(TextFormat):
    """``trailer`` and ``header_record`` are those of ``source``. ``has_header`` is false if the manifest declares a
    file without a header.

    Arrow's parser reads regular pieces of a file (``walk``), and ``parser`` reads all else record by record.
    """

    kind: ClassVar[SourceFormat] = SourceFormat.CSV
    dialect: CsvDialect = field(default_factory=CsvDialect)
    trailer: Trailer | Literal["none"] | None = None
    header_record: HeaderRecord | None = None
    has_header: bool = True

    @classmethod
    def declared(cls, source: Source, manifest: Manifest | None) -> CsvFormat:
        has_header = manifest is None or manifest.header
        return cls(
            dialect=dialect_of(source, manifest),
            trailer=source.trailer,
            header_record=source.header_record,
            has_header=has_header,
        )

    def columns(self, file: DeliveryFile, declared: Schema) -> FileColumns:
        if not self.has_header:
            raise SourceError(
                f"{file.name}: no header: the manifest declares none; columns are bound by name. Ask for it with one."
            )
        with file.open() as source:
            header = self._header(source, file.name, declared)
            names = names_in_table(header.names, declared.names, file.name)
            present = {name.lower() for name in names}
            if any(name.lower() not in present for name in declared.names):
                self._raise_if_not_header(source, file.name, declared)
        renamed = {new: old for new, old in zip(names, header.original, strict=True) if new != old}
        return FileColumns(Schema.of(Column(name=name) for name in names), renamed)

    def _header(self, source: IO[bytes], file: str, declared: Schema) -> Header:
        try:
            return read_header(source, file, self.dialect)
        except SourceError:
            self._raise_if_not_header(source, file, declared)
            raise

    def _raise_if_not_header(self, source: IO[bytes], file: str, declared: Schema) -> None:
        if reason := why_not_header(source, file, self.dialect, declared.names):
            raise SourceError(f"{file}:1: {reason}") from None

    def check(self, file: DeliveryFile, content: Content) -> ContentCheck:
        return check_content(content, self.dialect, self.trailer, len(file.schema.names), self.header_record)

    def has_rows(self, file: DeliveryFile, content: Content) -> bool:
        return not content.has_one_line

    def record_starts(self, source: IO[bytes], file: str) -> Iterator[tuple[int, int]]:
        """A walk that parses only odd records, to find where the regular ones end."""
        walk = TextWalk(source, file, self.dialect, width=None, parse=lambda _: ())
        for piece in walk:
            if walk.is_final:
                return
            if isinstance(piece, Piece):
                yield walk.taken, walk.line

    def batches(self, source: IO[bytes], file: DeliveryFile, columns: Schema, share: Share) -> Iterator[Any]:
        """Reads the header again, in case it has changed; ``binding`` has the position of each column in a record."""
        header = read_header(source, file.name, self.dialect)
        source.seek(share.start)
        places = {name.lower(): place for place, name in enumerate(as_declared(header.names, columns.names))}
        binding, width = [places.get(name.lower()) for name in columns.names], len(header.names)
        walk = TextWalk(
            source,
            file.name,
            self.dialect,
            width=width,
            names=header.original,
            parse=column_parser(ScanRules(self.dialect), width, binding),
            line=share.line,
            length=share.length,
        )
        for batch in batched(iter(walk), file.name):
            if isinstance(batch, Piece):
                lines, values = batch.values
                if len(lines):
                    yield regular_batch(lines + batch.line, values, binding, columns, file.name)
            else:
                yield record_batch(batch, binding, columns, file.name)
