"""One rule over the columns of a row, as a column that is true where the rule is broken.

Three-valued logic is where rules go wrong: ``filter(rule)`` and ``filter(NOT rule)`` both lose
the rows in which the rule is NULL. Here a rule is broken or it is not. A NULL
answer breaks it, unless a column that is declared nullable is NULL in that row and every other
column is there: then there is nothing to judge.

A rule that cannot be judged (a column that is not there, a pattern that is none) is not dropped:
``plan`` answers with its error, beside the rules that can be judged.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from data_platform.errors import PolicyError
from data_platform.gates.expression.column import never_null, quoted
from data_platform.gates.expression.pattern import too_deep
from data_platform.sql.check import expression_problems
from data_platform.sql.engine import expression_refusals
from data_platform.sql.moment import at_moment
from data_platform.sql.refusal import condition_of, spark_errors

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from datetime import datetime

    from pyspark.sql import Column, DataFrame

    from data_platform.model.schema import Schema

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


@dataclass(frozen=True)
class RulePlan:
    """``broken`` holds a never-NULL boolean column for each rule; ``errors`` the reason for each that has none."""

    broken: dict[str, Column]
    errors: dict[str, str]


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


def plan(rows: DataFrame, rules: Collection[Rule], declared: Schema, now: datetime | None = None) -> RulePlan:
    """Columns that tell, for rows shaped like ``rows``, which rules they break. No job is run.

    ``declared`` says which columns are nullable; a column that it does not have counts as required. ``now`` (with a
    zone) stands for ``current_timestamp()`` and ``current_date()``: rows are asked twice and must answer the same.

    Raises:
        PolicyError: ``policy_problems`` has something to say.
    """
    if problems := policy_problems(rules):
        raise PolicyError(problems)
    broken: dict[str, Column] = {}
    errors: dict[str, str] = {}
    for rule in rules:
        if reason := _unusable(rows, rule):
            errors[rule.id] = reason
        else:
            broken[rule.id] = (
                _broken_pattern(rule) if rule.pattern else _broken(rule.expression, declared, asked(rows, rule, now))
            )
    return RulePlan(broken, errors)


def _broken(expression: str, declared: Schema, answer: Column) -> Column:
    from pyspark.sql import functions as F

    required: list[str] = []
    nullable: list[str] = []
    for name in columns_of(expression):
        column = declared.get(name)
        (nullable if column is not None and column.nullable else required).append(name)
    excused = reduce(lambda a, b: a | b, (quoted(name).isNull() for name in nullable), F.lit(False))
    complete = reduce(lambda a, b: a & b, (quoted(name).isNotNull() for name in required), F.lit(True))
    return ~F.coalesce(answer, excused & complete)


def asked(rows: DataFrame, rule: Rule, now: datetime | None = None) -> Column:
    """What a rule's expression answers, with the run's own time in it: today is the day in the zone of the session."""
    from pyspark.sql import functions as F

    if now is None:
        return F.expr(rule.expression)
    zone = rows.sparkSession.conf.get("spark.sql.session.timeZone") or "UTC"
    return F.expr(at_moment(rule.expression, now, zone, rows.columns))


def _broken_pattern(rule: Rule) -> Column:
    return never_null(~quoted(rule.column).rlike(whole_value(rule.pattern)))


def whole_value(pattern: str) -> str:
    r"""``pattern`` made to match a whole value: a last line end is part of the value, and ``\s`` is any white space.

    Java's own ``\s`` does not know the no-break space, which then stands unseen in an address.
    """
    spaces = {r"\s": r"\p{IsWhite_Space}", r"\S": r"\P{IsWhite_Space}"}
    inner = re.sub(r"\\.", lambda escape: spaces.get(escape[0], escape[0]), pattern)
    return rf"\A(?:{inner})\z"


def _unusable(rows: DataFrame, rule: Rule) -> str:
    names = {name.lower() for name in rows.columns}
    for name in [rule.column] if rule.pattern else columns_of(rule.expression):
        if name.lower() not in names:
            return f'column "{name}" not found'
    if rule.pattern:
        return "invalid regex" if pattern_error(rows, rule.pattern) else ""
    try:
        if refused := expression_refusals(rows.sparkSession, rule.expression):
            return "; ".join(refused)
        kind = rows.selectExpr(rule.expression).schema.fields[0].dataType.simpleString()
    except spark_errors() as error:
        return f"not a usable expression: {condition_of(error)}"
    return "" if kind == "boolean" else f"a rule is true or false, and this one is of type {kind}"


def pattern_error(rows: DataFrame, pattern: str) -> Exception | None:
    """Java's own error, if ``pattern`` is none."""
    from pyspark.errors import PySparkException

    jvm = rows.sparkSession._jvm  # the engine that will match is the one to ask
    assert jvm is not None, "a classic session has a JVM"  # noqa: S101
    try:
        # By itself first: `a)|(b` is no pattern, and becomes one between our parentheses.
        jvm.java.util.regex.Pattern.compile(pattern)
        jvm.java.util.regex.Pattern.compile(whole_value(pattern))
    except PySparkException as error:
        return error
    return None


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
