"""Detects compressed files by their first bytes, and unpacks them as a stream of at most the size the policy allows.

Gzip, bzip2, zstd and zip are supported, and only for text formats. A file whose name and bytes indicate different
packings is refused, because it is unknown which of the two is wrong.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, cast

from data_platform.errors import SourceError
from data_platform.ingestion.zstd import ZstdFile
from data_platform.model.packing import SUPPORTED, Packing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.source import Unpack

HEAD = 1 << 9
SMALL = 16 << 20
"""Below this unpacked size the ratio is not checked: a day of equal rows may well compress to a thousandth."""

_MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"\x1f\x9d", "compress"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file"),
    (b"%PDF-", "PDF"),
    (b"SQLite format 3\x00", "SQLite"),
    (b"Obj\x01", "Avro"),
    (b"PAR1", "Parquet"),
    (b"ORC\x08", "ORC"),
    (b"ORC\x0a", "ORC"),
    (b"\xff\x06\x00\x00sNaPpY", "snappy"),
    (b"\x89LZO\x00\r\n\x1a\n", "lzo"),
    (b"\x5d\x00\x00", "lzma"),
    (b"-----BEGIN PGP MESSAGE", "PGP (encrypted)"),
    (b"age-encryption.org/", "age (encrypted)"),
    (b"Salted__", "OpenSSL (encrypted)"),
    (b"version https://git-lfs.github.com/spec/", "a pointer of Git LFS"),
)
_BZIP2 = b"1AY&SY"
_ZLIB_LEVELS = (0x01, 0x5E, 0x9C, 0xDA)
_TEXT_START = 16
_OFFICE = (b"[Content_Types].xml", b"_rels/.rels", b"mimetypeapplication/vnd.")
DAMAGE = (
    OSError, EOFError, ValueError, KeyError, RuntimeError, struct.error, zlib.error, lzma.LZMAError, zipfile.BadZipFile
)  # fmt: skip
"""What Python raises for invalid compressed bytes; the file itself is already open then."""
_ENCRYPTED = 0x1


@dataclass(frozen=True, kw_only=True)
class Member:
    """The location of a file's text: ``path`` on disk, packed or not; ``name`` is the name of the entry of a zip."""

    path: str
    packing: Packing = Packing.NONE
    name: str = ""


def kind_of(head: bytes) -> str:
    """The kind of file that the first bytes indicate, such as ``gzip``; empty, if they may be text."""
    if head.startswith(b"BZh") and head[4:10] == _BZIP2:
        return "bzip2"
    if head[257:262] == b"ustar":
        return "tar"
    if head[:1] == b"\x78" and len(head) > 1 and head[1] in _ZLIB_LEVELS and not head[:_TEXT_START].isascii():
        return "zlib"
    if head.startswith(b"PK\x03\x04") and any(mark in head for mark in _OFFICE):
        return "a spreadsheet or another Office file"
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")


def packing_of(name: str, head: bytes) -> Packing:
    """The packing of the file, determined from its name and its first bytes.

    Raises:
        SourceError: Name and bytes disagree, or the packing is not supported.
    """
    lower, kind = name.lower(), kind_of(head)
    named = next((packing for packing in Packing if packing.ending and lower.endswith(packing.ending)), None)
    if named is None:
        if kind:
            raise SourceError(f"{name}: {_name_problem(kind)}")
        return Packing.NONE
    if kind != named.value:
        contradiction = f"its bytes are {kind}" if kind else "its bytes are not"
        raise SourceError(
            f"{name}: is named as {named.value}, but {contradiction}. Ask for a complete file under its right name."
        )
    return named


def _name_problem(kind: str) -> str:
    if kind in set(Packing):
        ending = Packing(kind).ending
        return (
            f"is compressed with {kind}, but its name does not end in {ending}. Have it renamed, or sent uncompressed."
        )
    return f"its bytes are {kind}, not text. Ask for text, uncompressed or in {SUPPORTED}."


def zip_members(raw: IO[bytes], name: str, limits: Unpack) -> tuple[str, ...]:
    """The names of the files in the zip that is open as ``raw``, in order.

    Raises:
        SourceError: The zip is incomplete or has too many files, or an entry is encrypted, a link, named twice, or has
            a path outside the zip.
    """
    try:
        with zipfile.ZipFile(raw) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    except DAMAGE:
        raise SourceError(f"{name}: the zip is cut off or damaged. Ask the sender for it again.") from None
    if len(entries) > limits.max_files:
        raise SourceError(
            f"{name}: the zip has {len(entries)} files, and source.unpack.max_files allows {limits.max_files}."
        )
    names = [entry.filename for entry in entries]
    problems = [problem for entry in entries if (problem := _entry_problem(entry))]
    problems += [f"{one} occurs twice" for one in sorted(set(names)) if names.count(one) > 1]
    if problems:
        raise SourceError(f"{name}: the zip is refused: {'; '.join(problems[:5])}. Ask for a zip without that.")
    return tuple(names)


def _entry_problem(entry: zipfile.ZipInfo) -> str:
    parts = entry.filename.replace("\\", "/").split("/")
    if entry.orig_filename.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or "\0" in entry.orig_filename:
        return f"{entry.filename} has a path outside the zip"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return f"{entry.filename} is a link"
    if entry.flag_bits & _ENCRYPTED:
        return f"{entry.filename} is encrypted"
    return ""


class Unpacked(io.RawIOBase):
    """A stream of unpacked bytes; damage raises a SourceError that names the file."""

    def __init__(self, opened: IO[bytes], owner: IO[bytes], name: str) -> None:
        self._opened, self._owner, self._name = opened, owner, name

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._opened.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        try:
            block = self._opened.read(len(buffer))
        except DAMAGE:
            raise SourceError(
                f"{self._name}: the compressed file is cut off or damaged. Ask the sender for it again."
            ) from None
        buffer[: len(block)] = block
        return len(block)

    def close(self) -> None:
        if not self.closed:
            self._opened.close()
            self._owner.close()
        super().close()


def unpacked(raw: IO[bytes], member: Member, name: str) -> IO[bytes]:
    """Opens the text of ``member``, whose file is open as ``raw``; closing the text closes ``raw`` too.

    Raises:
        SourceError: At once or while reading: the file is cut off, damaged, or has an unsupported compression.
    """
    if member.packing is Packing.NONE:
        return raw
    try:
        opened = _opened(raw, member)
    except DAMAGE:
        raw.close()
        raise SourceError(
            f"{name}: it cannot be unpacked: it is damaged, or its compression is not supported."
        ) from None
    return io.BufferedReader(Unpacked(opened, raw, name), 1 << 18)


def _opened(raw: IO[bytes], member: Member) -> IO[bytes]:
    """What is returned is closed by its reader."""
    match member.packing:
        case Packing.GZIP:
            return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
        case Packing.BZIP2:
            return cast("IO[bytes]", bz2.BZ2File(raw))
        case Packing.ZSTD:
            return cast("IO[bytes]", ZstdFile(raw))
    return zipfile.ZipFile(raw).open(member.name)


class Budget:
    """Limits how many bytes one delivery may unpack to."""

    def __init__(self, limits: Unpack) -> None:
        self._limits, self._bytes = limits, 0

    def checked(self, source: IO[bytes], name: str, packed: int, block: int) -> Iterator[bytes]:
        """Yields and counts blocks of ``source``. Raises: SourceError, as soon as there are more bytes than allowed."""
        own = 0
        while chunk := source.read(block):
            own += len(chunk)
            self.count(len(chunk), name)
            if own > SMALL and own > packed * self._limits.max_ratio:
                raise SourceError(
                    f"{name}: it unpacks to more than {self._limits.max_ratio} times its size "
                    "(source.unpack.max_ratio). Raise it if the delivery is that large."
                )
            yield chunk

    def count(self, size: int, name: str) -> None:
        """Counts unpacked bytes of the file ``name``. Raises: SourceError, if there are more than allowed."""
        self._bytes += size
        if self._bytes > self._limits.max_bytes:
            raise SourceError(
                f"{name}: the delivery unpacks to more than {self._limits.max_bytes} bytes "
                "(source.unpack.max_bytes). Raise it if the delivery is that large."
            )
