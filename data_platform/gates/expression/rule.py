"""One rule over the columns of a row, as a column that is true where the rule is broken.

Three-valued logic is where rules go wrong: ``filter(rule)`` and ``filter(NOT rule)`` both lose the rows in which the
rule is NULL. Here a rule is either broken or not. A NULL result breaks it, unless a column that is declared nullable is
NULL in that row and every other column has a value: then there is nothing to judge.

A rule that cannot be judged (a missing column, an invalid pattern) is not dropped: ``plan`` returns its error beside
the rules that can be judged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from data_platform.errors import PolicyError
from data_platform.gates.expression.column import field_at, never_null, quoted
from data_platform.gates.expression.computed_number import all_finite
from data_platform.sql.engine import expression_refusals
from data_platform.sql.finite_call import only_finite
from data_platform.sql.moment import at_moment
from data_platform.sql.refusal import condition_of, spark_errors
from data_platform.sql.rule_text import Rule, columns_of, paths_of, policy_problems

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from pyspark.sql import Column, DataFrame

    from data_platform.model.schema import Schema


@dataclass(frozen=True)
class RulePlan:
    """``broken`` maps each rule to a never-NULL boolean column; ``errors`` maps each rule without one to the reason."""

    broken: dict[str, Column]
    errors: dict[str, str]


def plan(rows: DataFrame, rules: Collection[Rule], declared: Schema, now: datetime | None = None) -> RulePlan:
    """Columns that flag, for rows shaped like ``rows``, which rules they break. No job is run.

    ``declared`` defines which columns are nullable; an undeclared column counts as required. ``now`` (with a zone)
    replaces ``current_timestamp()`` and ``current_date()``: rows are evaluated twice and must give the same result.

    Raises:
        PolicyError: ``policy_problems`` has a problem.
    """
    if problems := policy_problems(rules):
        raise PolicyError(problems)
    broken: dict[str, Column] = {}
    errors: dict[str, str] = {}
    reasons = _unusable(rows, rules)
    for rule in rules:
        if reason := reasons[rule.id]:
            errors[rule.id] = reason
        else:
            broken[rule.id] = (
                _broken_pattern(rule)
                if rule.pattern
                else _broken(rows, rule.expression, declared, evaluated(rows, rule, now))
            )
    return RulePlan(broken, errors)


def _broken(rows: DataFrame, expression: str, declared: Schema, answer: Column) -> Column:
    from pyspark.sql import functions as F

    required: list[str] = []
    nullable: list[Column] = []
    for path in paths_of(expression):
        column = declared.get(path[0])
        if column is not None and column.nullable:
            nullable.append(field_at(rows.schema, path))
        else:
            required.append(path[0])
    if not nullable:
        return ~F.coalesce(answer, F.lit(False))
    excused = reduce(lambda a, b: a | b, (value.isNull() for value in nullable))
    complete = reduce(lambda a, b: a & b, (quoted(name).isNotNull() for name in required), F.lit(True))
    return ~F.coalesce(answer, excused & complete)


def evaluated(rows: DataFrame, rule: Rule, now: datetime | None = None) -> Column:
    """The result of a rule's expression at the run's own time: today is the day in the zone of the session.

    It is false if the rule computes a number that is not finite.
    """
    from pyspark.sql import functions as F

    expression = rule.expression
    if now is not None:
        zone = rows.sparkSession.conf.get("spark.sql.session.timeZone") or "UTC"
        expression = at_moment(expression, now, zone, rows.columns)
    finite = all_finite(rows, expression)
    answer = F.expr(only_finite(expression) if "->" in expression else expression)
    return answer if finite is None else F.when(~finite, False).otherwise(answer)


def _broken_pattern(rule: Rule) -> Column:
    return never_null(~quoted(rule.column).rlike(whole_value(rule.pattern)))


def whole_value(pattern: str) -> str:
    r"""``pattern`` for a whole value: a last line end is part of the value, and ``\s`` is any white space.

    Java's own ``\s`` does not include the no-break space, which is then invisible in an address.
    """
    spaces = {r"\s": r"\p{IsWhite_Space}", r"\S": r"\P{IsWhite_Space}"}
    inner = re.sub(r"\\.", lambda escape: spaces.get(escape[0], escape[0]), pattern)
    return rf"\A(?:{inner})\z"


def _unusable(rows: DataFrame, rules: Collection[Rule]) -> dict[str, str]:
    """Maps each rule to the reason why it cannot be judged; empty if it can."""
    reasons = {rule.id: _unreadable(rows, rule) for rule in rules}
    readable = [rule for rule in rules if not reasons[rule.id] and not rule.pattern]
    return reasons | _untrue(rows, readable)


def _unreadable(rows: DataFrame, rule: Rule) -> str:
    """The reason that the text of a rule alone gives."""
    names = {name.lower() for name in rows.columns}
    for name in [rule.column] if rule.pattern else columns_of(rule.expression):
        if name.lower() not in names:
            return f'column "{name}" not found'
    if rule.pattern:
        return "invalid regex" if pattern_error(rows, rule.pattern) else ""
    try:
        return "; ".join(expression_refusals(rows.sparkSession, rule.expression))
    except spark_errors() as error:
        return _not_usable(error)


def _untrue(rows: DataFrame, rules: Sequence[Rule]) -> dict[str, str]:
    """The reason of each rule that is not true or false. Spark analyzes all at once, unless that fails for one."""
    try:
        fields = rows.selectExpr(*(rule.expression for rule in rules)).schema.fields if rules else []
    except spark_errors() as error:
        if len(rules) == 1:
            return {rules[0].id: _not_usable(error)}
        fields = []
    if len(rules) > 1 and len(fields) != len(rules):
        return {name: reason for rule in rules for name, reason in _untrue(rows, [rule]).items()}
    return {rule.id: _not_boolean(field.dataType.simpleString()) for rule, field in zip(rules, fields, strict=False)}


def _not_boolean(kind: str) -> str:
    return "" if kind == "boolean" else f"a rule is true or false, and this one is of type {kind}"


def _not_usable(error: Exception) -> str:
    return f"not a usable expression: {condition_of(error)}"


def pattern_error(rows: DataFrame, pattern: str) -> Exception | None:
    """Java's own error, if ``pattern`` is invalid."""
    from pyspark.errors import PySparkException

    jvm = rows.sparkSession._jvm  # the same regex engine as in the run
    assert jvm is not None, "a classic session has a JVM"  # noqa: S101
    try:
        # Alone first: `a)|(b` is invalid, but becomes valid between our parentheses.
        java_pattern = getattr(jvm, "java.util.regex.Pattern")
        java_pattern.compile(pattern)
        java_pattern.compile(whole_value(pattern))
    except PySparkException as error:
        return error
    return None
