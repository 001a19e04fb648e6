"""Reads lines as statements about jobs and objects, each attribute with its place.

An attribute continues on the next line after a backslash, in an open quote, and, if it is a list or a condition, where
it is visibly incomplete. Any other line that does not begin with ``word:`` is not JIL; consoles print such lines
between stanzas, and they must not become part of a condition.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from data_platform.legacy.jil.attribute import CALENDARS, JOB_ATTRIBUTES, NATURES, Nature, is_statement
from data_platform.legacy.jil.line import (
    KEY,
    Line,
    closes_ahead,
    is_open_quote,
    key_marks,
    key_of,
    starts_with_key,
    without_comments,
    without_trailing_comment,
)
from data_platform.legacy.jil.text import Source, read_lines
from data_platform.model.legacy_coverage import Concern, Finding

_OPERATOR_FIRST = re.compile(r"\s*(?:[&|)]|(?:and|or)(?![\w.#-]))", re.IGNORECASE)
_OPERATOR_LAST = re.compile(r"(?:[&|(,]|(?<![\w.#-])(?:and|or))\s*\Z", re.IGNORECASE)
_ATOM_FIRST = re.compile(r"[\s(]*[A-Za-z]{1,11}\s*\(")
_ITEMS = re.compile(r"""(?=\D*\d)[\s\d:\\,"'/-]+\Z""", re.ASCII)
_SET_GLOBAL = re.compile(r"""\s*sendevent\b.*\bSET_GLOBAL\b.*?-G\s*["']?([\w.#-]{1,64})=([^"']*)""", re.ASCII)

_COMMAND_LENGTH = 1000


@dataclass(frozen=True)
class Attribute:
    """``value`` is as written: with its lines joined, without comments, with its quotes."""

    key: str
    value: str
    file: str
    line: int


@dataclass(frozen=True)
class Statement:
    """``kind`` is ``insert_job`` or another statement; ``subject`` is the name of its job or object."""

    kind: str
    subject: str
    file: str
    line: int
    attributes: tuple[Attribute, ...]


@dataclass(frozen=True)
class Stanzas:
    """One file's statements; ``stray`` counts its lines that are not JIL, each with a finding."""

    statements: tuple[Statement, ...]
    lines: int
    comments: int
    stray: int


def read_stanzas(source: Source, findings: list[Finding]) -> Stanzas:
    """Never raises; text that is not JIL is added to ``findings``."""
    lines = read_lines(source, findings)
    left, comments = without_comments(lines, source.name, findings)
    reader = _Reader(left, source.name, findings)
    return Stanzas(tuple(reader.statements()), len(lines), comments, reader.stray)


@dataclass
class _Open:
    """A statement before its end."""

    kind: str
    subject: str
    line: int
    attributes: list[Attribute]


class _Reader:
    def __init__(self, lines: list[Line], file: str, findings: list[Finding]) -> None:
        self.lines = lines
        self.file = file
        self.findings = findings
        self.at = 0
        self.stray = 0
        self.opened: list[_Open] = []

    def statements(self) -> list[Statement]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            match = KEY.match(line.text)
            if match is not None:
                self._entry(line.number, match[1].lower(), line.text[match.end() :])
            elif line.text.strip():
                self._text(line)
            else:
                self.at += 1
        return [Statement(o.kind, o.subject, self.file, o.line, tuple(o.attributes)) for o in self.opened]

    def _entry(self, number: int, key: str, first: str) -> None:
        begin = self.at
        self.at += 1
        nature = NATURES.get(key, Nature.TEXT)
        value = self._continued(first, nature)
        if is_statement(key):
            self._statement(number, key, value)
        elif self.opened:
            self._attribute(number, key, value, nature)
        else:
            self._add(number, Concern.TEXT, key, "an attribute before any statement; put insert_job before it")
            self.stray += self.at - begin

    def _continued(self, first: str, nature: Nature) -> str:
        """Returns the value with all of its lines, and advances after them."""
        text, parts = first.rstrip(), []
        depth, quoted = 0, False
        while self.at < len(self.lines):
            following = self.lines[self.at].text
            depth += text.count("(") - text.count(")") if nature is Nature.CONDITION else 0
            quoted = is_open_quote(text, already=quoted)
            if _ends_with_backslash(text):
                if not self._joins(following):
                    break
                blank = " " if text[-2:-1].isspace() or following[:1].isspace() else ""
                parts += [text[:-1].rstrip(), blank]
            elif self._continues(text, following, nature, depth) or (
                quoted and self._quote_continues(first, is_first=not parts)
            ):
                parts += [text, " "]
            else:
                break
            text = following.strip()
            self.at += 1
        return "".join([*parts, text]).strip()

    def _joins(self, following: str) -> bool:
        """Returns False for a backslash before an attribute of JIL: it is the end of a Windows path."""
        if not following.strip():
            return False
        if starts_with_key(following):
            text = "ends with a backslash before an attribute; the backslash was kept as text"
            self._add(self.lines[self.at].number - 1, Concern.AMBIGUITY, "", text)
            return False
        return True

    def _continues(self, text: str, following: str, nature: Nature, depth: int) -> bool:
        if key_of(following) is not None or not following.strip():
            return False
        if nature is Nature.CONDITION:
            begins = not text.strip() and _ATOM_FIRST.match(following)
            return depth > 0 or bool(begins or _OPERATOR_LAST.search(text[-8:]) or _OPERATOR_FIRST.match(following))
        if nature is Nature.LIST:
            return text.endswith(",") or following.lstrip().startswith(",") or bool(_ITEMS.match(following))
        return False

    def _quote_continues(self, first: str, *, is_first: bool) -> bool:
        """Once a closing quote was seen ahead, each line up to it is part of the value."""
        if not first.lstrip().startswith('"'):
            return False
        return not is_first or closes_ahead(self.lines, self.at)

    def _statement(self, number: int, kind: str, text: str) -> None:
        """Reads a statement's line: its subject, and any number of attributes and statements."""
        marks = _split_marks(text, of_statement=True)
        subject, *behind = text[: marks[0][0] if marks else len(text)].split(None, 1) or [""]
        self.opened.append(_Open(kind, subject, number, []))
        if behind and (rest := without_trailing_comment(" " + behind[0]).strip()):
            self._extra(number, rest)
        self._pairs(number, text, marks)

    def _extra(self, number: int, rest: str) -> None:
        """``override_job: name delete`` is the only statement with a word after its subject."""
        opened = self.opened[-1]
        if opened.kind == "override_job" and rest.lower() == "delete":
            opened.attributes.append(Attribute("delete", "", self.file, number))
            return
        text = "text after the name that is not an attribute; put each attribute on a line of its own"
        self._add(number, Concern.TEXT, opened.subject, text)

    def _attribute(self, number: int, key: str, text: str, nature: Nature) -> None:
        marks = _split_marks(text, of_statement=False)
        if nature is Nature.TEXT and marks:
            subject, word = f"{self.opened[-1].subject}.{key}", marks[0][2]
            self._add(number, Concern.AMBIGUITY, subject, f"holds '{word}:', which was kept as part of the text")
            marks = []
        value = text[: marks[0][0]] if marks else text
        self.opened[-1].attributes.append(Attribute(key, without_trailing_comment(value), self.file, number))
        self._pairs(number, text, marks)

    def _pairs(self, number: int, text: str, marks: list[tuple[int, int, str]]) -> None:
        for place, (_, begin, key) in enumerate(marks):
            end = marks[place + 1][0] if place + 1 < len(marks) else len(text)
            value = without_trailing_comment(text[begin:end]).strip()
            if is_statement(key):
                subject, *behind = value.split(None, 1) or [""]
                self.opened.append(_Open(key, subject, number, []))
                if behind:
                    self._extra(number, behind[0])
            else:
                self.opened[-1].attributes.append(Attribute(key, value, self.file, number))

    def _text(self, line: Line) -> None:
        """Reads a calendar's dates, a global variable that a command sets, or a run of lines that are not JIL."""
        if self.opened and self.opened[-1].kind in CALENDARS and _ITEMS.match(line.text):
            self.opened[-1].attributes.append(Attribute("dates", line.text.strip(), self.file, line.number))
            self.at += 1
        elif match := _SET_GLOBAL.match(line.text[:_COMMAND_LENGTH]):
            value = Attribute("value", match[2].strip(), self.file, line.number)
            self._add(line.number, Concern.AMBIGUITY, match[1], "a command, read as the global variable that it sets")
            # The lines that follow still belong to the statement around the command, so that one stays the last.
            self.opened.insert(max(len(self.opened) - 1, 0), _Open("insert_global", match[1], line.number, [value]))
            self.at += 1
        else:
            self._stray(line)

    def _stray(self, line: Line) -> None:
        begin = self.at
        while self.at < len(self.lines) and (text := self.lines[self.at].text).strip() and key_of(text) is None:
            self.at += 1
        count = self.at - begin
        self.stray += count
        lines = "this line is" if count == 1 else f"these {count} lines are"
        self._add(line.number, Concern.TEXT, "", f"{lines} not JIL and ignored; comment it out, or correct it")

    def _add(self, number: int, concern: Concern, subject: str, text: str) -> None:
        self.findings.append(Finding(self.file, number, concern, subject, text))


def _split_marks(text: str, *, of_statement: bool) -> list[tuple[int, int, str]]:
    """Returns where further attributes begin. On a statement's line an unknown word may be one, too, but not after a
    command or another text: there only attributes of JIL count.
    """
    marks, in_text = [], False
    for mark in key_marks(text):
        key = mark[2]
        if key in NATURES or is_statement(key) or (of_statement and not in_text):
            marks.append(mark)
            in_text = key in JOB_ATTRIBUTES and NATURES[key] is Nature.TEXT
    return marks


def _ends_with_backslash(text: str) -> bool:
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1
