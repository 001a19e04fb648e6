"""Fixed width as a source format: text or EBCDIC, with the fields where ``source.layout`` says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, ClassVar

from data_platform.errors import SourceError
from data_platform.ingestion.content import TAIL
from data_platform.ingestion.formats.fixed.block import Blocks
from data_platform.ingestion.formats.fixed.codec import FixedCodec
from data_platform.ingestion.formats.fixed.control_record import check_ends
from data_platform.ingestion.formats.fixed.records import FixedPiece, FixedRecords, Kinds
from data_platform.ingestion.formats.protocol import ContentCheck, FileColumns
from data_platform.ingestion.formats.text.record_batch import batched, mixed_batch, record_batch
from data_platform.ingestion.formats.text.text_format import NO_RECORD, TextFormat
from data_platform.ingestion.packing import HEAD
from data_platform.model.schema import Column, Schema
from data_platform.model.source_format import SourceFormat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.ingestion.content import Content
    from data_platform.ingestion.delivery_file import DeliveryFile
    from data_platform.ingestion.formats.text.share import Share
    from data_platform.ingestion.manifest.document import Manifest
    from data_platform.model.fixed_layout import FixedLayout
    from data_platform.model.source import Source


@dataclass(frozen=True)
class FixedWidthFormat(TextFormat):
    """Each field of many records is sliced out of their text at once (``grid``)."""

    layout: FixedLayout
    encoding: str = "utf-8"
    kind: ClassVar[SourceFormat] = SourceFormat.FIXED_WIDTH

    @classmethod
    def declared(cls, source: Source, manifest: Manifest | None) -> FixedWidthFormat:
        """The manifest may name another encoding."""
        if source.layout is None:
            raise SourceError("source.layout is missing: a fixed-width file does not say where its fields are.")
        is_named = manifest is not None and "encoding" in manifest.model_fields_set
        return cls(source.layout, manifest.encoding if manifest is not None and is_named else source.encoding)

    @cached_property
    def codec(self) -> FixedCodec:
        return FixedCodec(self.encoding)

    def blank_problem(self, record_count: int | None) -> str:
        return "" if record_count == 0 else NO_RECORD

    def columns(self, file: DeliveryFile, declared: Schema) -> FileColumns:
        """The fields of the layout, in declared order first."""
        with file.open() as source:
            if reason := self.codec.doubt(source.read(HEAD)):
                raise SourceError(f"{file.name}: {reason}.")
        fields = {name.lower(): name for name in self.layout.fields}
        names = [*(name for name in declared.names if fields.pop(name.lower(), None)), *fields.values()]
        return FileColumns(Schema.of(Column(name=name) for name in names))

    def check(self, file: DeliveryFile, content: Content) -> ContentCheck:
        with file.open() as source:
            return check_ends(source, content, self.layout, self.codec)

    def has_rows(self, file: DeliveryFile, content: Content) -> bool:
        if content.size > TAIL:
            return True
        with file.open() as source:
            try:
                return any(self._has_rows(block) for block in self._blocks(file).read(source))
            except SourceError:
                return True

    def _has_rows(self, block: Any) -> bool:
        kinds = Kinds(block.grid, self.layout)
        return bool(block.odd) or bool((~(kinds.blank | kinds.header | kinds.trailer)).any())

    def _blocks(self, file: DeliveryFile) -> Blocks:
        return Blocks(self.layout, self.codec, file.name)

    def content_digest(self, content: Content) -> str:
        return content.sha256 if self.layout.record_bytes else content.text_digest

    def record_starts(self, source: IO[bytes], file: str) -> Iterator[tuple[int, int]]:
        """The ends of blocks behind the header records, up to the first trailer."""
        taken, line, is_past_header = 0, 1, False
        for block in Blocks(self.layout, self.codec, file).read(source):
            kinds = Kinds(block.grid, self.layout)
            if not block.is_regular or kinds.trailer.any():
                return
            is_past_header = is_past_header or bool((~(kinds.blank | kinds.header)).any())
            taken, line = taken + block.bytes, line + block.line_count
            if is_past_header:
                yield taken, line

    def batches(self, source: IO[bytes], file: DeliveryFile, columns: Schema, share: Share) -> Iterator[Any]:
        if share.start:
            source.seek(share.start)
        records = FixedRecords(self.layout, columns, file.name, is_past_header=share.line > 1)
        blocks = self._blocks(file).read(source, share.line, share.length)
        for batch in batched(records.pieces(blocks), file.name):
            if not isinstance(batch, FixedPiece):
                yield record_batch(batch, range(len(columns.names)), columns, file.name)
            elif len(batch.lines) or batch.odd:
                yield mixed_batch(batch.lines, batch.values, batch.odd, columns, file.name)
