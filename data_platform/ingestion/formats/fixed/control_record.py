"""Reads the header and the trailer of a fixed-width file, and checks its ends, before any row is read."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import IO, TYPE_CHECKING

from data_platform.ingestion.content import TAIL
from data_platform.ingestion.formats.fixed.codec import NEW_LINE
from data_platform.ingestion.formats.fixed.field import number_text
from data_platform.ingestion.formats.fixed.grid import grid_of_lines
from data_platform.ingestion.formats.fixed.records import Kinds
from data_platform.ingestion.formats.protocol import ContentCheck, Finding, TrailerTotals
from data_platform.ingestion.formats.text.control_total import DIFFER, merged_totals
from data_platform.ingestion.formats.text.cut_off import CUT_OFF
from data_platform.ingestion.formats.text.encoding import END_OF_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.ingestion.content import Content
    from data_platform.ingestion.formats.fixed.codec import FixedCodec
    from data_platform.ingestion.formats.fixed.grid import Grid
    from data_platform.model.fixed_layout import ControlRecord, FixedLayout

_ENDS = "\r\n" + NEW_LINE + END_OF_TEXT
_MISSING = {
    "header": "the first record is not the header that source.layout declares; ask for the file again",
    "trailer": (
        "the last record is not the trailer that source.layout declares; the file may be cut off, ask for it again"
    ),
}
_INVALID = "has no digits where source.layout declares the count and the totals"


def check_ends(source: IO[bytes], content: Content, layout: FixedLayout, codec: FixedCodec) -> ContentCheck:
    """``source`` is at the start of the file."""
    problems = [Finding("CUT_OFF", text)] if (text := _cut_off(content, layout, codec)) else []
    found: list[TrailerTotals] = []
    for name, declared in layout.control_records.items():
        text = _first(source, layout, codec) if name == "header" else last_record(content, layout, codec)
        record = grid_of_lines(text, codec.widths if layout.counts_bytes else None)
        if not text or not getattr(Kinds(record, layout), name)[0]:
            problems.append(Finding(f"NO_{name.upper()}", _MISSING[name]))
        elif (totals := _totals(record, declared)) is None:
            problems.append(Finding(f"{name.upper()}_INVALID", f"the {name} {_INVALID}"))
        else:
            found.append(totals)
    merged = merged_totals(found)
    if merged is None:
        problems.append(Finding("HEADER_DIFFERS", DIFFER))
    return ContentCheck(problems=tuple(problems), trailer=merged if layout.control_records else None)


def _cut_off(content: Content, layout: FixedLayout, codec: FixedCodec) -> str:
    length, last = layout.record_length, last_record(content, layout, codec)
    if layout.record_bytes:
        rest = content.size % length
        if not rest or not codec.shown(content.tail[-rest:]).strip(_ENDS + " "):
            return ""
        return f"its last record has {rest} of {length} bytes, so the file looks cut off; ask for it again"
    if content.tail_text(codec.name).endswith(tuple(_ENDS)) or not last or layout.trimmed:
        return ""
    record = grid_of_lines(last, codec.widths if layout.counts_bytes else None)
    kinds, size = Kinds(record, layout), int(record.lengths[0])
    if size >= length or kinds.header[0] or kinds.trailer[0]:
        return ""
    return f"its last line is shorter than a record, {size} instead of {length}, {CUT_OFF}"


def _first(source: IO[bytes], layout: FixedLayout, codec: FixedCodec) -> str:
    if layout.record_bytes:
        return codec.shown(source.read(layout.record_bytes))
    return next(_present(codec.shown(source.read(TAIL)), codec), "")


def last_record(content: Content, layout: FixedLayout, codec: FixedCodec) -> str:
    """The last record, or line that is not blank, in the tail of the content; empty, if there is none."""
    if layout.record_bytes:
        whole = content.size - content.size % layout.record_bytes
        start = whole - layout.record_bytes - (content.size - len(content.tail))
        return codec.shown(content.tail[start:][: layout.record_bytes]) if whole else ""
    lines = list(_present(content.tail_text(codec.name), codec))
    return lines[-1] if lines else ""


def _present(text: str, codec: FixedCodec) -> Iterator[str]:
    """The lines that are not blank."""
    whole = text.replace(NEW_LINE, "\n") if codec.is_ebcdic else text.removeprefix("\ufeff")
    return (line for line in re.split(r"[\r\n]", whole) if line.strip(" \t" + END_OF_TEXT))


def _totals(record: Grid, declared: ControlRecord) -> TrailerTotals | None:
    """The count and the totals of the record; None, if one of them is cut off, or not a number."""
    places = {"": declared.count} if declared.count else {}
    if record.lengths[0] < declared.end:
        return None  # the digits that are there would be another number
    texts = {
        name: number_text(record.texts(place.start, place.length)[0].as_py(), place)
        for name, place in {**places, **declared.totals}.items()
    }
    if None in texts.values():
        return None
    numbers = {name: Decimal(text) for name, text in texts.items() if text is not None}
    count = numbers.pop("", None)
    if count is not None and count != int(count):
        return None
    return TrailerTotals(count=None if count is None else int(count) - declared.counts_also, totals=numbers)
