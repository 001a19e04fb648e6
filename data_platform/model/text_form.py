"""How a text file may be written: which encodings are for text, which characters can separate fields."""

from __future__ import annotations

import codecs

_NOT_OF_FILES = (
    "idna",
    "punycode",
    "undefined",
    "unicode-escape",
    "raw-unicode-escape",
    "unicode_escape",
    "raw_unicode_escape",
)
"""Codecs for host names and Python's own source, which would change the content of a file."""


def codec_of(encoding: str) -> str:
    """Python's own name of ``encoding``. Raises: ValueError, if it is not an encoding of text files."""
    try:
        codec = codecs.lookup(encoding).name
        codecs.getincrementaldecoder(codec)
        "a".encode(codec)  # a codec that is not for text, such as base64, fails only when it is used
    except (LookupError, UnicodeError, ValueError):  # ValueError: a NUL in the name
        codec = ""
    if not codec or codec in _NOT_OF_FILES:
        raise ValueError(f"{encoding!r} is not an encoding of text that Python knows, such as utf-16 or cp1252")
    return codec


def check_encoding(text: str) -> str:
    codec_of(text)
    return text


def check_separator(text: str) -> str:
    """Raises: ValueError, if ``text`` cannot separate or quote fields."""
    if text in "\r\n\0":
        raise ValueError("it ends a line, or a text; expected a character within a line")
    return text
