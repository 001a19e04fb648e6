"""Reads the quality checks of a contract: those that the platform wrote as they were, others as rules if possible."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from data_platform.model.contract import Invariant, Unique
from data_platform.model.policy_bundle import FieldConstraint, FieldMetric
from data_platform.model.schema import Schema
from data_platform.policies.odcs.bound import limits_of, written_bound
from data_platform.policies.odcs.check_writer import DISTINCT, MEAN, NULL_RATE, broken_rows_query, metric_checks
from data_platform.policies.odcs.custom_property import INVARIANT, METRIC, MIN_ROWS, UNIQUE, own_mapping, own_value

if TYPE_CHECKING:
    from data_platform.policies.odcs.imported import ImportedContract

_COUNT_OF_WHERE = re.compile(
    r"\s*select\s+count\s*\(\s*(?:\*|1)\s*\)\s+from\s+(?P<table>\S+)\s+where\s+(?P<where>.+?)\s*;?\s*", re.I | re.S
)
_PLACE = re.compile(r"\$?\{(object|table|schema|property|column|field)\}", re.I)
_DUPLICATES = ("duplicatecount", "duplicatevalues")
_NULLS = ("nullcheck", "nullvalues", "missingvalues")
_METRIC_KEYS = {NULL_RATE: ("", "max_null_rate"), MEAN: ("min_mean", "max_mean"), DISTINCT: ("min_distinct", "")}
"""The keys of a metric's lower and upper bound, by measure."""


def read_check(
    imported: ImportedContract, place: str, check: dict[str, Any], constraint: dict[str, Any] | None
) -> None:
    """``constraint`` is the column whose check it is; None if it is of the table."""
    if _read_own(imported, place, check):
        return
    kind = str(check.get("type") or "library")
    if kind == "sql":
        _read_sql(imported, place, check, constraint)
    elif kind == "library":
        _read_library(imported, place, check, constraint)
    else:
        reasons = {"text": "text is for people", "custom": f"engine {check.get('engine')} is not run here"}
        imported.leave_out(place, reasons.get(kind, f"checks of type {kind} are not known"))


def _read_own(imported: ImportedContract, place: str, check: dict[str, Any]) -> bool:
    """Whether the platform wrote the check, and nobody edited it into another one."""
    if (stored := own_mapping(check, INVARIANT)) is not None:
        return _read_own_invariant(imported, place, check, stored)
    if (stored := own_mapping(check, METRIC)) is not None:
        return _read_own_metric(imported, check, stored)
    least = check.get("mustBeGreaterOrEqualTo")
    if own_value(check, MIN_ROWS) is not None and isinstance(least, int) and not isinstance(least, bool):
        imported.min_rows = least
        return True
    return False


def _read_own_invariant(imported: ImportedContract, place: str, check: dict[str, Any], stored: dict[str, Any]) -> bool:
    from sqlglot.errors import SqlglotError

    part = str(stored.get("part"))
    if part not in imported.invariants:
        return False
    try:
        invariant = Invariant.model_validate({key: value for key, value in stored.items() if key != "part"})
        query = broken_rows_query(invariant.rule, declared(imported))
    except (ValidationError, ValueError, SqlglotError):
        return False
    if query == check.get("query") and check.get("mustBe") == 0:
        imported.invariants[part].append(invariant)
    else:
        _read_sql(imported, place, check, None, edited=(part, invariant))
    return True


def declared(imported: ImportedContract) -> Schema:
    return Schema.of(FieldConstraint.model_validate(one).column for one in imported.constraints)


def _read_own_metric(imported: ImportedContract, check: dict[str, Any], stored: dict[str, Any]) -> bool:
    """The stored bound if the check still has it, else the bound of the check."""
    measure, number = str(stored.get("measure")), stored.get("number")
    limits = limits_of(check)
    if measure not in _METRIC_KEYS or not isinstance(number, int) or limits is None:
        return False
    try:
        metric = FieldMetric.model_validate(
            {key: value for key, value in stored.items() if key not in ("measure", "number")}
        )
    except ValidationError:
        return False
    written = [one for one in metric_checks(number, metric) if own_mapping(one, METRIC)["measure"] == measure]  # type: ignore[index]
    if len(written) != 1 or written[0].get("query") != check.get("query"):
        return False
    read = imported.metrics.setdefault(number, {"field": metric.field, "severity": metric.severity.value})
    unchanged = written_bound(written[0]) == written_bound(check)
    for key, limit in zip(_METRIC_KEYS[measure], limits, strict=True):
        value = getattr(metric, key) if key and unchanged else limit
        if key and value is not None:
            read[key] = value / 100 if measure == NULL_RATE and not unchanged else value
    return True


def _read_library(
    imported: ImportedContract, place: str, check: dict[str, Any], constraint: dict[str, Any] | None
) -> None:
    metric = str(check.get("metric") or check.get("rule") or "")
    bound = written_bound(check)
    must_be_none = bound == {"mustBe": 0}
    least = _least(bound)
    if metric.lower() == "rowcount" and least is not None:
        imported.min_rows = max(imported.min_rows, least)
    elif must_be_none and metric.lower() in _DUPLICATES and (fields := _key(check, constraint)):
        imported.uniques.append(_unique(fields, own_mapping(check, UNIQUE)))
    elif constraint is not None and must_be_none and metric.lower() in _NULLS and not check.get("arguments"):
        constraint["nullable"] = False
        imported.required["contract"].append(constraint["field"])
    elif constraint is not None and must_be_none and metric.lower() == "invalidvalues" and _values(check):
        constraint["enum"] = _values(check)
    else:
        imported.leave_out(
            place, f"{metric or 'a check without a metric'} with {_bound_text(bound)} is not checked by any gate"
        )


def _unique(fields: tuple[str, ...], stored: dict[str, Any] | None) -> Unique:
    """``stored`` is how the keys are compared; exactly, if somebody made it something else."""
    with suppress(ValidationError):
        return Unique.model_validate({"fields": list(fields), **(stored or {})})
    return Unique(fields=fields)


def _key(check: dict[str, Any], constraint: dict[str, Any] | None) -> tuple[str, ...]:
    """The columns that are unique together: of a table, those of ``arguments.properties``."""
    if constraint is not None:
        return () if check.get("arguments") else (constraint["field"],)
    arguments = check.get("arguments")
    names = arguments.get("properties") if isinstance(arguments, dict) else None
    return tuple(names) if isinstance(names, list) and all(isinstance(name, str) for name in names) else ()


def _least(bound: dict[str, Any]) -> int | None:
    """The fewest rows that a bound allows, if it has no other limit."""
    steps = {"mustBeGreaterThan": 1, "mustBeGreaterOrEqualTo": 0}
    if len(bound) != 1:
        return None
    ((key, value),) = bound.items()
    return value + steps[key] if key in steps and isinstance(value, int) and not isinstance(value, bool) else None


def _values(check: dict[str, Any]) -> tuple[str, ...]:
    arguments = check.get("arguments")
    values = (arguments or check).get("validValues") if isinstance(arguments or check, dict) else None
    return tuple(values) if isinstance(values, list) and all(isinstance(value, str) for value in values) else ()


def _read_sql(
    imported: ImportedContract,
    place: str,
    check: dict[str, Any],
    constraint: dict[str, Any] | None,
    *,
    edited: tuple[str, Invariant] | None = None,
) -> None:
    """Reads ``SELECT COUNT(*) FROM the table WHERE …`` that must be 0 as a rule: … is not true of any row.

    ``edited`` is our own rule, and its contract, whose query somebody changed: the new rule takes its place.
    """
    match = _COUNT_OF_WHERE.fullmatch(str(check.get("query") or ""))
    names = ("{object}", "{table}", "{schema}", "${table}", imported.name.lower())
    if match is None or match["table"].lower() not in names or check.get("mustBe") != 0:
        imported.leave_out(place, "only SELECT COUNT(*) FROM {object} WHERE … with mustBe: 0 can be checked row by row")
        return
    column = f"`{constraint['field']}`" if constraint else None
    if column is None and re.search(r"\{(property|column|field)\}", match["where"], re.I):
        imported.leave_out(place, "names {property}, but belongs to no property")
        return
    from data_platform.sql.check import expression_problems

    where = _PLACE.sub(lambda placeholder: column or placeholder.group(), match["where"])
    rule = f"NOT coalesce({where}, false)"
    if problems := expression_problems(rule):
        imported.leave_out(place, problems[0].text)
        return
    if edited:
        part, before = edited
        imported.invariants[part].append(before.model_copy(update={"rule": rule, "id": before.name}))
        return
    name = str(check.get("name") or f"{constraint['field'] if constraint else imported.name}_sql")
    add_rule(imported, rule, name)


def add_rule(imported: ImportedContract, rule: str, name: str) -> None:
    """Adds ``rule`` under an id of its own: several checks of a column may have the same name, or none."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)[:60]
    used = {invariant.name for rules in imported.invariants.values() for invariant in rules}
    ids = (plain if number == 1 else f"{plain}_{number}" for number in count(1))
    invariant = Invariant(rule=rule, id=next(one for one in ids if one not in used))
    imported.invariants["contract"].append(invariant)


def _bound_text(bound: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in bound.items()) or "no bound"
