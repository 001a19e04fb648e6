"""Detects a text file that ends in the middle of its last record because its copy was interrupted.

The last line of such a file has no line end and is not a complete record. A file cut within its last field, or right
after a line, looks complete; only a manifest or a trailer can reveal it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.ingestion.content import TAIL
from data_platform.ingestion.delimited import CsvFormat, ends_inside_quotes
from data_platform.ingestion.encoding import END_OF_TEXT
from data_platform.ingestion.jsonlines import read_json_records
from data_platform.ingestion.trailer import codec_of_tail
from data_platform.model.source import SourceFormat

if TYPE_CHECKING:
    from data_platform.ingestion.content import Content


def cut_off(content: Content, kind: SourceFormat, fmt: CsvFormat, width: int) -> str:
    """Why the last line is not a complete record of ``width`` fields; empty if it is one, or has a line end."""
    codec = codec_of_tail(content, fmt.encoding) if kind is SourceFormat.CSV else "utf-8-sig"
    text = content.tail.decode(codec, errors="replace")
    if text.endswith(("\n", "\r", END_OF_TEXT)):
        return ""
    line = text[max(text.rfind("\n"), text.rfind("\r")) + 1 :]
    if not line.strip() or (len(line) == len(text) and content.size > TAIL):
        return ""
    if kind is SourceFormat.JSONL:
        broken = any(record.malformed.startswith("not JSON") for record in read_json_records([line.encode()], ""))
        return _OF_JSON if broken else ""
    if ends_inside_quotes(line, fmt):
        return "its last line opens a quote and has no line end, so the file looks cut off; ask for it again"
    fields = line.count(fmt.delimiter) + 1
    if fmt.quote in line or fields >= width or line == text:
        return ""
    return f"its last line has {fields} of {width} fields and no line end, so the file looks cut off; ask for it again"


_OF_JSON = "its last line is no whole JSON object and has no line end, so the file looks cut off; ask for it again"
