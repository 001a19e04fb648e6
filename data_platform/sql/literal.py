"""Finds literal dates and times that do not exist, and fields of columns that have no fields.

Spark reports these only when a text runs, and then they hold a batch or fail a stage.
"""

from __future__ import annotations

import re
from calendar import monthrange
from typing import TYPE_CHECKING, Any

from data_platform.sql.tree import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SPECIAL = re.compile(r"\s*(epoch|now|today|tomorrow|yesterday)\b.*", re.IGNORECASE)
_DATE = re.compile(r"\s*[+-]?(?P<year>\d{4,7})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2})(?P<rest>[ T].*)?)?)?\s*")
_TIME = re.compile(r"[ T](?P<hour>\d{1,2})(?::(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.\d*)?)?)?")
_CALENDAR = ("DATE", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPLTZ", "TIMESTAMPNTZ")
_NESTED = ("struct", "array", "map", "variant")
_LEAP_YEAR = 2024
"""Stands for years beyond Python's calendar, which Java accepts; only the 29th of February could differ."""


def value_problems(text: str, types: Mapping[str, str]) -> Iterator[str]:
    """Reports wrong values in ``text``, a rule or a query; ``types`` maps each lower case column to its type."""
    tree = tree_of(text)
    yield from _typed_literals(tree)
    yield from _compared_literals(tree, types)
    yield from _parts_of_scalars(tree, types)


def _typed_literals(tree: Any) -> Iterator[str]:
    """Checks ``DATE '…'`` and ``TIMESTAMP '…'``; sqlglot parses Spark's CAST as try_cast."""
    from sqlglot import exp

    for node in tree.find_all(exp.Cast):
        if type(node) is exp.Cast and _is_text(node.this) and node.to.this.name in _CALENDAR:
            yield from _impossible(node.this.this, node.to.this.name, typed=True)


def _compared_literals(tree: Any, types: Mapping[str, str]) -> Iterator[str]:
    from sqlglot import exp

    for node in tree.find_all(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE):
        for column, value in ((node.left, node.right), (node.right, node.left)):
            kind = _type_of(column, types).upper()
            if kind.startswith(("DATE", "TIMESTAMP")) and _is_text(value):
                yield from _impossible(value.this, kind, typed=False)


def _parts_of_scalars(tree: Any, types: Mapping[str, str]) -> Iterator[str]:
    from sqlglot import exp

    for node in tree.find_all(exp.Column):
        root = node.parts[0].name
        kind = types.get(root.lower(), "")
        if len(node.parts) > 1 and kind and not kind.startswith(_NESTED):
            yield f"{root} is {kind.upper()}, and has no field {node.parts[1].name}"
    for node in tree.find_all(exp.Bracket):
        kind = _type_of(node.this, types)
        if kind and not kind.startswith(_NESTED):
            yield f"{node.this.name} is {kind.upper()}, and has no elements"


def _is_text(node: Any) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Literal) and bool(node.is_string)


def _type_of(node: Any, types: Mapping[str, str]) -> str:
    from sqlglot import exp

    return types.get(node.name.lower(), "") if isinstance(node, exp.Column) and len(node.parts) == 1 else ""


def _impossible(text: str, kind: str, *, typed: bool) -> Iterator[str]:
    noun = "date" if kind == "DATE" else "timestamp"
    if typed and _SPECIAL.fullmatch(text):
        return
    match = _DATE.fullmatch(text)
    if match is None:
        yield f"{text!r} is not a {noun}; write it as 2025-01-31" + ("" if noun == "date" else " 23:59:59")
    elif not _is_day(match) or (noun == "timestamp" and not _is_time(match["rest"])):
        yield f"{text!r} is not a valid {noun}"


def _is_day(match: re.Match[str]) -> bool:
    year, month, day = int(match["year"]), int(match["month"] or 1), int(match["day"] or 1)
    if not 1 <= month <= 12:
        return False
    return 1 <= day <= monthrange(year if 1 <= year <= 9999 else _LEAP_YEAR, month)[1]


def _is_time(rest: str | None) -> bool:
    match = _TIME.match(rest or "")
    if match is None:
        return True
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    return hour <= 23 and minute <= 59 and second <= 59
