"""Columns and their types as plain text, and their fingerprint. ``schema_drift`` compares two schemas.

Types are Spark SQL's own names in lower case (``bigint``, ``decimal(10,2)``); comparing them does not need Spark.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.nested_path import parts_of
from data_platform.model.nested_type import is_nested, nested_problem

if TYPE_CHECKING:
    from collections.abc import Iterable

_SYNONYMS = {
    "integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint", "real": "float",
    "bool": "boolean", "varchar": "string", "text": "string", "numeric": "decimal", "dec": "decimal",
    "decimal": "decimal(10,0)", "datetime": "timestamp",
}  # fmt: skip
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_WHOLE_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
_WIDER = {
    "tinyint": {"smallint", "int", "bigint", "double"},
    "smallint": {"int", "bigint", "double"},
    "int": {"bigint", "double"},
    "float": {"double"},
    "date": {"timestamp_ntz"},
}
_NUMBERS = (*_WHOLE_DIGITS, "float", "double", "decimal")
_SIMPLE = {
    "tinyint", "smallint", "int", "bigint", "float", "double", "boolean", "string", "binary", "date",
    "timestamp", "timestamp_ntz",
}  # fmt: skip


def normal_type(name: str) -> str:
    """One spelling for each type: ``INTEGER`` is ``int``, ``Decimal(10, 2)`` is ``decimal(10,2)``."""
    squeezed = re.sub(r"\s+", "", name).lower()
    squeezed = re.sub(r"^(numeric|dec)\(", "decimal(", squeezed)
    squeezed = re.sub(r"^decimal\((\d+)\)$", r"decimal(\1,0)", squeezed)
    squeezed = re.sub(r"^(var)?char\(\d+\)$", "string", squeezed)
    squeezed = _SYNONYMS.get(squeezed, squeezed)
    return "decimal(10,0)" if squeezed == "decimal" else squeezed


def is_known_type(name: str) -> bool:
    """Whether a policy may declare the type ``name``, in any of its spellings."""
    normal = normal_type(name)
    if match := _DECIMAL.fullmatch(normal):
        precision, scale = int(match[1]), int(match[2])
        return 1 <= precision <= 38 and scale <= precision
    return normal in _SIMPLE or (is_nested(name) and not nested_problem(name, _is_leaf))


def type_problem(name: str) -> str:
    """Why ``name`` is not a type; empty if it is one."""
    if is_known_type(name):
        return ""
    if is_nested(name):
        return f"{name!r} is not a type: {nested_problem(name, _is_leaf)}"
    return f"{name!r} is not a type; allowed: STRING, INT, BIGINT, DOUBLE, DECIMAL(p,s), BOOLEAN, DATE, …"


def _is_leaf(name: str) -> bool:
    return not is_nested(name) and is_known_type(name)


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a table or delivery, as declared or as measured."""

    name: str
    type: str = "string"
    nullable: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "type", normal_type(self.type))


@dataclass(frozen=True)
class Schema:
    """Columns in order."""

    columns: tuple[Column, ...]

    @classmethod
    def of(cls, columns: Iterable[Column]) -> Schema:
        return cls(tuple(columns))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def get(self, name: str) -> Column | None:
        """The column of this name; case does not count, as in Spark and Delta."""
        return next((column for column in self.columns if column.name.lower() == name.lower()), None)

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits over names, types and nullability. The order does not count: binding is by name."""
        lines = sorted(f"{c.name.lower()}\t{c.type}\t{c.nullable}" for c in self.columns)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def is_number(kind: str) -> bool:
    return kind.split("(")[0] in _NUMBERS


def is_widening(before: str, after: str) -> bool:
    """Whether every value of ``before`` is a value of ``after``: INT→BIGINT is, BIGINT→DOUBLE is not."""
    before, after = normal_type(before), normal_type(after)
    if after in _WIDER.get(before, ()):
        return True
    new = _DECIMAL.fullmatch(after)
    if new is None:
        return False
    old = _DECIMAL.fullmatch(before)
    scale = int(old[2]) if old else 0
    whole = int(old[1]) - scale if old else _WHOLE_DIGITS.get(before)
    return whole is not None and int(new[2]) >= scale and int(new[1]) - int(new[2]) >= whole


def fits_in(before: str, after: str) -> bool:
    """Whether a cast to ``after`` keeps every value of ``before``: it is equal, wider, or nested with such parts.

    Fields of a struct are cast by position, so that their names must be equal and in the same order.
    """
    before, after = normal_type(before), normal_type(after)
    if before == after or is_widening(before, after):
        return True
    old, new = parts_of(before), parts_of(after)
    if not old or len(old) != len(new) or before.partition("<")[0] != after.partition("<")[0]:
        return False
    return all(a == b and fits_in(one, other) for (a, one), (b, other) in zip(old, new, strict=True))
