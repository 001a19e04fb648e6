"""Parses the text of rules without Spark: their columns, and problems that do not depend on rows."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from data_platform.sql.check import expression_problems
from data_platform.sql.finite_call import only_finite
from data_platform.sql.pattern_depth import too_deep
from data_platform.sql.pattern_time import MOST_IN_A_ROW, open_repeats
from data_platform.sql.tree import tree_of

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


def pattern_problems(pattern: str) -> list[str]:
    """Problems of a pattern that do not depend on the texts it matches."""
    if part := too_deep(pattern):
        return [
            f"{part} repeats a group whose iterations may differ, and a long text would overflow Java's stack and end "
            f"the run: repeat one character class ([a-z,]*), make it possessive ({part}+), or write {{0,50}} for it"
        ]
    if (repeats := open_repeats(pattern)) > MOST_IN_A_ROW:
        return [
            f"{pattern} has {repeats} or more open repeats in a row that match the same characters, and a long text "
            "that nearly matches would take hours: exclude the character that follows each ([^,]*,), or make them "
            "possessive (.*+)"
        ]
    return []


def open_problems(pattern: str) -> list[str]:
    """Reports a parenthesis or bracket of ``pattern`` that is not closed, or not opened."""
    return [f"{pattern} has a parenthesis or bracket that is not closed, or not opened"] if _is_open(pattern) else []


def _is_open(pattern: str) -> bool:
    """Whether a parenthesis or bracket is not closed, or not opened. Java reports other errors at run time."""
    if r"\Q" in pattern:  # Java's quotation, in which a parenthesis is a literal
        return False
    text = re.sub(r"\\[pP]\{\w+\}", ".", pattern)
    try:
        with warnings.catch_warnings(action="ignore"):  # about syntax that Python may change
            re.compile(re.sub(r"\(\?<(?![=!])", "(?P<", text))
    except re.error as error:
        return error.msg.startswith(("missing )", "unbalanced parenthesis", "unterminated character set"))
    return False


def columns_of(expression: str) -> list[str]:
    """The columns that a Spark SQL expression reads, in order of their names."""
    tree = tree_of(expression)
    return sorted({column.parts[0].name for column in tree.find_all(exp.Column)})


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
    return problems + [problem for pattern in _written_patterns(tree) for problem in _literal_pattern_problems(pattern)]


def _is_null(node: exp.Expr) -> bool:
    """Whether ``node`` is NULL in every row, also as ``CAST(NULL AS INT)`` or ``nvl(NULL, NULL)``."""
    if isinstance(node, exp.Coalesce):
        return all(_is_null(part) for part in (node.this, *node.expressions))
    if isinstance(node, exp.Cast | exp.TryCast | exp.Paren | exp.Neg):
        return _is_null(node.this)
    return isinstance(node, exp.Null)


def _written_patterns(tree: exp.Expr) -> Iterator[str]:
    """Yields the literal regular expressions of a rule."""
    calls = (exp.RegexpLike, exp.RegexpExtract, exp.RegexpExtractAll, exp.RegexpReplace, exp.RegexpCount)
    for node in tree.find_all(*calls):
        if isinstance(node.expression, exp.Literal):
            yield node.expression.this


def _literal_pattern_problems(pattern: str) -> list[str]:
    return [*pattern_problems(pattern), *open_problems(pattern)]
