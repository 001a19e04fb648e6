"""Parses the text of rules without Spark: their columns, and problems that do not depend on rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from data_platform.sql.check import expression_problems
from data_platform.sql.finite_call import only_finite
from data_platform.sql.tree import tree_of
from data_platform.sql.written_pattern import pattern_problems, written_pattern_problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_SHOWN = 120
"""The most characters of a rule without an id, which is named by its text."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A Spark SQL ``expression`` that is true for a valid row, or a ``pattern`` for the whole value of ``column``.

    A pattern is a Java regular expression without the need for ``^`` and ``$``; ``\\d`` and ``\\w`` are ASCII.
    A pattern does not check NULL.
    """

    id: str
    expression: str = ""
    column: str = ""
    pattern: str = ""


def policy_problems(rules: Iterable[Rule]) -> tuple[str, ...]:
    """Problems of the rules that do not depend on rows: duplicate ids, rules that can never be true."""
    problems: list[str] = []
    seen: set[str] = set()
    for rule in rules:
        if rule.id in seen:
            problems.append(f"duplicate rule id {rule.id}: give each rule an id of its own")
        seen.add(rule.id)
        if bool(rule.expression) == bool(rule.pattern):
            problems.append(f"rule {rule.id}: expected an expression or a pattern, one of the two")
        if rule.pattern and not rule.column:
            problems.append(f"rule {rule.id}: a pattern needs the column that it is for")
        text_problems = [*_expression_problems(rule.expression), *pattern_problems(rule.pattern)]
        name = rule.id if len(rule.id) <= MOST_SHOWN else rule.id[:MOST_SHOWN] + "…"
        problems.extend(f"rule {name}: {problem}" for problem in text_problems)
    return tuple(problems)


def columns_of(expression: str) -> list[str]:
    """The columns that a Spark SQL expression reads, in order of their names."""
    return sorted({path[0] for path in paths_of(expression)})


def paths_of(expression: str) -> list[tuple[str, ...]]:
    """The columns, and fields of structs, that a Spark SQL expression reads: ``("address", "zip")``."""
    return sorted({tuple(_steps(column)) for column in tree_of(expression).find_all(exp.Column)})


def _steps(column: exp.Column) -> Iterator[str]:
    """``a.b.c.d`` is a column; a further step is a dot around it."""
    yield from (part.name for part in column.parts)
    node: exp.Expr = column
    while isinstance(node.parent, exp.Dot) and node.parent.this is node:
        node = node.parent
        yield node.expression.name


def _expression_problems(expression: str) -> list[str]:
    if not expression:
        return []
    problems = [problem.text for problem in expression_problems(expression)]
    if problems and problems[0].startswith("not a Spark SQL"):
        return problems
    try:
        tree = tree_of(expression)
    except (sqlglot.errors.SqlglotError, RecursionError):
        return problems
    if any(_is_null(item) for node in tree.find_all(exp.In) for item in node.expressions):
        problems.append("IN with NULL in its list is never false and NOT IN never true: leave NULL out, use IS NULL")
    comparisons = tree.find_all(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
    if any(_is_null(side) for node in comparisons for side in (node.left, node.right)):
        problems.append("a comparison with NULL is never true: use IS NULL or IS NOT NULL")
    if any(tree.find_all(exp.Rand, exp.Randn, exp.Uuid)):
        problems.append("a rule must return the same result each time: rand() and uuid() do not")
    try:
        only_finite(expression)
    except ValueError as error:
        problems.append(str(error))
    return problems + written_pattern_problems(tree)


def _is_null(node: exp.Expr) -> bool:
    """Whether ``node`` is NULL in every row, also as ``CAST(NULL AS INT)`` or ``nvl(NULL, NULL)``."""
    if isinstance(node, exp.Coalesce):
        return all(_is_null(part) for part in (node.this, *node.expressions))
    if isinstance(node, exp.Cast | exp.TryCast | exp.Paren | exp.Neg):
        return _is_null(node.this)
    return isinstance(node, exp.Null)
