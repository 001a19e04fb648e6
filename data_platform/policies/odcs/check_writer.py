"""Writes the rules of a bundle as quality checks of a contract: queries and metrics that other tools can run."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from data_platform.model.verdict import Severity
from data_platform.policies.odcs.bound import bound_of
from data_platform.policies.odcs.custom_property import INVARIANT, METRIC, MIN_ROWS, UNIQUE, custom

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.contract import Invariant, Unique
    from data_platform.model.policy_bundle import FieldMetric
    from data_platform.model.schema import Schema

_SEVERITIES = {Severity.WARN: "warning", Severity.QUARANTINE: "error", Severity.BLOCK: "critical"}
DISTINCT, MEAN, NULL_RATE = "distinct", "mean", "null_rate"


def invariant_check(part: str, invariant: Invariant, declared: Schema) -> dict[str, Any]:
    """``part`` is ``contract_lite`` or ``contract``."""
    stored = {"part": part, **invariant.model_dump(mode="json", exclude_defaults=True)}
    return {
        "name": invariant.name,
        "type": "sql",
        "query": broken_rows_query(invariant.rule, declared),
        "mustBe": 0,
        "unit": "rows",
        "severity": _SEVERITIES[invariant.severity],
        "customProperties": [custom(INVARIANT, stored)],
    }


def broken_rows_query(rule: str, declared: Schema) -> str:
    """Counts the rows that the gate would reject: a NULL result breaks a rule unless a nullable column excuses it."""
    from data_platform.sql.rule_text import columns_of

    required: list[str] = []
    nullable: list[str] = []
    for name in columns_of(rule):
        column = declared.get(name)
        (nullable if column is not None and column.nullable else required).append(_quoted(name))
    excused = " OR ".join(f"{name} IS NULL" for name in nullable)
    complete = "".join(f" AND {name} IS NOT NULL" for name in required)
    excuse = f"({excused}){complete}" if nullable else "false"
    line_end = "\n" if "--" in rule else ""  # a comment in the rule must not swallow what follows
    return _query("COUNT(*)") + f" WHERE NOT coalesce(({rule}{line_end}), {excuse})"


def unique_check(unique: Unique) -> dict[str, Any]:
    stored = [custom(UNIQUE, {"compare": [one.value for one in unique.compare]})] if unique.compare else []
    return {
        "name": f"unique {', '.join(unique.fields)}",
        "type": "library",
        "metric": "duplicateValues",
        "arguments": {"properties": list(unique.fields)},
        "mustBe": 0,
        "severity": _SEVERITIES[Severity.BLOCK],
        **({"customProperties": stored} if stored else {}),
    }


def min_rows_check(min_rows: int) -> dict[str, Any]:
    return {
        "name": "rows of a batch",
        "type": "library",
        "metric": "rowCount",
        "mustBeGreaterOrEqualTo": min_rows,
        "severity": _SEVERITIES[Severity.BLOCK],
        "customProperties": [custom(MIN_ROWS, min_rows)],
    }


def metric_checks(number: int, metric: FieldMetric) -> Iterator[dict[str, Any]]:
    """One check for each measure that has bounds; ``number`` is the metric's place in ``dq.metrics``."""
    column = _quoted(metric.field)
    if metric.max_null_rate is not None:
        percent = float(Decimal(repr(metric.max_null_rate)) * 100)
        check = {"type": "library", "metric": "nullValues", "unit": "percent", "mustBeLessOrEqualTo": percent}
        yield _metric_check(number, metric, NULL_RATE, check)
    if metric.min_mean is not None or metric.max_mean is not None:
        check = {"type": "sql", "query": _query(f"AVG(CAST({column} AS DOUBLE))")}
        yield _metric_check(number, metric, MEAN, {**check, **bound_of(metric.min_mean, metric.max_mean)})
    if metric.min_distinct is not None:
        check = {"type": "sql", "query": _query(f"APPROX_COUNT_DISTINCT({column})")}
        yield _metric_check(number, metric, DISTINCT, {**check, **bound_of(metric.min_distinct, None)})


def _metric_check(number: int, metric: FieldMetric, measure: str, check: dict[str, Any]) -> dict[str, Any]:
    stored = {"number": number, "measure": measure, **metric.model_dump(mode="json", exclude_none=True)}
    return {
        "name": f"{measure} of {metric.field}",
        **check,
        "severity": _SEVERITIES[metric.severity],
        "customProperties": [custom(METRIC, stored)],
    }


def _query(measure: str) -> str:
    """The query of a contract, in which ``{object}`` is the table."""
    return " ".join(("SELECT", measure, "FROM {object}"))


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
