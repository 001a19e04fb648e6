"""Bounds of a check (``mustBeBetween`` …), and the ranges of numbers that rules about a single column state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.model.schema import is_number as is_number_type
from data_platform.sql.tree import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from data_platform.model.contract import Invariant
    from data_platform.model.schema import Schema

Number = int | float


def bound_of(low: Number | None, high: Number | None) -> dict[str, Any]:
    """``low`` and ``high`` in the words of the standard. One of them is not None."""
    if low is not None and low == high:
        return {"mustBe": low}
    if low is not None and high is not None and low < high:
        return {"mustBeBetween": [low, high]}
    return {"mustBeLessOrEqualTo": high} if low is None else {"mustBeGreaterOrEqualTo": low}


def limits_of(check: dict[str, Any]) -> tuple[Number | None, Number | None] | None:
    """The least and the greatest value that a check allows, both included; None if it has another bound."""
    bound = written_bound(check)
    if len(bound) != 1:
        return None
    ((key, value),) = bound.items()
    if key == "mustBeBetween" and isinstance(value, list) and len(value) == 2 and all(map(is_number, value)):
        return value[0], value[1]
    if not is_number(value):
        return None
    limits = {"mustBe": (value, value), "mustBeLessOrEqualTo": (None, value), "mustBeGreaterOrEqualTo": (value, None)}
    return limits.get(key)


def written_bound(check: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in check.items() if key.startswith(("mustBe", "mustNotBe"))}


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def ranges(invariants: Iterable[Invariant], declared: Schema) -> dict[str, dict[str, Number]]:
    """Maps columns to the ``logicalTypeOptions`` that follow from rules such as ``0 <= x`` or ``x BETWEEN 1 AND 5``."""
    found: dict[str, dict[str, Number]] = {}
    for invariant in invariants:
        for name, option, value in _stated(invariant.rule):
            column = declared.get(name)
            if column is not None and is_number_type(column.type):
                found.setdefault(column.name, {}).setdefault(option, value)
    return found


def _stated(rule: str) -> Iterator[tuple[str, str, Number]]:
    from sqlglot import exp

    for part in _parts(tree_of(rule)):
        if isinstance(part, exp.Between) and isinstance(part.this, exp.Column):
            for option, side in (("minimum", part.args["low"]), ("maximum", part.args["high"])):
                if (value := _number(side)) is not None:
                    yield part.this.name, option, value
        else:
            yield from _compared(part)


def _parts(tree: Any) -> Iterator[Any]:
    """The conditions that must all hold; one that only excuses NULL (``x IS NULL OR x > 0``) is left out."""
    from sqlglot import exp

    tree = tree.unnest()
    if isinstance(tree, exp.And):
        yield from _parts(tree.left)
        yield from _parts(tree.right)
    elif isinstance(tree, exp.Or) and isinstance(tree.left.unnest(), exp.Is):
        null, other = tree.left.unnest(), tree.right.unnest()
        if isinstance(null.expression, exp.Null) and {c.name for c in other.find_all(exp.Column)} == {null.this.name}:
            yield from _parts(other)
    else:
        yield tree


def _compared(part: Any) -> Iterator[tuple[str, str, Number]]:
    from sqlglot import exp

    options = {exp.GTE: "minimum", exp.GT: "exclusiveMinimum", exp.LTE: "maximum", exp.LT: "exclusiveMaximum"}
    mirrored = {exp.GTE: exp.LTE, exp.GT: exp.LT, exp.LTE: exp.GTE, exp.LT: exp.GT}
    kind = type(part)
    if kind not in options:
        return
    left, right = part.left.unnest(), part.right.unnest()
    if isinstance(right, exp.Column):
        left, right, kind = right, left, mirrored[kind]
    if isinstance(left, exp.Column) and (value := _number(right)) is not None:
        yield left.name, options[kind], value


def _number(node: Any) -> Number | None:
    from sqlglot import exp

    sign = 1
    node = node.unnest()
    if isinstance(node, exp.Neg):
        sign, node = -1, node.this.unnest()
    if not isinstance(node, exp.Literal) or node.is_string:
        return None
    try:
        return sign * (int(node.this) if node.this.isdigit() else float(node.this))
    except ValueError:  # a suffix of Spark, such as 10L
        return None
