"""Replaces ``now()`` by the time of the run: a text runs more than once, and must return the same each time.

Single tokens are replaced; sqlglot's generator would also rewrite other parts of the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

_DAYS = {"current_date", "curdate"}
_INSTANTS = {"current_timestamp", "now"}
_WALL_CLOCKS = {"localtimestamp"}
_SECONDS = {"unix_timestamp"}
_NEED_PARENTHESES = {"now", "curdate", "unix_timestamp"}


def at_moment(text: str, now: datetime, zone: str, columns: Collection[str] = ()) -> str:
    """Returns ``text`` with ``now`` as a literal; today's date is that of ``zone``. ``columns`` are not replaced."""
    from sqlglot import tokenize
    from sqlglot.errors import SqlglotError

    try:
        tokens = tokenize(text, dialect="spark")
    except SqlglotError:
        return text
    column_names = {name.lower() for name in columns}
    for position in reversed(range(len(tokens))):
        literal = _literal(tokens[position].text.lower(), now, zone)
        end = _end(tokens, position, column_names) if literal else None
        if literal and end is not None:
            text = text[: tokens[position].start] + literal + text[end + 1 :]
    return text


def _literal(word: str, now: datetime, zone: str) -> str:
    local = now.astimezone(ZoneInfo(zone))
    if word in _DAYS:
        return f"DATE'{local:%Y-%m-%d}'"
    if word in _INSTANTS:
        return f"TIMESTAMP_LTZ'{now.astimezone(ZoneInfo('UTC')):%Y-%m-%d %H:%M:%S.%f}Z'"
    if word in _SECONDS:
        return str(int(now.timestamp()))
    return f"TIMESTAMP_NTZ'{local:%Y-%m-%d %H:%M:%S.%f}'" if word in _WALL_CLOCKS else ""


def _end(tokens: list[Any], position: int, column_names: set[str]) -> int | None:
    """The end of the call at ``position`` in the text; None if the token there is a string, an alias or a column."""
    token, kinds = tokens[position], [t.token_type.name for t in tokens[position : position + 3]]
    before = tokens[position - 1].token_type.name if position else ""
    if kinds[0] == "STRING" or before in ("DOT", "ALIAS"):
        return None
    if kinds[1:] == ["L_PAREN", "R_PAREN"]:
        return int(tokens[position + 2].end)
    word = token.text.lower()
    following = kinds[1] if len(kinds) > 1 else ""
    if word in _NEED_PARENTHESES or word in column_names or kinds[0] == "IDENTIFIER" or following in ("L_PAREN", "DOT"):
        return None
    return int(token.end)
