r"""Translates Java's regular expressions to Python's, or refuses: a translated pattern matches exactly the same texts.

The two differ in ``.``, ``$``, ``\s`` and ``\b``, in classes within classes and in many escapes. What is not known to
be the same is refused.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache

from data_platform.frame.term import UntranslatableError

WHITE_SPACE = "\\t\\n\\x0b\\x0c\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
"""Unicode's White_Space, which the platform's patterns mean by ``\\s``."""
_LINE_ENDS = "\\n\\r\\x85\\u2028\\u2029"
_END = rf"(?:(?=\r\n\Z)|(?=[{_LINE_ENDS}]\Z)(?!(?<=\r)\n)|\Z)"
"""Java's ``$``: the end, or before a last line end, but not within ``\\r\\n``."""
_ESCAPE = re.compile(r"\\(?:(?P<kept>[dDwWtnrf]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^\w\s])|(?P<space>[sS]))", re.ASCII)
_GROUP = re.compile(r"\((?:\?(?:[:=!>]|<[=!]))?(?!\?)")
_QUANTIFIER = re.compile(r"\{\d+(?:,\d*)?\}")


@lru_cache(maxsize=512)
def whole_value(pattern: str) -> re.Pattern[str]:
    """``pattern`` for a whole value, as the gates match it.

    Raises:
        UntranslatableError: Python may match other texts.
    """
    try:
        with warnings.catch_warnings(action="error"):
            return re.compile(rf"(?:{_translated(pattern)})\Z", re.ASCII)
    except (re.error, FutureWarning, DeprecationWarning, RecursionError, OverflowError):
        raise UntranslatableError("Python cannot compile the pattern") from None


def _translated(pattern: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        part, at = _class(pattern, at) if pattern[at] == "[" else _token(pattern, at)
        parts.append(part)
    return "".join(parts)


def _token(pattern: str, at: int) -> tuple[str, int]:
    sign = pattern[at]
    if sign == "\\":
        return _escape(pattern, at, in_class=False)
    if sign in ".$":
        return (rf"[^{_LINE_ENDS}]" if sign == "." else _END), at + 1
    if sign in "({":
        match = (_GROUP if sign == "(" else _QUANTIFIER).match(pattern, at)
        if match is None:
            raise UntranslatableError(f"{pattern[at : at + 4]} may mean something else in Python")
        return match[0], match.end()
    return sign, at + 1


def _escape(pattern: str, at: int, *, in_class: bool) -> tuple[str, int]:
    match = _ESCAPE.match(pattern, at)
    if match is None or (in_class and match["space"] == "S"):
        raise UntranslatableError(f"{pattern[at : at + 2]} may mean something else in Python")
    if match["kept"]:
        return match[0], match.end()
    spaces = WHITE_SPACE if in_class else f"[{'^' if match['space'] == 'S' else ''}{WHITE_SPACE}]"
    return spaces, match.end()


def _class(pattern: str, at: int) -> tuple[str, int]:
    parts = ["["]
    at += 1
    if pattern[at : at + 1] == "^":
        parts.append("^")
        at += 1
    first = at
    while at < len(pattern):
        sign = pattern[at]
        if sign == "]" and at > first:
            return "".join(parts) + "]", at + 1
        if sign in "[]" or pattern[at : at + 2] in ("&&", "--", "||", "~~"):
            raise UntranslatableError("a class within a class")
        part, at = _escape(pattern, at, in_class=True) if sign == "\\" else (sign, at + 1)
        parts.append(part)
    raise UntranslatableError("a class that does not end")
