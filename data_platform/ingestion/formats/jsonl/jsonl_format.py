"""JSON lines as a source format: text in UTF-8 with one object a line, whose members are bound by name."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, ClassVar

from data_platform.errors import SourceError
from data_platform.ingestion.formats.jsonl.parser import has_odd_return, read_json_records
from data_platform.ingestion.formats.jsonl.walk import JsonPiece, json_walk
from data_platform.ingestion.formats.protocol import ContentCheck, Finding
from data_platform.ingestion.formats.text.cut_off import CUT_OFF, unended_line
from data_platform.ingestion.formats.text.member_name import first_names
from data_platform.ingestion.formats.text.name_binding import NameBinding
from data_platform.ingestion.formats.text.record_batch import batched, mixed_batch, record_batch
from data_platform.ingestion.formats.text.text_format import NO_RECORD, TextFormat
from data_platform.model.source_format import SourceFormat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.ingestion.content import Content
    from data_platform.ingestion.delivery_file import DeliveryFile
    from data_platform.ingestion.formats.protocol import FileColumns
    from data_platform.ingestion.formats.text.named_record import NamedRecord
    from data_platform.ingestion.formats.text.share import Share
    from data_platform.model.schema import Schema

_BLOCK = 1 << 20
_BLANK_OR_BYTE_ORDER_MARK = b"\xef\xbb\xbf \t"


@dataclass(frozen=True)
class JsonLinesFormat(TextFormat):
    """Regular lines are read many at once (``columns``), and all others line by line (``parser``)."""

    kind: ClassVar[SourceFormat] = SourceFormat.JSONL

    def blank_problem(self, record_count: int | None) -> str:
        return "" if record_count == 0 else NO_RECORD

    def columns(self, file: DeliveryFile, declared: Schema) -> FileColumns:
        """All declared columns, since any line may omit any of them, and the other columns of the first lines."""
        with file.open() as source:
            return first_names(_records(source, file.name), file.name, declared).columns(declared)

    def check(self, file: DeliveryFile, content: Content) -> ContentCheck:
        line = unended_line(content, "utf-8")
        if line is None:
            return ContentCheck()
        records = read_json_records([line.text.encode()], "")
        if not any(record.malformed.startswith("not JSON") for record in records):
            return ContentCheck()
        return ContentCheck(problems=(Finding("CUT_OFF", f"its last line is not a complete JSON object {CUT_OFF}"),))

    def has_rows(self, file: DeliveryFile, content: Content) -> bool:
        return not content.has_one_line or content.head.lstrip(_BLANK_OR_BYTE_ORDER_MARK).startswith(b"{")

    def record_starts(self, source: IO[bytes], file: str) -> Iterator[tuple[int, int]]:
        """The starts of lines, as long as all before them is UTF-8 with usual line ends."""
        decoder, taken, line, last = codecs.getincrementaldecoder("utf-8")(), 0, 1, b""
        while block := source.read(_BLOCK):
            if has_odd_return(last + block):
                return
            try:
                decoder.decode(block)
            except UnicodeError:
                return
            newlines = block.count(b"\n")
            if newlines:
                yield taken + block.rfind(b"\n") + 1, line + newlines
            taken += len(block)
            line += newlines
            last = block[-1:]

    def batches(self, source: IO[bytes], file: DeliveryFile, columns: Schema, share: Share) -> Iterator[Any]:
        if share.start:
            source.seek(share.start)
        binding = NameBinding(file.schema.names, columns.names)
        walk = json_walk(source, file.name, binding, line=share.line, length=share.length)
        for batch in batched(walk, file.name):
            if isinstance(batch, JsonPiece):
                yield mixed_batch(batch.lines, batch.values, batch.odd, columns, file.name)
            else:
                yield record_batch(batch, range(len(columns.names)), columns, file.name)


def _records(source: IO[bytes], file: str) -> Iterator[NamedRecord]:
    """Raises: SourceError: The first line shows that the file is not JSON lines."""
    for place, record in enumerate(read_json_records(source, file)):
        if not place and record.malformed and (reason := _other_layout(record.raw)):
            raise SourceError(
                f"{file}: {reason}; expected one JSON object a line. Ask for JSON lines, or declare format: json."
            )
        yield record


def _other_layout(first: str) -> str:
    """Why the first line shows that the file is not JSON lines but pretty-printed JSON or one list; else empty."""
    if first.lstrip().startswith("["):
        return "it is one JSON list"
    return "its objects span several lines" if first.strip() == "{" else ""
