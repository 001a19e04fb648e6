"""Reads a file once before its rows are read: its digest, its last lines, and whether it unpacks within the limits.

All facts about a file's content come from this one pass, so that a large file is read only once for them.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from data_platform.errors import SourceError, SourceUnavailableError
from data_platform.ingestion.landing.folder import open_inside, shown
from data_platform.ingestion.landing.pattern import is_ignored
from data_platform.ingestion.landing.unexpected import is_left_by_system, why_not_in_zip
from data_platform.ingestion.packing import HEAD, Budget, Member, kind_of, packing_of, unpacked, zip_members
from data_platform.model.packing import Packing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.ingestion.formats.protocol import FileFormat
    from data_platform.model.source import Source

_CHUNK = 1 << 20
_ENDS = b"\r\n\x1a"
"""Characters that may end a text; 0x1A is the end-of-file character of DOS."""
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BLANK = b" \t\r\n\x0b\x0c\x1a" + codecs.BOM_UTF8 + codecs.BOM_UTF16_LE
TAIL = 1 << 16
"""Number of bytes kept from the end of a file, to find its last record."""

FileState = tuple[int, ...]
"""Size, modification time and inode number of a file: if one of them differs, the file has changed."""


@dataclass(frozen=True, kw_only=True)
class Content:
    """``sha256`` is the digest of the unpacked text; ``newlines`` counts line feeds.

    ``tail`` starts at a multiple of 4 bytes. ``text_digest`` is equal for files that differ only in line ends and
    byte-order mark.
    """

    sha256: str
    size: int
    text_digest: str = ""
    newlines: int = 0
    head: bytes = b""
    tail: bytes = b""
    is_blank: bool = False
    """Whether the content is empty, or has only blanks, line ends and byte-order marks."""

    @property
    def has_one_line(self) -> bool:
        """Whether the content is empty, or has a single line, such as the column names."""
        return self.size <= TAIL and not re.search(rb"[\r\n]", self.tail.strip(b"\r\n\0 "))

    def tail_text(self, encoding: str) -> str:
        """``tail`` as text; it has no byte-order mark unless it is the whole file."""
        codec = codecs.lookup(encoding).name
        if codec in ("utf-16", "utf-32") and self.size > TAIL:
            marks = {"utf-16": codecs.BOM_UTF16_BE, "utf-32": codecs.BOM_UTF32_BE}
            codec = f"{codec}-be" if self.head.startswith(marks[codec]) else f"{codec}-le"
        return self.tail.decode("utf-8-sig" if codec == "utf-8" else codec, errors="replace")


class _TextDigest:
    """Computes the digest of a text with all line ends as line feeds, and none at its end."""

    def __init__(self) -> None:
        self._digest, self._waiting = hashlib.sha256(), b""

    def update(self, block: bytes) -> None:
        text = self._waiting + block
        complete = text.rstrip(_ENDS) if len(self._waiting) < _CHUNK else text
        self._waiting = text[len(complete) :]
        self._digest.update(complete.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


@dataclass(frozen=True, kw_only=True)
class FileContent:
    """A file of the delivery and its content: one text, or the texts of a zip by their names."""

    sha256: str
    state: FileState
    parts: dict[str, tuple[Member, Content]] = field(default_factory=dict)


def state_of(source: IO[bytes]) -> FileState:
    status = os.fstat(source.fileno())
    return status.st_size, status.st_mtime_ns, status.st_ino


def read_content(
    path: str, root: str, name: str, source: Source, file_format: FileFormat, budget: Budget
) -> FileContent:
    """Reads and measures the file at ``path``; messages call it ``name``.

    Raises:
        SourceError: The file has an unsupported packing, is damaged, or unpacks to more than allowed.
        SourceUnavailableError: The file was written to while it was read.
        OSError: The file does not exist, or cannot be opened.
    """
    with open_inside(path, root) as raw:
        state = state_of(raw)
        whole = measure(iter(lambda: raw.read(_CHUNK), b""))
        if state_of(raw) != state:
            raise SourceUnavailableError(f"{name} changed while it was read; run again when its sender has written it")
    if whole.size and (problem := file_format.content_problem(whole.head)):
        raise SourceError(f"{name}: {problem}")
    is_compressible = whole.size and source.format.traits.is_compressible
    packing = packing_of(name, whole.head) if is_compressible else Packing.NONE
    if packing is Packing.NONE:
        return FileContent(sha256=whole.sha256, state=state, parts={name: (Member(path=path), whole)})
    members = _members(path, root, name, packing, source)
    parts = {part: (member, _unpacked(member, part, root, whole.size, budget)) for part, member in members.items()}
    return FileContent(sha256=whole.sha256, state=state, parts=parts)


def raw_digest(path: str, root: str) -> str:
    """The SHA-256 digest of the file as it is on disk."""
    with open_inside(path, root) as raw:
        return measure(iter(lambda: raw.read(_CHUNK), b"")).sha256


def measure(blocks: Iterable[bytes]) -> Content:
    digest, text, size, newlines, head, tail, blank = hashlib.sha256(), _TextDigest(), 0, 0, b"", b"", True
    for block in blocks:
        digest.update(block)
        text.update(block if size else block.removeprefix(codecs.BOM_UTF8))
        size += len(block)
        blank = blank and not block.strip(_BLANK + b"\0" if (head or block).startswith(_WIDE) else _BLANK)
        newlines += block.count(b"\n")
        head = head if len(head) >= HEAD else (head + block)[:HEAD]
        tail = (tail + block)[-TAIL:] if len(block) < TAIL else block[-TAIL:]
    return Content(
        sha256=digest.hexdigest(),
        size=size,
        text_digest=text.hexdigest(),
        newlines=newlines,
        head=head,
        tail=tail[-(size - len(tail)) % 4 :],
        is_blank=blank,
    )


def _members(path: str, root: str, name: str, packing: Packing, source: Source) -> dict[str, Member]:
    if packing is not Packing.ZIP:
        return {name: Member(path=path, packing=packing)}
    with open_inside(path, root) as raw:
        entries = zip_members(raw, name, source.unpack)
    members = {}
    for entry in entries:
        full = f"{name}/{entry}"
        if is_left_by_system(entry) or is_ignored(source, full):
            continue
        if reason := why_not_in_zip(entry, source.format):
            raise SourceError(
                f"{name}: it contains {shown(entry)}, {reason}; all files in a zip must have the declared format. "
                "Ask for a zip without it, or name the entry in source.ignore."
            )
        members[full] = Member(path=path, packing=packing, name=entry)
    if not members:
        raise SourceError(f"{name}: the zip contains no {source.format.value} file. Ask the sender for it again.")
    return members


def _unpacked(member: Member, name: str, root: str, packed: int, budget: Budget) -> Content:
    with unpacked(open_inside(member.path, root), member, name) as source:
        content = measure(budget.checked(source, name, packed, _CHUNK))
    if kind := kind_of(content.head):
        raise SourceError(f"{name}: its compressed content is {kind}, not text. Ask for text that is compressed once.")
    return content
