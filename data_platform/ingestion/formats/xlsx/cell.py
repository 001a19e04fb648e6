"""Turns a cell of a sheet into text, or says why it has no value that can be trusted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from data_platform.ingestion.formats.xlsx.workbook import Moment, text_of
from data_platform.ingestion.formats.xml_stream import local_name

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Mapping, Sequence

_DIGITS = 15
"""Excel keeps this many digits of a number."""
_PLAIN = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_FALSE_DAY = 60
"""1900-02-29, which Excel has and the calendar has not."""
_ERRORS = {"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA", "#SPILL!", "#CALC!"}
_LAST_DAY = 2_958_465
"""9999-12-31."""


class CellError(ValueError):
    """The cell has no value; the message is the reason, without any value."""


@dataclass(frozen=True)
class CellReader:
    """``texts`` are the shared ones; ``dates`` has the styles of cells with a day, a time or a duration."""

    texts: Sequence[str]
    dates: Mapping[int, Moment]
    starts_in_1904: bool

    def text(self, cell: ET.Element) -> str | None:
        """The text of the cell; None, if it is empty.

        Raises:
            CellError: It is an error cell, a formula without a result, or a number that Excel has rounded.
        """
        kind, parts = cell.get("t", "n"), {local_name(child.tag): child for child in cell}
        if "is" in parts:
            return text_of(parts["is"]) or None
        value = parts["v"].text if "v" in parts else None
        if not value and kind != "str":
            if "f" in parts:
                raise CellError("a formula without a result; have the workbook calculated and saved by Excel")
            return None
        try:
            return self._typed(kind, value or "", int(cell.get("s", "0"))) or None
        except CellError:
            raise
        except (ValueError, IndexError, ArithmeticError):
            raise CellError("a cell whose content is not valid") from None

    def _typed(self, kind: str, value: str, style: int) -> str:
        if kind == "s":
            return self.texts[int(value)]
        if kind == "e":
            raise CellError(f"an error cell, {value if value in _ERRORS else '#…'}")
        if kind == "b":
            return "true" if value == "1" else "false"
        if kind != "n":  # a text, or a day in ISO 8601
            return value
        shows = self.dates.get(style, Moment.NONE)
        if shows is Moment.DURATION:
            return _hours(Decimal(value))
        return self._moment(Decimal(value)) if shows else number_text(value)

    def _moment(self, serial: Decimal) -> str:
        """The day, the day and time, or the time of a serial number."""
        if not 0 <= serial < _LAST_DAY + 1:
            raise CellError("a number that is no day, with the format of a day")
        days, rest = divmod(serial, 1)
        seconds = round(float(rest) * 86_400, 3)
        if not self.starts_in_1904 and days == _FALSE_DAY:
            raise CellError("the day 1900-02-29, which does not exist")
        if days == 0 and not self.starts_in_1904:
            return _written(datetime(1900, 1, 1) + timedelta(seconds=seconds))[11:]
        first = datetime(1904, 1, 1) if self.starts_in_1904 else datetime(1899, 12, 30 + (days < _FALSE_DAY))
        moment = first + timedelta(days=int(days), seconds=seconds)
        return _written(moment) if rest else moment.date().isoformat()


def _hours(days: Decimal) -> str:
    """``30:15:00`` for 1.260416…"""
    seconds = round(abs(days) * 86_400)
    return f"{'-' if days < 0 else ''}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _written(moment: datetime) -> str:
    return moment.isoformat(" ", "milliseconds").removesuffix(".000")


def number_text(value: str) -> str:
    """The digits of a number as Excel shows them: ``0.1`` for 0.10000000000000001.

    Raises:
        CellError: It has more digits than Excel keeps, so that the last ones are lost.
    """
    digits = len(value.replace(".", "").lstrip("-0"))
    if digits <= _DIGITS and _PLAIN.fullmatch(value):
        return value
    number = Decimal(f"{float(value):.{_DIGITS}g}")
    if abs(number) >= 10**_DIGITS:
        raise CellError("a number of more than 15 digits, of which Excel keeps 15; have it sent as text")
    return format(number.normalize(), "f")
