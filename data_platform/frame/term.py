"""A part of a rule that was translated from Spark SQL to Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]
BOOLEAN, NULL = "boolean", "null"


class UntranslatableError(Exception):
    """Python has no exact equivalent of a rule; the message names the part."""


class NotFiniteError(ArithmeticError):
    """A row in which a rule computes Infinity or NaN, and so breaks the rule."""


@dataclass(frozen=True)
class Term:
    """``kind`` is a type such as ``bigint``, or ``null``; ``of`` gives the value for a row, None for NULL."""

    kind: str
    of: Callable[[Row], Any]


def constant(kind: str, value: Any) -> Term:
    return Term(kind, lambda _: value)


def of_values(kind: str, function: Callable[..., Any], *terms: Term) -> Term:
    """``function`` of the values of ``terms``; NULL if one of them is NULL, as for most functions of SQL."""

    def value(row: Row) -> Any:
        values = [term.of(row) for term in terms]
        return None if any(one is None for one in values) else function(*values)

    return Term(kind, value)
