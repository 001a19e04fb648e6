"""Excel as a source format: the rows of one sheet below its column names, every value as text."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import takewhile
from typing import IO, TYPE_CHECKING, Any, ClassVar

from data_platform.errors import SourceError
from data_platform.ingestion.formats.column_name import as_declared, name_problems, names_in_table, normal_name
from data_platform.ingestion.formats.protocol import ContentCheck, FileColumns, Finding
from data_platform.ingestion.formats.text.record import Record
from data_platform.ingestion.formats.text.record_batch import batched, record_batch
from data_platform.ingestion.formats.text.text_format import TextFormat
from data_platform.ingestion.formats.xlsx.cell import CellError, CellReader
from data_platform.ingestion.formats.xlsx.sheet import column_letters, rows, sheet_facts
from data_platform.ingestion.formats.xlsx.workbook import Workbook, open_workbook
from data_platform.ingestion.packing import kind_of
from data_platform.model.delta_name import delta_name
from data_platform.model.number_text import number_of
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Unpack
from data_platform.model.source_format import SourceFormat

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterator, Mapping, Sequence

    from data_platform.ingestion.content import Content
    from data_platform.ingestion.delivery_file import DeliveryFile
    from data_platform.ingestion.formats.text.share import Share

_SEARCHED_ROWS = 30
"""Number of rows that are searched for the column names."""
_OLD = "an old Office file"
_MERGED = "a row with merged cells, so that it is not known which rows and columns a value belongs to"


@dataclass(frozen=True)
class XlsxFormat(TextFormat):
    """``sheet_name`` is empty if the workbook has one visible sheet; the names are in row ``header_row``."""

    sheet_name: str = ""
    header_row: int = 1
    limits: Unpack = field(default_factory=Unpack)
    kind: ClassVar[SourceFormat] = SourceFormat.XLSX

    def content_problem(self, head: bytes) -> str:
        kind = kind_of(head)
        if kind in ("zip", "a spreadsheet or another Office file"):
            return ""
        if kind == _OLD:
            return "an old Excel file (.xls), or a workbook with a password. Ask for an .xlsx file without a password."
        return f"not an Excel workbook{f', but {kind}' if kind else ''}. Ask for an .xlsx file."

    def columns(self, file: DeliveryFile, declared: Schema) -> FileColumns:
        with file.open() as source, open_workbook(source, file.name, self.limits) as workbook:
            original = self._names(workbook)
            if problems := list(name_problems(original)):
                raise SourceError(
                    f"{file.name}: row {self.header_row}: {'; '.join(problems)}. Have each column given one name."
                )
            names = names_in_table([delta_name(name) for name in original], declared.names, file.name)
            wanted = {normal_name(name) for name in declared.names}
            if wanted and not wanted & set(map(normal_name, names)):
                raise SourceError(f"{file.name}: {self._where_names_are(workbook, wanted)}")
        renamed = {new: old for new, old in zip(names, original, strict=True) if new != old}
        return FileColumns(Schema.of(Column(name=name) for name in names), renamed)

    def _names(self, workbook: Workbook) -> list[str]:
        """The texts of the row of column names, up to the last that is not empty."""
        for number, texts in self._first_rows(workbook, self.header_row):
            if number == self.header_row and texts:
                return [texts.get(place, "").strip() for place in range(1, max(texts) + 1)]
        raise SourceError(
            f"{workbook.name}: row {self.header_row} is empty; expected the column names there (source.header_row)."
        )

    def _where_names_are(self, workbook: Workbook, wanted: set[str]) -> str:
        for number, texts in self._first_rows(workbook, _SEARCHED_ROWS):
            if number != self.header_row and wanted & set(map(normal_name, texts.values())):
                return f"the column names are in row {number}; declare source.header_row: {number}."
        return (
            f"row {self.header_row} has none of the declared columns. Ask for it with them, or name source.header_row."
        )

    def _first_rows(self, workbook: Workbook, last: int) -> Iterator[tuple[int, dict[int, str]]]:
        """The texts of the rows up to ``last``, by column; cells without a text are left out."""
        sheet = workbook.sheet(self.sheet_name)
        reader = CellReader(workbook.texts(), workbook.date_styles(), sheet.starts_in_1904)
        with workbook.part(sheet.part) as source:
            for number, cells in takewhile(lambda row: row[0] <= last, rows(source, workbook.name)):
                texts, _ = _texts(cells, reader)
                yield number, {place: text for place, text in texts.items() if text.strip()}

    def check(self, file: DeliveryFile, content: Content) -> ContentCheck:
        with (
            file.open() as source,
            open_workbook(source, file.name, self.limits) as workbook,
            workbook.part(workbook.sheet(self.sheet_name).part) as sheet,
        ):
            hidden = sheet_facts(sheet).hidden_rows
        if not hidden:
            return ContentCheck()
        message = f"{number_of(hidden, 'hidden row')}, such as a filter leaves, which are read like the others"
        return ContentCheck(warnings=(Finding("HIDDEN_ROWS", message),))

    def content_digest(self, content: Content) -> str:
        return content.sha256

    def has_rows(self, file: DeliveryFile, content: Content) -> bool:
        return True

    def batches(self, source: IO[bytes], file: DeliveryFile, columns: Schema, share: Share) -> Iterator[Any]:
        with open_workbook(source, file.name, self.limits) as workbook:
            names = [delta_name(name) for name in self._names(workbook)]
            places = {name.lower(): place for place, name in enumerate(as_declared(names, columns.names))}
            binding = [places.get(name.lower()) for name in columns.names]
            for batch in batched(self._records(workbook, names), file.name):
                yield record_batch(batch, binding, columns, file.name)

    def _records(self, workbook: Workbook, names: Sequence[str]) -> Iterator[Record]:
        sheet = workbook.sheet(self.sheet_name)
        reader = CellReader(workbook.texts(), workbook.date_styles(), sheet.starts_in_1904)
        with workbook.part(sheet.part) as source:
            facts = sheet_facts(source)
        with workbook.part(sheet.part) as source:
            for number, cells in rows(source, workbook.name):
                if number <= self.header_row:
                    continue
                texts, reason = _texts(cells, reader)
                if not texts and not reason:
                    continue
                yield _record(number, texts, _MERGED if facts.is_merged(number) else reason, names)


def _texts(cells: Mapping[int, ET.Element], reader: CellReader) -> tuple[dict[int, str], str]:
    """The texts of the cells that are not empty, and why one of them has no value."""
    texts, reason = {}, ""
    for place, cell in cells.items():
        try:
            if (text := reader.text(cell)) is not None:
                texts[place] = text
        except CellError as error:
            reason = reason or f"column {column_letters(place)}: {error}"
    return texts, reason


def _record(number: int, texts: dict[int, str], reason: str, names: Sequence[str]) -> Record:
    beyond = max(texts, default=0)
    if not reason and beyond > len(names):
        reason = f"column {column_letters(beyond)}: a value in a column without a name"
    if reason:
        raw = "\t".join(texts.get(place, "") for place in range(1, beyond + 1))
        return Record(number, (), raw, reason)
    return Record(number, tuple(texts.get(place) for place in range(1, len(names) + 1)), "")
