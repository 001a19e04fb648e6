"""Checks whether a table can have a nested type. It names a refused field, which Spark and Delta do not do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_NESTED = re.compile(r"\s*(array|map|struct)\s*<(.*)>\s*", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"[^\W\d]\w*")
MAX_LEVELS = 20


def is_nested(name: str) -> bool:
    return _NESTED.fullmatch(name) is not None


def nested_problem(name: str, is_simple: Callable[[str], bool], level: int = 0) -> str:
    """The problem of an ARRAY, MAP or STRUCT type; empty if there is none. ``is_simple`` judges its leaves."""
    match = _NESTED.fullmatch(name)
    if match is None:
        return "" if is_simple(name) else f"{name.strip() or 'nothing'} is not a type"
    if level > MAX_LEVELS:
        return f"nested more than {MAX_LEVELS} deep"
    kind, parts = match[1].lower(), _parts(match[2])
    if kind == "struct":
        return _struct_problem(parts, is_simple, level)
    if len(parts) != (2 if kind == "map" else 1):
        return f"{kind.upper()}<…> has {'a key and a value' if kind == 'map' else 'one type'}, found {len(parts)} parts"
    return next((text for part in parts if (text := nested_problem(part, is_simple, level + 1))), "")


def _struct_problem(parts: list[str], is_simple: Callable[[str], bool], level: int) -> str:
    seen: set[str] = set()
    for part in parts:
        field, colon, kind = part.partition(":")
        field = field.strip()
        if not colon:
            return f"{part.strip()!r} in STRUCT<…> is no field; expected name: TYPE"
        if not _NAME.fullmatch(field):
            return f"{field} is a field of STRUCT<…> that tables cannot have; use letters, digits and _, and no blanks"
        if field.lower() in seen:
            return f"{field} appears twice in one STRUCT<…>"
        seen.add(field.lower())
        if problem := nested_problem(kind, is_simple, level + 1):
            return f"{field}: {problem}"
    return ""


def _parts(text: str) -> list[str]:
    """Splits at the commas outside brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "<(") - (sign in ">)")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts
