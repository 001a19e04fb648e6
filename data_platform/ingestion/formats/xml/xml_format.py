"""XML as a source format: the elements called ``source.row_element`` are records, and their parts are bound by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, ClassVar

from data_platform.errors import SourceError
from data_platform.ingestion.formats.protocol import ContentCheck, FileColumns, Finding
from data_platform.ingestion.formats.text.member_name import first_names
from data_platform.ingestion.formats.text.name_binding import NameBinding
from data_platform.ingestion.formats.text.record_batch import batched, record_batch
from data_platform.ingestion.formats.text.text_format import NO_RECORD, TextFormat
from data_platform.ingestion.formats.xml.record import record_of
from data_platform.ingestion.formats.xml_stream import elements
from data_platform.model.source_format import SourceFormat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.ingestion.content import Content
    from data_platform.ingestion.delivery_file import DeliveryFile
    from data_platform.ingestion.formats.text.named_record import NamedRecord
    from data_platform.ingestion.formats.text.share import Share
    from data_platform.model.schema import Schema

_CUT_OFF = "it does not end with the end of an element, so the file looks cut off; ask for it again"


@dataclass(frozen=True)
class XmlFormat(TextFormat):
    """One task reads a file; ``_line`` is the number of the record."""

    row_element: str
    kind: ClassVar[SourceFormat] = SourceFormat.XML

    def blank_problem(self, record_count: int | None) -> str:
        return "" if record_count == 0 else NO_RECORD

    def columns(self, file: DeliveryFile, declared: Schema) -> FileColumns:
        """All declared columns, since any record may omit any of them, and the other names of the first records.

        Raises:
            SourceError: As the protocol says, or a day has no record, which may be a wrong ``row_element``.
        """
        with file.open() as source:
            names = first_names(self._records(source, file.name), file.name, declared)
        if not names.has_lines and file.record_count != 0:
            raise SourceError(
                f"{file.name}: no element {self.row_element} (source.row_element). Correct the name; a day without"
                " rows needs a manifest with record_count 0."
            )
        return names.columns(declared)

    def check(self, file: DeliveryFile, content: Content) -> ContentCheck:
        is_whole = content.tail_text(self._encoding(content)).rstrip("\0 \t\r\n\x1a").endswith(">")
        return ContentCheck(problems=() if is_whole else (Finding("CUT_OFF", _CUT_OFF),))

    def _encoding(self, content: Content) -> str:
        return "utf-16" if content.head.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin-1"

    def has_rows(self, file: DeliveryFile, content: Content) -> bool:
        with file.open() as source:
            try:
                return next(self._records(source, file.name), None) is not None
            except SourceError:
                return True

    def batches(self, source: IO[bytes], file: DeliveryFile, columns: Schema, share: Share) -> Iterator[Any]:
        binding = NameBinding(file.schema.names, columns.names)
        records = map(binding.bound, self._records(source, file.name))
        for batch in batched(records, file.name):
            yield record_batch(batch, range(len(columns.names)), columns, file.name)

    def _records(self, source: IO[bytes], file: str) -> Iterator[NamedRecord]:
        for number, element in enumerate(elements(source, file, self.row_element), start=1):
            yield record_of(number, element)
