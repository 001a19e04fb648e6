"""Judges a pandas frame by the pandera schema of a contract; the result has signatures and counts, and no value."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_platform.frame.column import refused_changes, require_different_names, types_of
from data_platform.frame.pandas_rule import PandasRule, PandasRules, pandas_rules
from data_platform.frame.pandas_schema import pandas_schema
from data_platform.frame.report import FrameReport
from data_platform.model.quarantine import VIOLATIONS
from data_platform.model.schema import Column, Schema
from data_platform.model.verdict import Severity

if TYPE_CHECKING:
    from data_platform.policies import Dataset


@dataclass(frozen=True)
class Judged:
    """``rows`` maps signatures to the positions of rows that break them."""

    rows: dict[str, set[int]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


def check(dataset: Dataset, frame: Any) -> FrameReport:
    """Raises: UsageError, if two columns of the frame have one name."""
    rules, frame = pandas_rules(dataset), with_declared_names(dataset, frame)
    if changes := changes_of(dataset, frame):
        return FrameReport(dataset=dataset.urn, rows=len(frame), broken=dict.fromkeys(changes, len(frame)))
    judged = judge(dataset, rules, frame)
    broken: dict[str, int] = {}
    warned: dict[str, int] = {}
    for signature, rows in judged.rows.items():
        rule = next((one for one in rules.rules if one.signature == signature), None)
        count = sum(n - 1 for n in Counter(rule.keys(frame)).values()) if rule and rule.keys else len(rows)
        (warned if rule and rule.severity is Severity.WARN else broken)[signature] = count
    return FrameReport(
        dataset=dataset.urn,
        rows=len(frame),
        broken=broken,
        warned=warned,
        errors=judged.errors,
        not_checked=rules.not_checked,
    )


def violations(dataset: Dataset, frame: Any) -> Any:
    """A copy of ``frame`` with ``_violations``: for each row the signatures of the rules that it breaks.

    Raises:
        UsageError: Two columns of the frame have one name.
        ContractError: Its columns are not those of the contract, or a rule could not be judged.
    """
    rules, named = pandas_rules(dataset), with_declared_names(dataset, frame)
    changes = dict.fromkeys(changes_of(dataset, named), len(named))
    judged = Judged() if changes else judge(dataset, rules, named)
    FrameReport(dataset=dataset.urn, rows=len(named), broken=changes, errors=judged.errors).require_passed()
    warns = {rule.signature for rule in rules.rules if rule.severity is Severity.WARN}
    broken = {signature: rows for signature, rows in judged.rows.items() if signature not in warns}
    marked = frame.copy()
    marked[VIOLATIONS] = [[s for s, rows in broken.items() if position in rows] for position in range(len(frame))]
    return marked


def with_declared_names(dataset: Dataset, frame: Any) -> Any:
    """``frame`` with a new index, and the declared spelling of its columns: case does not count in Spark."""
    require_different_names(dataset, map(str, frame.columns))
    declared = {name.lower(): name for name in types_of(dataset)}
    return frame.set_axis([declared.get(name.lower(), name) for name in map(str, frame.columns)], axis=1).reset_index(
        drop=True
    )


def changes_of(dataset: Dataset, frame: Any) -> list[str]:
    """Changes of columns; the types of values are judged one by one, so a declared column counts as of its type."""
    types = types_of(dataset)
    return refused_changes(dataset, Schema.of(Column(name=n, type=types.get(n, "string")) for n in frame.columns))


def judge(dataset: Dataset, rules: PandasRules, frame: Any) -> Judged:
    from pandera.config import ValidationDepth, config_context
    from pandera.errors import SchemaErrors

    schema = pandas_schema(dataset, rules, raw=True)
    missing = [column.name for column in dataset.bundle.schema_.declared.columns if column.name not in frame]
    everything = ValidationDepth.SCHEMA_AND_DATA
    judged = Judged()
    with warnings.catch_warnings(), config_context(validation_enabled=True, validation_depth=everything):
        warnings.simplefilter("ignore")
        try:
            schema.validate(frame.assign(**dict.fromkeys(missing)), lazy=True)
        except SchemaErrors as error:
            judged = _read(dataset, error.failure_cases)
    for rule in rules.rules:
        if not rule.column:
            _add(judged, rule, frame)
    return judged


def _add(judged: Judged, rule: PandasRule, frame: Any) -> None:
    """Adds the rows that break a rule over rows."""
    try:
        kept = rule.kept(frame)
    except ArithmeticError as error:
        judged.errors[rule.signature] = f"the rule raised {type(error).__name__} on a row"
        return
    if rows := {position for position, keeps in enumerate(kept) if not keeps}:
        judged.rows[rule.signature] = rows


def _read(dataset: Dataset, cases: Any) -> Judged:
    judged, types = Judged(), types_of(dataset)
    for column, rule, case, index in zip(
        cases["column"], cases["check"], cases["failure_case"], cases["index"], strict=True
    ):
        if index is None or index != index:  # NaN: pandera has a message instead of rows
            judged.errors[rule] = f"the rule raised {str(case).partition('(')[0]} on a row"
        else:
            judged.rows.setdefault(_signature(column, rule, types), set()).add(int(index))
    return judged


def _signature(column: str, rule: str, types: dict[str, str]) -> str:
    if rule == "not_nullable":
        return f"MISSING_FIELD:{column}"
    return f"TYPE_MISMATCH:{column}:{types[column].upper()}" if rule.startswith("dtype(") else rule
