"""Reads the header and the blocks of an Avro container file, each unpacked within limits and checked by its marker."""

from __future__ import annotations

import bz2
import json
import lzma
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from data_platform.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from data_platform.model.source import Unpack

MAGIC = b"Obj\x01"
_MARKER_BYTES = 16
_MOST_BYTES = 1 << 28
"""A header or block that claims to be larger is damaged; writers make blocks of kilobytes."""
_DAMAGE = (EOFError, ValueError, OSError, MemoryError, zlib.error, lzma.LZMAError)


@dataclass(frozen=True)
class Header:
    """``schema`` is that of the writer, as JSON; ``marker`` ends each block."""

    schema: Any
    codec: str
    marker: bytes


@dataclass(frozen=True)
class Block:
    count: int
    content: bytes


def read_header(source: IO[bytes], file: str) -> Header:
    """Reads the header of ``source``, which is at its start.

    Raises:
        SourceError: It is not an Avro file, is cut off, or has a compression that is not read.
    """
    try:
        if source.read(len(MAGIC)) != MAGIC:
            raise SourceError(f"{file}: not an Avro file. Ask for one.")
        metadata = dict(_pairs(source))
        marker = _exactly(source, _MARKER_BYTES)
        header = Header(json.loads(metadata["avro.schema"]), metadata.get("avro.codec", b"null").decode(), marker)
    except (*_DAMAGE, KeyError, RecursionError):
        raise SourceError(f"{file}: its header is cut off or damaged. Ask for it again.") from None
    if header.codec not in CODECS:
        raise SourceError(f"{file}: compressed with {header.codec!r}, which is not read. Ask for {', '.join(CODECS)}.")
    return header


def read_blocks(source: IO[bytes], header: Header, file: str, limits: Unpack) -> Iterator[Block]:
    """Yields the blocks behind the header.

    Raises:
        SourceError: After all blocks before it, one is cut off or damaged, or unpacks to more than allowed.
    """
    number, packed, unpacked = 0, 0, 0
    while first := source.read(1):
        number += 1
        try:
            count, size = _long(source, first), _long(source)
            if not 0 <= size <= _MOST_BYTES or count < 0:
                raise ValueError
            content = _exactly(source, size)
            packed += size
            most = min(limits.max_bytes - unpacked, max(_MOST_BYTES, packed * limits.max_ratio - unpacked))
            text = CODECS[header.codec](content, most + 1)
            marker = _exactly(source, _MARKER_BYTES)
        except _DAMAGE:
            raise SourceError(f"{file}: block {number} is cut off or damaged. Ask for the file again.") from None
        unpacked += len(text)
        if len(text) > most:
            raise SourceError(f"{file}: block {number} unpacks to more than source.unpack allows.")
        if marker != header.marker:
            raise SourceError(f"{file}: block {number} ends in another marker than the file's. Ask for the file again.")
        if count > len(text):  # every record has a byte, or a damaged count would take hours
            raise SourceError(f"{file}: block {number} has fewer bytes than records. Ask for the file again.")
        yield Block(count, text)


def _pairs(source: IO[bytes]) -> Iterator[tuple[str, bytes]]:
    while count := _long(source):
        if count < 0:  # a negative count is followed by the size of the pairs
            _long(source)
        for _ in range(abs(count)):
            yield _exactly(source, _long(source)).decode(), _exactly(source, _long(source))


def _exactly(source: IO[bytes], size: int) -> bytes:
    if not 0 <= size <= _MOST_BYTES:
        raise ValueError
    content = source.read(size)
    if len(content) < size:
        raise EOFError
    return content


def _long(source: IO[bytes], first: bytes = b"") -> int:
    """A whole number of variable length, zigzag encoded."""
    value = shift = 0
    while True:
        byte = (first or _exactly(source, 1))[0]
        first = b""
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return (value >> 1) ^ -(value & 1)
        if shift > 63:
            raise ValueError


def _snappy(content: bytes, most: int) -> bytes:
    """The block has a checksum of the text, big-endian, behind it."""
    import pyarrow as pa  # type: ignore[import-untyped]

    size, shift = 0, 0
    for byte in content:  # the size of the text, of variable length
        size |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            break
    if size > most:
        return bytes(most)
    text = bytes(pa.decompress(content[:-4], decompressed_size=size, codec="snappy", asbytes=True))
    if zlib.crc32(text) != int.from_bytes(content[-4:], "big"):
        raise ValueError
    return text


def _zstd(content: bytes, most: int) -> bytes:
    import pyarrow as pa

    return bytes(pa.CompressedInputStream(pa.BufferReader(content), "zstd").read(most))


CODECS: dict[str, Callable[[bytes, int], bytes]] = {
    "null": lambda content, _: content,
    "deflate": lambda content, most: zlib.decompressobj(-15).decompress(content, most),
    "bzip2": lambda content, most: bz2.BZ2Decompressor().decompress(content, most),
    "xz": lambda content, most: lzma.LZMADecompressor().decompress(content, most),
    "snappy": _snappy,
    "zstandard": _zstd,
}
