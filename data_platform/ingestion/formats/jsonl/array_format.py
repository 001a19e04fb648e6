"""A JSON list of objects as a source format: the document itself, or the list at ``source.record_path`` in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, ClassVar

from data_platform.ingestion.formats.jsonl.array_walk import ArrayWalk, parsed, pieces
from data_platform.ingestion.formats.jsonl.walk import JsonPiece
from data_platform.ingestion.formats.protocol import ContentCheck, FileColumns, Finding
from data_platform.ingestion.formats.text.member_name import first_names
from data_platform.ingestion.formats.text.name_binding import NameBinding
from data_platform.ingestion.formats.text.record_batch import batched, mixed_batch, record_batch
from data_platform.ingestion.formats.text.text_format import NO_RECORD, TextFormat
from data_platform.ingestion.formats.text.window import Window
from data_platform.model.source_format import SourceFormat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.ingestion.content import Content
    from data_platform.ingestion.delivery_file import DeliveryFile
    from data_platform.ingestion.formats.text.share import Share
    from data_platform.model.schema import Schema

_BLANK = b" \t\r\n\x1a"
_CUT_OFF = "it does not end with the end of a JSON document, so the file looks cut off; ask for it again"


@dataclass(frozen=True)
class JsonArrayFormat(TextFormat):
    """``path`` are the names of the members that lead to the list. One task reads a file."""

    path: tuple[str, ...] = ()
    kind: ClassVar[SourceFormat] = SourceFormat.JSON

    def blank_problem(self, record_count: int | None) -> str:
        return "" if record_count == 0 else NO_RECORD

    def columns(self, file: DeliveryFile, declared: Schema) -> FileColumns:
        """All declared columns, since any object may omit any of them, and the other columns of the first objects."""
        with file.open() as source:
            records = parsed(ArrayWalk(Window(source), file.name, self.path).elements())
            return first_names(records, file.name, declared).columns(declared)

    def check(self, file: DeliveryFile, content: Content) -> ContentCheck:
        is_whole = content.tail.rstrip(_BLANK).endswith(b"}" if self.path else b"]")
        return ContentCheck(problems=() if is_whole else (Finding("CUT_OFF", _CUT_OFF),))

    def has_rows(self, file: DeliveryFile, content: Content) -> bool:
        return self.path != () or b"".join(content.head.split()) != b"[]"

    def batches(self, source: IO[bytes], file: DeliveryFile, columns: Schema, share: Share) -> Iterator[Any]:
        binding = NameBinding(file.schema.names, columns.names)
        elements = ArrayWalk(Window(source), file.name, self.path).elements()
        for batch in batched(pieces(elements, binding), file.name):
            if isinstance(batch, JsonPiece):
                yield mixed_batch(batch.lines, batch.values, batch.odd, columns, file.name)
            else:
                yield record_batch(batch, range(len(columns.names)), columns, file.name)
