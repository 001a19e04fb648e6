"""What the encoding of a fixed-width file means for its bytes: its line ends, and the width of its characters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from data_platform.errors import SourceError
from data_platform.model.text_form import codec_of

_ONE_BYTE = re.compile(r"iso8859-\d+|cp125\d|cp437|cp85\d|cp86\d|koi8-[ru]|mac-\w+|ascii")
_EBCDIC = re.compile(r"cp(?:037|1026|1140|273|424|500|875)")
_WIDE = ("utf-16", "utf-32", "utf-7")
"""Encodings in which a line feed is not the single byte 0x0A, or needs the text before it."""
_NEARLY_ALL = 0.9
_FIRST_LETTER = 0x81
"""In EBCDIC; its digits are behind the letters."""
NEW_LINE = "\x85"
"""The end of a line in EBCDIC."""


@dataclass(frozen=True)
class FixedCodec:
    """``encoding`` is the name in the policy or the manifest."""

    encoding: str

    @cached_property
    def name(self) -> str:
        try:
            return codec_of(self.encoding)
        except ValueError as error:
            raise SourceError(str(error)) from None

    @property
    def is_ebcdic(self) -> bool:
        return bool(_EBCDIC.fullmatch(self.name))

    @property
    def has_one_byte(self) -> bool:
        """Whether every character is one byte."""
        return self.is_ebcdic or bool(_ONE_BYTE.fullmatch(self.name))

    @property
    def can_be_cut(self) -> bool:
        """Whether a line end is one byte that occurs nowhere else."""
        return not self.name.startswith(_WIDE) and not self.name.startswith(("iso2022", "hz"))

    @property
    def line_ends(self) -> bytes:
        return b"\x15\x25" if self.is_ebcdic else b"\n"

    def text_of(self, content: bytes) -> str:
        """The text with line feeds as line ends. Raises: UnicodeError, if a byte is not valid."""
        text = content.decode(self.name)
        return text.replace(NEW_LINE, "\n") if self.is_ebcdic else text

    def shown(self, content: bytes) -> str:
        """The text with escapes in place of bytes that are not valid, as it is kept of a malformed record."""
        return content.decode(self.name, "backslashreplace")

    def widths(self, code_points: Any) -> Any:
        """The number of bytes of each character in the file."""
        import numpy as np

        distinct, place = np.unique(code_points, return_inverse=True)
        if self.has_one_byte:
            return np.ones(len(code_points), np.int64)
        return np.array([len(chr(point).encode(self.name, "replace")) for point in distinct.tolist()], np.int64)[place]

    def doubt(self, head: bytes) -> str:
        """Why the first bytes of a file do not look like this encoding; empty if they may be."""
        text = head.translate(None, b" \t\r\n\0@")
        if self.is_ebcdic and text and sum(byte >= _FIRST_LETTER for byte in text) < (1 - _NEARLY_ALL) * len(text):
            return f"its bytes are ASCII, and {self.encoding} is EBCDIC; declare source.encoding: utf-8"
        if not self.is_ebcdic and head.count(b"@") > head.count(b" ") and _is_mostly_ebcdic(text):
            return "its bytes look like EBCDIC; declare source.encoding, such as cp037 or cp500"
        return ""


def _is_mostly_ebcdic(text: bytes) -> bool:
    """Whether nearly all bytes are digits and letters of EBCDIC."""
    usual = sum(0x81 <= byte <= 0xA9 or 0xC1 <= byte <= 0xE9 or 0xF0 <= byte <= 0xF9 for byte in text)
    return bool(text) and usual > _NEARLY_ALL * len(text)
