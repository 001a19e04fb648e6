"""Decodes a file's bytes to lines, whatever tool exported it, without losing any text.

It reads UTF-8 and UTF-16 with or without a byte-order mark; else it reads each line that is not UTF-8 as Windows-1252
and reports that. Line ends may be of any system. It removes NUL and invisible characters and reports that too.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.legacy_coverage import Concern, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_SAMPLE = 4096
_INVISIBLE = re.compile("[\ufeff\u200b-\u200f\u2060]")
"""In front of ``insert_job`` such a character would make the attributes after it those of the job before."""


@dataclass(frozen=True)
class Source:
    """``name`` is the file's name in findings."""

    name: str
    content: bytes


def read_lines(source: Source, findings: list[Finding]) -> list[str]:
    """Returns the lines without their line ends. A line end at the end of the file adds no empty line."""
    text = _decoded(source, findings)
    if "\0" in text:
        count = text.count("\0")
        findings.append(_finding(source, 0, f"{count} NUL characters were removed; is this a text file?"))
        text = text.replace("\0", "")
    if count := len(_INVISIBLE.findall(text)):
        what = "byte-order marks or other invisible characters within the file, as where files were joined"
        findings.append(_finding(source, 0, f"{count} {what}, were removed"))
        text = _INVISIBLE.sub("", text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _decoded(source: Source, findings: list[Finding]) -> str:
    content = source.content
    codec = _UTF16.get(content[:2])
    if codec is not None:
        return _utf16(source, content[2:], codec, findings)
    if codec := _utf16_without_mark(content):
        return _utf16(source, content, codec, findings)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _line_by_line(source, content.removeprefix(codecs.BOM_UTF8), findings)


def _utf16(source: Source, content: bytes, codec: str, findings: list[Finding]) -> str:
    try:
        return content.decode(codec)
    except UnicodeDecodeError:
        findings.append(_finding(source, 0, "not whole UTF-16; what could not be read is U+FFFD. Export it again"))
        return content.decode(codec, errors="replace")


def _utf16_without_mark(content: bytes) -> str | None:
    """JIL is almost all ASCII, so in UTF-16 nearly every second byte is NUL."""
    sample = content[:_SAMPLE]
    half = len(sample) // 2
    if half < 2 or len(content) % 2:
        return None
    if sample[1::2].count(0) > 0.8 * half and sample[::2].count(0) < 0.1 * half:
        return "utf-16-le"
    if sample[::2].count(0) > 0.8 * half and sample[1::2].count(0) < 0.1 * half:
        return "utf-16-be"
    return None


def _line_by_line(source: Source, content: bytes, findings: list[Finding]) -> str:
    lines, not_utf8 = [], []
    for number, line in enumerate(_split(content), start=1):
        try:
            lines.append(line.decode())
        except UnicodeDecodeError:
            not_utf8.append(number)
            lines.append(_windows(line))
    if not_utf8:
        more = f" (and {len(not_utf8) - 1} more lines)" if len(not_utf8) > 1 else ""
        findings.append(_finding(source, not_utf8[0], f"not UTF-8; read as Windows-1252{more}. Save the file as UTF-8"))
    return "\n".join(lines)


def _split(content: bytes) -> Iterable[bytes]:
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def _windows(line: bytes) -> str:
    """Decodes Windows-1252; its five undefined bytes become Latin-1's control characters, as in browsers."""
    try:
        return line.decode("cp1252")
    except UnicodeDecodeError:
        return "".join(bytes([byte]).decode("cp1252", errors="ignore") or chr(byte) for byte in line)


def _finding(source: Source, line: int, text: str) -> Finding:
    return Finding(source.name, line, Concern.ENCODING, "", text)
