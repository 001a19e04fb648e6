"""The rules of a contract as functions of a pandas frame: which rows keep each of them."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_platform.frame.column import types_of
from data_platform.frame.regex import WHITE_SPACE, whole_value
from data_platform.frame.row_rule import translate
from data_platform.frame.term import UntranslatableError
from data_platform.frame.value import MISFIT, enum_text, reader
from data_platform.gates.contract import reference_signature, unique_signature
from data_platform.gates.expression.contract_plan import invariant_signature
from data_platform.model.contract import Comparison
from data_platform.model.nested_type import is_nested
from data_platform.model.verdict import Severity
from data_platform.sql.rule_text import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from data_platform.model.contract import Invariant, Unique
    from data_platform.model.policy_bundle import FieldConstraint
    from data_platform.policies import Dataset


@dataclass(frozen=True)
class PandasRule:
    """``kept`` answers for a column of the frame if ``column`` names one, else for the frame; it never answers NULL.

    ``keys`` gives the key of each row, for a rule that keys are unique.
    """

    signature: str
    kept: Callable[[Any], Any]
    column: str = ""
    severity: Severity = Severity.QUARANTINE
    keys: Callable[[Any], list[tuple[Any, ...]]] | None = None


@dataclass(frozen=True)
class PandasRules:
    """``not_checked`` maps the signatures of rules that only Spark can evaluate to the reason."""

    rules: tuple[PandasRule, ...]
    not_checked: Mapping[str, str] = field(default_factory=dict)


def pandas_rules(dataset: Dataset) -> PandasRules:
    """The rules on values of single columns, on rows, and on keys; types and NULL are the schema's own."""
    rules: list[PandasRule] = []
    not_checked: dict[str, str] = {}
    for signature, make in _planned(dataset):
        try:
            rules.append(make())
        except UntranslatableError as error:
            not_checked[signature] = f"only Spark can evaluate it ({error})"
    for reference in dataset.bundle.contract.references:
        not_checked[reference_signature(reference)] = "a pandas frame is not compared with other datasets"
    for name, kind in types_of(dataset).items():
        if is_nested(kind):
            not_checked[f"TYPE_MISMATCH:{name}:{kind.upper()}"] = "the types within a nested value are not compared"
    return PandasRules(tuple(rules), not_checked)


def _planned(dataset: Dataset) -> Iterator[tuple[str, Callable[[], PandasRule]]]:
    bundle = dataset.bundle
    for constraint in bundle.schema_.constraints:
        if constraint.column.type in ("float", "double"):
            yield f"NOT_FINITE:{constraint.field}", lambda c=constraint: _finite(c)  # type: ignore[misc]
        if constraint.enum:
            yield f"UNKNOWN_ENUM:{constraint.field}", lambda c=constraint: _enum(dataset, c)  # type: ignore[misc]
        if constraint.pattern:
            yield f"FORMAT:{constraint.field}", lambda c=constraint: _pattern(c)  # type: ignore[misc]
    for invariant in (one for contract in bundle.contracts.values() for one in contract.invariants):
        yield invariant_signature(invariant), lambda i=invariant: _invariant(dataset, i)  # type: ignore[misc]
    for unique in bundle.contract.unique:
        yield unique_signature(unique), lambda u=unique: _unique(dataset, u)  # type: ignore[misc]


def _finite(constraint: FieldConstraint) -> PandasRule:
    def kept(values: Any) -> Any:
        return values.map(lambda value: not isinstance(value, float) or not math.isinf(value))

    return PandasRule(f"NOT_FINITE:{constraint.field}", kept, constraint.field)


def _enum(dataset: Dataset, constraint: FieldConstraint) -> PandasRule:
    kind, allowed = constraint.column.type, frozenset(constraint.enum)
    text, read = enum_text(kind), reader(kind, dataset.policy.zone)
    if text is None:
        raise UntranslatableError(f"the text of a {kind.upper()}")

    def keeps(raw: Any) -> bool:
        value = read(raw)
        return value is None or value is MISFIT or text(value) in allowed

    return PandasRule(f"UNKNOWN_ENUM:{constraint.field}", lambda values: values.map(keeps), constraint.field)


def _pattern(constraint: FieldConstraint) -> PandasRule:
    pattern = whole_value(constraint.pattern)

    def keeps(value: Any) -> bool:
        return not isinstance(value, str) or pattern.match(value) is not None

    return PandasRule(f"FORMAT:{constraint.field}", lambda values: values.map(keeps), constraint.field)


def _invariant(dataset: Dataset, invariant: Invariant) -> PandasRule:
    """A NULL result breaks the rule unless a nullable column is NULL and the others have a value, as in the gate."""
    types = types_of(dataset)
    lower = {name.lower(): kind for name, kind in types.items()}
    answer = translate(invariant.rule, lower, dataset.policy.zone)
    names = {name.lower(): name for name in types}
    used = [names[name.lower()] for name in columns_of(invariant.rule)]
    declared = dataset.bundle.schema_.declared
    nullable = [name.lower() for name in used if (column := declared.get(name)) is not None and column.nullable]
    required = [name.lower() for name in used if name.lower() not in nullable]

    def keeps(row: Mapping[str, Any]) -> bool:
        if any(value is MISFIT for value in row.values()):
            return True  # which is reported as a value of another type
        if (result := answer(row)) is not None:
            return result
        return any(row[name] is None for name in nullable) and all(row[name] is not None for name in required)

    def kept(frame: Any) -> Any:
        return _of_rows(frame, [keeps(row) for row in _rows(frame, used, types, dataset.policy.zone)])

    return PandasRule(invariant_signature(invariant), kept, severity=invariant.severity)


def _unique(dataset: Dataset, unique: Unique) -> PandasRule:
    """False for each row of a repeated key. NULL is a value like any other."""
    if set(unique.compare) - {Comparison.TRIM}:
        raise UntranslatableError(f"keys compared with {', '.join(unique.compare)}")
    types = types_of(dataset)
    names = {name.lower(): name for name in types}
    fields = [names[name.lower()] for name in unique.fields]
    if nested := [name for name in fields if is_nested(types[name])]:
        raise UntranslatableError(f"the nested key {nested[0]}")
    around = Comparison.TRIM in unique.compare
    blanks = WHITE_SPACE.encode().decode("unicode_escape")

    def keys(frame: Any) -> list[tuple[Any, ...]]:
        return [
            tuple(value.strip(blanks) if around and isinstance(value, str) else value for value in row.values())
            for row in _rows(frame, fields, types, dataset.policy.zone)
        ]

    def kept(frame: Any) -> Any:
        found = keys(frame)
        times = Counter(found)
        return _of_rows(frame, [times[key] == 1 for key in found])

    return PandasRule(unique_signature(unique), kept, severity=Severity.BLOCK, keys=keys)


def _rows(frame: Any, used: list[str], types: Mapping[str, str], zone: str) -> Iterator[dict[str, Any]]:
    """Each row with the columns ``used``, by their names in lower case; a column that the frame lacks is NULL."""
    none = [None] * len(frame)
    columns = [map(reader(types[name], zone), frame.get(name, none)) for name in used]
    lower = [name.lower() for name in used]
    if not columns:
        yield from ({} for _ in range(len(frame)))
        return
    for values in zip(*columns, strict=True):
        yield dict(zip(lower, values, strict=True))


def _of_rows(frame: Any, kept: list[bool]) -> Any:
    import pandas as pd

    return pd.Series(kept, index=frame.index, dtype=bool)
