"""Removes JIL's quoting from an attribute's value.

``\\:`` is a colon. Double quotes around the whole value belong to JIL, and in them ``\\"`` and ``""`` are one quote;
quotes inside belong to the text. A command keeps even the outer quotes: there they belong to the shell.
"""

from __future__ import annotations

import re

_SMART = "“”„‟″〝〞«»"
_WHOLE = re.compile(r'"((?:[^"\\]|\\.|"")*)"', re.DOTALL)
_ESCAPED_QUOTE = re.compile(r'\\"|""')
_TRUE = frozenset({"1", "y", "yes", "true", "t", "on"})
_FALSE = frozenset({"0", "n", "no", "false", "f", "off", ""})


def has_smart_quotes(value: str) -> bool:
    """Typographic quotes come from text copied out of documents and web pages; JIL has none."""
    return any(sign in value for sign in _SMART)


def command_text(value: str) -> str:
    return value.strip().replace("\\:", ":")


def plain_text(value: str) -> str:
    """Returns the value without JIL's quotes, and without typographic quotes around it."""
    text = value.strip().replace("\\:", ":")
    if text[:1] in _SMART or text[-1:] in _SMART:
        return text.strip(_SMART + '"').strip()
    whole = _WHOLE.fullmatch(text)
    return _ESCAPED_QUOTE.sub('"', whole[1]) if whole else text


def items(value: str) -> tuple[str, ...]:
    """Returns a list's items; quotes may surround each item, or all of them."""
    parts = (plain_text(part).strip("\"'" + _SMART).strip() for part in plain_text(value).split(","))
    return tuple(part for part in parts if part)


def truth(value: str) -> bool | None:
    """Returns None if the value is neither yes nor no."""
    word = plain_text(value).lower()
    return True if word in _TRUE else False if word in _FALSE else None


def is_null(value: str) -> bool:
    """Returns whether the value removes an attribute in an update."""
    return plain_text(value).upper() in ("", "NULL")
