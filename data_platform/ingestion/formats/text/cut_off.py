"""Finds the last line of a text that ends without a line end, as one does whose copy was interrupted.

The format decides whether the line is a complete record. A file that was cut off within its last field, or right after
a line, looks complete; only a manifest or a trailer can reveal it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.ingestion.content import TAIL
from data_platform.ingestion.formats.text.encoding import END_OF_TEXT

if TYPE_CHECKING:
    from data_platform.ingestion.content import Content

CUT_OFF = "and has no line end, so the file looks cut off; ask for it again"


@dataclass(frozen=True)
class UnendedLine:
    text: str
    is_first: bool


def unended_line(content: Content, encoding: str) -> UnendedLine | None:
    """The last line; None, if it has a line end, is blank, or is longer than the tail of the content."""
    text = content.tail_text(encoding)
    if text.endswith(("\n", "\r", END_OF_TEXT)):
        return None
    line = text[max(text.rfind("\n"), text.rfind("\r")) + 1 :]
    is_first = len(line) == len(text)
    if not line.strip() or (is_first and content.size > TAIL):
        return None
    return UnendedLine(line, is_first)
