"""An attribute's value without the signs that JIL wrote round it.

``\\:`` is a colon. Double quotes round the whole value are JIL's own, and in them ``\\"`` and ``""`` are one quote;
those inside belong to the text. A command keeps even the outer ones: there they are the shell's.
"""

from __future__ import annotations

import re

_SMART = "“”„‟″〝〞«»"
_WHOLE = re.compile(r'"((?:[^"\\]|\\.|"")*)"', re.DOTALL)
_ESCAPED_QUOTE = re.compile(r'\\"|""')
_TRUE = frozenset({"1", "y", "yes", "true", "t", "on"})
_FALSE = frozenset({"0", "n", "no", "false", "f", "off", ""})


def has_smart_quotes(value: str) -> bool:
    """Typographic quotes come with text from documents and web pages; JIL itself knows none."""
    return any(sign in value for sign in _SMART)


def command_text(value: str) -> str:
    return value.strip().replace("\\:", ":")


def plain_text(value: str) -> str:
    """Also without typographic quotes, where they stand as quotes."""
    text = value.strip().replace("\\:", ":")
    if text[:1] in _SMART or text[-1:] in _SMART:
        return text.strip(_SMART + '"').strip()
    whole = _WHOLE.fullmatch(text)
    return _ESCAPED_QUOTE.sub('"', whole[1]) if whole else text


def items(value: str) -> tuple[str, ...]:
    """A list's items; quotes may stand round each, or round all."""
    parts = (plain_text(part).strip("\"'" + _SMART).strip() for part in plain_text(value).split(","))
    return tuple(part for part in parts if part)


def truth(value: str) -> bool | None:
    """None if it says neither yes nor no."""
    word = plain_text(value).lower()
    return True if word in _TRUE else False if word in _FALSE else None


def is_null(value: str) -> bool:
    """What an update says to take an attribute away."""
    return plain_text(value).upper() in ("", "NULL")
