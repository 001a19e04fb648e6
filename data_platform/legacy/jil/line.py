"""Removes comments from lines and finds the attributes of a line. It does not interpret any word."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.legacy.jil.attribute import NATURES, is_statement
from data_platform.model.legacy_coverage import Concern, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KEY = re.compile(r"\s*([A-Za-z_]\w{0,63})[ \t]?:(?!//|\\)", re.ASCII)
"""A line's first word and its colon. The start of a URL or a Windows path does not count."""

_MARK = re.compile(r"""\\.|"|(?<!\S)([A-Za-z_]\w{0,63})[ \t]?:(?!//|\\)""", re.ASCII)
_QUOTE = re.compile(r'\\.|"')
_COMMENT_MARK = re.compile(r'\\.|"|(?<!\S)/\*')
_COMMENTS = re.compile(r"\s*(?:/\*(?:[^*]|\*(?!/))*\*/\s*)*")
_REACH = 20
"""The most further lines of a comment or quoted text that begins inside a line; the next attribute ends it too."""


@dataclass(frozen=True)
class Line:
    number: int
    text: str


def key_of(text: str) -> str | None:
    match = KEY.match(text)
    return match[1].lower() if match else None


def starts_with_key(text: str) -> bool:
    key = key_of(text)
    return key is not None and (key in NATURES or is_statement(key))


def key_marks(text: str) -> Iterator[tuple[int, int, str]]:
    """Yields each word with a colon outside of quotes: its start, the start of its value, and the word."""
    quoted = False
    for match in _MARK.finditer(text):
        if match[0] == '"':
            quoted = not quoted
        elif match[1] and not quoted:
            yield match.start(), match.end(), match[1].lower()


def is_open_quote(text: str, *, already: bool = False) -> bool:
    """Returns whether a quote is open at the end. ``already``: one was open before."""
    count = sum(match[0] == '"' for match in _QUOTE.finditer(text))
    return already != bool(count % 2)


def without_trailing_comment(text: str) -> str:
    """Removes comments at the end that follow a blank; ``/data/*`` and quoted ones are not comments."""
    text = text.rstrip()
    if not text.endswith("*/"):
        return text
    begins, end = _comment_begins(text), len(text)
    while text.endswith("*/", 0, end):
        place = bisect_right(begins, text.rfind("*/", 0, end - 2))
        if place == len(begins) or begins[place] + 2 > end - 2:
            break
        end = begins[place]
        while end and text[end - 1].isspace():
            end -= 1
    return text[:end]


def _comment_begins(text: str) -> list[int]:
    """Returns the positions where a comment may begin: after a blank, and not in quotes."""
    begins, quoted = [], False
    for match in _COMMENT_MARK.finditer(text):
        if match[0] == '"':
            quoted = not quoted
        elif match[0] == "/*" and not quoted:
            begins.append(match.start())
    return begins


def without_comments(lines: Sequence[str], file: str, findings: list[Finding]) -> tuple[list[Line], int]:
    """Returns the remaining lines, with blank ones, since they end a continuation, and the number of comment lines."""
    return _Comments(lines, file, findings).removed()


class _Comments:
    def __init__(self, lines: Sequence[str], file: str, findings: list[Finding]) -> None:
        self.lines = lines
        self.file = file
        self.findings = findings
        self.left: list[Line] = []
        self.at = 0
        self.last_end = max((n for n, line in enumerate(lines) if "*/" in line), default=-1)

    def removed(self) -> tuple[list[Line], int]:
        while self.at < len(self.lines):
            self._line(self.lines[self.at])
        return self.left, len(self.lines) - len(self.left)

    def _line(self, text: str) -> None:
        if text.lstrip().startswith("#"):
            self.at += 1
            return
        rest = text
        while rest.lstrip().startswith("/*"):
            rest = rest[_end_of(_COMMENTS, rest) :]
            if rest.startswith("/*"):
                rest = self._block()
        if rest.strip() or rest is text:
            self._keep(self.at, rest)
        self.at += 1

    def _keep(self, place: int, text: str) -> None:
        text = without_trailing_comment(text)
        opened = _opened_comment(text)
        if opened is not None and (end := self._closed_ahead()) is not None:
            text, self.at = text[:opened].rstrip(), end
        self.left.append(Line(place + 1, text))

    def _block(self) -> str:
        """Skips a comment of several lines and returns the text after its end."""
        begin = self.at
        if self.at >= self.last_end:
            self._add(begin, "this comment is never closed; only its own line was read as a comment. Close it with */")
            return ""
        self.at += 1
        while "*/" not in self.lines[self.at]:
            self.at += 1
        inside = self.lines[begin + 1 : self.at]
        if statements := sum(1 for line in inside if is_statement(key_of(line) or "")):
            text = (
                f"this comment holds statements ({statements}), which were not read; close it before them if they count"
            )
            self._add(begin, text)
        line = self.lines[self.at]
        return line[line.index("*/") + 2 :]

    def _closed_ahead(self) -> int | None:
        """Returns the line that ends the comment begun at this line's end; None if an attribute comes first."""
        for place in range(self.at + 1, min(self.at + 1 + _REACH, len(self.lines))):
            line = self.lines[place]
            if line.rstrip().endswith("*/") and "/*" not in line:
                return place
            if starts_with_key(line) or "/*" in line:
                return None
        return None

    def _add(self, place: int, text: str) -> None:
        self.findings.append(Finding(self.file, place + 1, Concern.COMMENT, "", text))


def closes_ahead(lines: Sequence[Line], at: int) -> bool:
    """Returns whether a quote that is open before ``lines[at]`` ends before the next attribute or blank line."""
    for line in lines[at : at + _REACH]:
        if not line.text.strip() or key_of(line.text) is not None:
            return False
        if is_open_quote(line.text):
            return True
    return False


def _opened_comment(text: str) -> int | None:
    if "/*" not in text:
        return None
    closed = text.rfind("*/")
    return next((place for place in _comment_begins(text) if place > closed), None)


def _end_of(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0
