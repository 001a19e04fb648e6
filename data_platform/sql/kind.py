"""Determines the kind of value that a rule returns, as far as its text shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.sql.function import ANY_TYPE, BOOLEAN, FUNCTIONS
from data_platform.sql.tree import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def not_boolean(text: str, types: Mapping[str, str]) -> str:
    """Returns why a rule is not boolean; empty if it is, or if its type is unknown before it runs.

    ``types`` maps the lower case name of each declared column to its type.
    """
    tree = tree_of(text)
    kind = _kind(tree, types)
    if kind not in ("", "boolean"):
        return f"a rule is true or false, and this one is {kind}"
    for operand in _operands(tree):
        if (kind := _kind(operand, types)) not in ("", "boolean", "NULL"):
            return f"AND, OR and NOT take booleans, and {operand.sql('spark')} is {kind}"
    return ""


def _operands(tree: Any) -> Iterator[Any]:
    """Yields the operands of AND, OR and NOT."""
    from sqlglot import exp

    for node in tree.find_all(exp.And, exp.Or, exp.Not):
        yield from (node.left, node.right) if isinstance(node, exp.Connector) else (node.this,)


def _kind(node: Any, types: Mapping[str, str]) -> str:
    from sqlglot import exp

    if isinstance(node, exp.Paren):
        return _kind(node.this, types)
    if isinstance(node, exp.Connector | exp.Not | exp.Predicate | exp.Boolean):
        return "boolean"
    if isinstance(node, exp.Column):
        kind = types.get(node.name.lower(), "") if len(node.parts) == 1 else ""
        return kind if kind in ("", "boolean") else f"of type {kind}"
    if isinstance(node, exp.Literal | exp.Null):
        return "NULL" if isinstance(node, exp.Null) else "a text" if node.is_string else "a number"
    if isinstance(node, exp.Cast):
        kind = node.to.sql("spark").lower()
        return kind if kind == "boolean" else f"of type {kind}"
    if isinstance(node, exp.If | exp.Case | exp.Coalesce):
        return _kind_of_branches(node, types)
    if isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Div | exp.Mod | exp.Neg):
        return "a number or a date"
    return _kind_of_call(node)


def _kind_of_branches(node: Any, types: Mapping[str, str]) -> str:
    """The kind of the first branch whose kind is known; empty if there is none."""
    from sqlglot import exp

    if isinstance(node, exp.If):
        branches = [node.args.get("true"), node.args.get("false")]
    elif isinstance(node, exp.Case):
        branches = [*(part.args.get("true") for part in node.args["ifs"]), node.args.get("default")]
    else:
        branches = [node.this, *node.expressions]
    kinds = [kind for branch in branches if branch is not None and (kind := _kind(branch, types)) not in ("", "NULL")]
    return kinds[0] if kinds else ""


def _kind_of_call(node: Any) -> str:
    from sqlglot import exp

    if not isinstance(node, exp.Func):
        return ""
    name = (node.name if isinstance(node, exp.Anonymous) else node.sql("spark").split("(")[0]).lower()
    if name in BOOLEAN or name in ANY_TYPE or name not in FUNCTIONS:
        return "boolean" if name in BOOLEAN else ""
    return f"the result of {name}()"
