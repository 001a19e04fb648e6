"""Does each promise name columns that its dataset declares, and is each rule valid?

The columns of an external dataset, or of one that declares none, are unknown: its promises are not checked.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from data_platform.model.delta_name import delta_name
from data_platform.model.nested_path import leaves_of, paths_to_text
from data_platform.model.partition_key import COLUMN_TYPE
from data_platform.policies.part import part_problems
from data_platform.policies.problem import Problem, did_you_mean
from data_platform.policies.relation import known_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.contract import Invariant
    from data_platform.model.policy import DatasetPolicy
    from data_platform.model.policy_bundle import PolicyBundle
    from data_platform.policies.document import Location
    from data_platform.policies.entry import DatasetEntry

Named = tuple["Location", str]


def field_problems(entry: DatasetEntry, *, check_rules: bool) -> Iterator[Problem]:
    """Yields the problems; without ``check_rules`` no SQL is parsed."""
    policy, bundle = entry.policy, entry.bundle
    if policy is None or bundle is None:
        return
    named = [*_fields(bundle)]
    if check_rules:
        for location, invariant in _invariants(bundle):
            problems, columns = _judged(invariant.rule)
            named += [(location, column) for column in columns]
            problems = problems or _of_types(entry, bundle, invariant)
            for text in problems:
                yield entry.bundle_document.problem(location, text)
    yield from _same_id(entry, bundle)
    yield from _hidden_enums(entry, bundle)
    yield from _patterns(entry, bundle)
    yield from _partition_key(entry, policy)
    yield from part_problems(entry)
    if not policy.stages:
        return
    if bundle.schema_.constraints:
        yield from _undeclared(entry, named)
        yield from _not_in_delta(entry, bundle)
    else:
        document = entry.bundle_document if entry.bundle_document.name else entry.document
        text = "a dataset with a source or a process declares its columns in schema.constraints of policy_bundle.yaml"
        yield document.problem(("schema", "constraints") if document is entry.bundle_document else (), text)


def _not_in_delta(entry: DatasetEntry, bundle: PolicyBundle) -> Iterator[Problem]:
    """Names that no Delta table has; a column of such a name in a file is read under another one."""
    for position, constraint in enumerate(bundle.schema_.constraints):
        if (stored := delta_name(constraint.field)) != constraint.field:
            text = f"{constraint.field!r} is no name of a column in Delta: declare {stored!r}, as which it is read"
            yield entry.bundle_document.problem(("schema", "constraints", position, "field"), text)


def _undeclared(entry: DatasetEntry, named: list[Named]) -> Iterator[Problem]:
    names = known_names(entry)
    declared = {name.lower() for name in names}
    within = _within_columns(entry)
    for location, name in named:
        if name.lower() not in declared and not (location[0] == "pii" and name.lower() in within):
            text = f"{name} is not declared in schema.constraints{did_you_mean(name, names)}"
            yield entry.bundle_document.problem(location, text)


def _within_columns(entry: DatasetEntry) -> set[str]:
    """Paths within nested columns, which a PII rule may name; ``promise`` reports those that lead to no text."""
    columns = entry.bundle.schema_.declared.columns if entry.bundle else ()
    texts = {path.lower() for column in columns for path in paths_to_text(column.name, column.type)}
    return texts | {path.lower() for column in columns for path, _ in leaves_of(column.name, column.type)}


def _fields(bundle: PolicyBundle) -> Iterator[Named]:
    for part, promises in bundle.contracts.items():
        yield from _each((part, "required_fields"), promises.required_fields)
    for position, unique in enumerate(bundle.contract.unique):
        yield from _each(("contract", "unique", position, "fields"), unique.fields)
    for position, reference in enumerate(bundle.contract.references):
        yield from _each(("contract", "references", position, "fields"), reference.fields)
    for position, rule in enumerate(bundle.pii.detection):
        yield from _each(("pii", "detection", position, "fields"), rule.fields)
    for name in bundle.pii.undeclared.allowed:
        yield ("pii", "undeclared", "allowed", name), name
    for position, metric in enumerate(bundle.dq.metrics):
        yield ("dq", "metrics", position, "field"), metric.field
    yield from _each(("dq", "profile"), bundle.dq.profile)


def _of_types(entry: DatasetEntry, bundle: PolicyBundle, invariant: Invariant) -> tuple[str, ...]:
    """The problems of a parsable rule when it is applied to columns of the declared types."""
    from data_platform.sql.kind import not_boolean
    from data_platform.sql.literal import value_problems

    types = {column.name.lower(): column.type for column in bundle.schema_.declared.columns}
    types = dict.fromkeys((n.lower() for n in known_names(entry)), COLUMN_TYPE) | types
    why = not_boolean(invariant.rule, types)
    problems = [why] if why else value_problems(invariant.rule, types)
    return tuple(f"rule {invariant.rule}: {problem}" for problem in dict.fromkeys(problems))


def _each(location: Location, names: tuple[str, ...]) -> Iterator[Named]:
    for position, name in enumerate(names):
        yield (*location, position), name


def _invariants(bundle: PolicyBundle) -> Iterator[tuple[Location, Invariant]]:
    for part, promises in bundle.contracts.items():
        for position, invariant in enumerate(promises.invariants):
            yield (part, "invariants", position), invariant


def _same_id(entry: DatasetEntry, bundle: PolicyBundle) -> Iterator[Problem]:
    seen: set[str] = set()
    for location, invariant in _invariants(bundle):
        if invariant.name in seen:
            text = f"id {invariant.name!r} appears twice; give each invariant of both contracts an id of its own"
            yield entry.bundle_document.problem(location, text)
        seen.add(invariant.name)


def _hidden_enums(entry: DatasetEntry, bundle: PolicyBundle) -> Iterator[Problem]:
    hidden = {name.lower() for rule in bundle.pii.detection for name in rule.fields}
    for position, constraint in enumerate(bundle.schema_.constraints):
        if constraint.enum and constraint.field.lower() in hidden:
            text = f"{constraint.field} is also under pii, which would change the values that enum allows; keep one"
            yield entry.bundle_document.problem(("schema", "constraints", position, "enum"), text)


def _patterns(entry: DatasetEntry, bundle: PolicyBundle) -> Iterator[Problem]:
    for position, constraint in enumerate(bundle.schema_.constraints):
        if constraint.pattern:
            from data_platform.sql.written_pattern import open_problems, pattern_problems

            for text in (*pattern_problems(constraint.pattern), *open_problems(constraint.pattern)):
                yield entry.bundle_document.problem(("schema", "constraints", position, "pattern"), text)


def _partition_key(entry: DatasetEntry, policy: DatasetPolicy) -> Iterator[Problem]:
    if policy.partition is None or entry.bundle is None:
        return
    key = policy.partition.key
    column = entry.bundle.schema_.declared.get(key)
    if column is not None and column.type != COLUMN_TYPE:
        want, have = COLUMN_TYPE.upper(), column.type.upper()
        text = f"{key} is declared as {have} in schema.constraints; a partition's key is a {want}"
        yield entry.document.problem(("partition", "key"), text)
    freshness = policy.slo.freshness
    if freshness and freshness.partition_key and freshness.partition_key != key:
        text = f"found {key}, and partition_key of the freshness policy is {freshness.partition_key}; correct one"
        yield entry.document.problem(("partition", "key"), text)


@lru_cache(maxsize=8192)
def _judged(rule: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The problems of a rule, and the columns that it reads. Many datasets share a rule, and parsing is slow."""
    from sqlglot.errors import SqlglotError

    from data_platform.sql.rule_text import Rule, columns_of, policy_problems

    problems = policy_problems([Rule(id=rule, expression=rule)])
    try:
        return problems, tuple(columns_of(rule))
    except (SqlglotError, RecursionError):  # so there are problems, whatever their text is
        return problems or (f"rule {rule}: not a Spark SQL expression that can be parsed",), ()
