"""Opens an Excel workbook: the zip, its list of sheets, its texts, and which number formats are dates."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import IO, TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.ingestion.formats.xml_stream import elements, local_name
from data_platform.ingestion.landing.folder import shown
from data_platform.ingestion.packing import DAMAGE, SMALL, Unpacked
from data_platform.model.personal import is_like_data

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterator

    from data_platform.model.source import Unpack

WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_DATES = {str(number) for number in (*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59))}
"""Number formats of Excel itself that show a day or a time."""
_ELAPSED_HOURS = "46"
_NOT_OF_DATE = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_DATE_LETTER = re.compile(r"[dmyhs]", re.IGNORECASE)
_NAMED = 10
"""Number of sheets that a message names."""


class Moment(StrEnum):
    """What the number of a cell shows: a number, a day or the time of one, or a duration in hours."""

    NONE = ""
    DAY = "day"
    DURATION = "duration"


@dataclass(frozen=True)
class Sheet:
    """``part`` is its file in the zip; ``starts_in_1904`` is true if day 0 of the workbook is 1904-01-01."""

    part: str
    starts_in_1904: bool


class Workbook:
    """The open workbook of file ``name``."""

    def __init__(self, archive: zipfile.ZipFile, name: str, limits: Unpack) -> None:
        self._archive, self.name, self._limits = archive, name, limits

    def sheet(self, wanted: str) -> Sheet:
        """The sheet called ``wanted``, or the only visible one.

        Raises:
            SourceError: There is no such sheet, or several.
        """
        sheets, is_1904 = {}, False
        for tag in ("sheet", "workbookPr"):
            for element in self._elements(WORKBOOK, tag):
                named = {local_name(key): value for key, value in element.attrib.items()}
                if tag == "sheet":
                    sheets[named.get("name", "")] = (named.get("id", ""), named.get("state", "visible") == "visible")
                else:
                    is_1904 = named.get("date1904", "0") in ("1", "true")
        chosen = [name for name in sheets if name.casefold() == wanted.casefold()] if wanted else [
            name for name, (_, is_visible) in sheets.items() if is_visible
        ]  # fmt: skip
        if len(chosen) != 1:
            names = ", ".join("(not shown)" if is_like_data(one) else shown(one) for one in list(sheets)[:_NAMED])
            found = f"no sheet {wanted!r}" if wanted else f"{len(chosen)} visible sheets"
            raise SourceError(f"{self.name}: {found}; it has {names}. Name one of them in source.sheet.")
        return Sheet(self._part_of(sheets[chosen[0]][0]), is_1904)

    def _part_of(self, relation: str) -> str:
        for element in self._elements(_RELATIONS, "Relationship"):
            if element.get("Id") == relation:
                return posixpath.normpath(posixpath.join("/xl", element.get("Target", ""))).lstrip("/")
        raise SourceError(f"{self.name}: a sheet has no content, and the workbook may be damaged. Ask for it again.")

    def texts(self) -> list[str]:
        """The texts that cells refer to by their number."""
        if "xl/sharedStrings.xml" not in self._archive.namelist():
            return []
        return [text_of(element) for element in self._elements("xl/sharedStrings.xml", "si")]

    def date_styles(self) -> dict[int, Moment]:
        """The styles of cells whose number is a day, a time or a duration."""
        if "xl/styles.xml" not in self._archive.namelist():
            return {}
        kinds = dict.fromkeys(_DATES, Moment.DAY) | {_ELAPSED_HOURS: Moment.DURATION}
        kinds |= {
            element.get("numFmtId", "0"): moment_of(element.get("formatCode", ""))
            for element in self._elements("xl/styles.xml", "numFmt")
        }
        styles = [element for one in self._elements("xl/styles.xml", "cellXfs") for element in list(one)]
        numbers = [element.get("numFmtId", "0") for element in styles]
        return {place: kinds[one] for place, one in enumerate(numbers) if kinds.get(one)}

    @contextmanager
    def part(self, name: str) -> Iterator[IO[bytes]]:
        """Opens a file in the zip. Raises: SourceError: It is missing, damaged, or larger than allowed."""
        try:
            info = self._archive.getinfo(name)
            opened = self._archive.open(info)
        except DAMAGE:
            raise SourceError(f"{self.name}: the workbook is cut off or damaged. Ask for it again.") from None
        if info.file_size > self._limits.max_bytes:
            raise SourceError(f"{self.name}: it unpacks to more than source.unpack.max_bytes allows.")
        if info.file_size > max(SMALL, info.compress_size * self._limits.max_ratio):
            raise SourceError(f"{self.name}: it unpacks to more times its size than source.unpack.max_ratio allows.")
        with io.BufferedReader(Unpacked(opened, opened, self.name)) as source:
            yield source

    def _elements(self, part: str, tag: str) -> Iterator[ET.Element]:
        with self.part(part) as source:
            yield from elements(source, self.name, tag)


@contextmanager
def open_workbook(source: IO[bytes], name: str, limits: Unpack) -> Iterator[Workbook]:
    """Raises: SourceError: The file is not a workbook, or is damaged."""
    try:
        archive = zipfile.ZipFile(source)
    except DAMAGE:
        raise SourceError(f"{name}: the workbook is cut off or damaged. Ask for it again.") from None
    with archive:
        if WORKBOOK not in archive.namelist():
            raise SourceError(f"{name}: it is a zip, but not an Excel workbook (.xlsx). Ask for one.")
        yield Workbook(archive, name, limits)


def text_of(element: ET.Element) -> str:
    """The text of a cell: all its runs, without the phonetic ones."""
    return "".join(
        part.text or ""
        for run in (element, *element)
        if local_name(run.tag) in ("si", "is", "r")
        for part in run
        if local_name(part.tag) == "t"
    )


def moment_of(code: str) -> Moment:
    """What a number format shows: ``dd.mm.yyyy`` a day, ``[h]:mm`` a duration."""
    shown = _NOT_OF_DATE.sub("", code.split(";")[0]).replace("General", "")
    if "[" in shown:
        return Moment.DURATION
    return Moment.DAY if _DATE_LETTER.search(shown) else Moment.NONE
