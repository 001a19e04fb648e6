"""Rules as text: their columns, and what is wrong with them whatever rows they meet. No Spark is needed."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from data_platform.sql.check import expression_problems
from data_platform.sql.pattern_depth import too_deep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_SHOWN = 120
"""Characters of a rule without an id, which is called by its text."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Either a Spark SQL ``expression`` that is true of a good row, or a ``pattern`` for the whole value of ``column``.

    A pattern is a Java regular expression without the need for ``^`` and ``$``; ``\\d`` and ``\\w`` are ASCII.
    NULL is not judged by a pattern.
    """

    id: str
    expression: str = ""
    column: str = ""
    pattern: str = ""


def policy_problems(rules: Iterable[Rule]) -> tuple[str, ...]:
    """What is wrong with the rules whatever rows they meet: ids that stand twice, rules that can never be true."""
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
        found = [*_expression_problems(rule.expression), *pattern_problems(rule.pattern)]
        name = rule.id if len(rule.id) <= MOST_SHOWN else rule.id[:MOST_SHOWN] + "…"
        problems.extend(f"rule {name}: {problem}" for problem in found)
    return tuple(problems)


def pattern_problems(pattern: str) -> list[str]:
    """What is wrong with a pattern whatever texts it meets."""
    if part := too_deep(pattern):
        return [
            f"{part} repeats a group whose turns may differ, and a long text would overflow Java's stack and end the "
            f"run: repeat one character class ([a-z,]*), let it give nothing back ({part}+), or write {{0,50}} for it"
        ]
    return []


def open_problems(pattern: str) -> list[str]:
    """That a parenthesis or bracket of ``pattern`` is not closed, or not opened."""
    return [f"{pattern} has a parenthesis or bracket that is not closed, or not opened"] if _is_open(pattern) else []


def _is_open(pattern: str) -> bool:
    """Whether a parenthesis or bracket is not closed, or not opened. What else is wrong, Java says when it runs."""
    if r"\Q" in pattern:  # Java's quotation, within which a parenthesis is a sign
        return False
    text = re.sub(r"\\[pP]\{\w+\}", ".", pattern)
    try:
        with warnings.catch_warnings(action="ignore"):  # of what Python may read otherwise some day
            re.compile(re.sub(r"\(\?<(?![=!])", "(?P<", text))
    except re.error as error:
        return error.msg.startswith(("missing )", "unbalanced parenthesis", "unterminated character set"))
    return False


def columns_of(expression: str) -> list[str]:
    """The columns that a Spark SQL expression reads, in order of their names."""
    tree = _parsed(expression)
    return sorted({column.parts[0].name for column in tree.find_all(exp.Column)})


@lru_cache(maxsize=256)
def _parsed(expression: str) -> exp.Expr:
    """To be read only, as it is remembered: one rule is asked for its problems, its columns and its times in turn."""
    return sqlglot.parse_one(expression, dialect="spark")


def _expression_problems(expression: str) -> list[str]:
    if not expression:
        return []
    problems = [problem.text for problem in expression_problems(expression)]
    if problems and problems[0].startswith("not a Spark SQL"):
        return problems
    try:
        tree = _parsed(expression)
    except (sqlglot.errors.SqlglotError, RecursionError):
        return problems
    if any(_is_null(item) for node in tree.find_all(exp.In) for item in node.expressions):
        problems.append("IN with NULL in its list is never false and NOT IN never true: leave NULL out, use IS NULL")
    comparisons = tree.find_all(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
    if any(_is_null(side) for node in comparisons for side in (node.left, node.right)):
        problems.append("a comparison with NULL is never true: use IS NULL or IS NOT NULL")
    if any(tree.find_all(exp.Rand, exp.Randn, exp.Uuid)):
        problems.append("a rule must give the same answer each time it is asked: rand() and uuid() do not")
    return problems + [problem for pattern in _written_patterns(tree) for problem in _of_pattern(pattern)]


def _is_null(node: exp.Expr) -> bool:
    """Whether it is NULL in every row, however it is written: ``CAST(NULL AS INT)``, ``nvl(NULL, NULL)``."""
    if isinstance(node, exp.Coalesce):
        return all(_is_null(part) for part in (node.this, *node.expressions))
    if isinstance(node, exp.Cast | exp.TryCast | exp.Paren | exp.Neg):
        return _is_null(node.this)
    return isinstance(node, exp.Null)


def _written_patterns(tree: exp.Expr) -> Iterator[str]:
    """The regular expressions that a rule has as literals."""
    calls = (exp.RegexpLike, exp.RegexpExtract, exp.RegexpExtractAll, exp.RegexpReplace, exp.RegexpCount)
    for node in tree.find_all(*calls):
        if isinstance(node.expression, exp.Literal):
            yield node.expression.this


def _of_pattern(pattern: str) -> list[str]:
    return [*pattern_problems(pattern), *open_problems(pattern)]
