"""Can a column of its type keep each promise? A promise that no run could keep is reported when policies are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.nested_path import leaves_of
from data_platform.model.nested_type import is_nested
from data_platform.model.personal_name import names_kind
from data_platform.model.pii_policy import PiiKind
from data_platform.model.schema import is_number
from data_platform.policies.personal import WHOLE_VALUES
from data_platform.policies.problem import Problem, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.policy import DatasetPolicy
    from data_platform.model.policy_bundle import PolicyBundle
    from data_platform.policies.entry import DatasetEntry

_DAYS = ("date", "timestamp", "timestamp_ntz")


def promise_problems(entry: DatasetEntry) -> Iterator[Problem]:
    policy, bundle = entry.policy, entry.bundle
    if policy is None or bundle is None or not policy.stages:
        return
    yield from _producer(entry, policy)
    yield from _partition(entry, policy, bundle)
    yield from _formats(entry, policy, bundle)
    yield from _constraints(entry, bundle)
    yield from _personal(entry, bundle)
    yield from _metrics(entry, bundle)
    yield from _keys(entry, bundle)
    yield from _codes(entry, bundle)


def _producer(entry: DatasetEntry, policy: DatasetPolicy) -> Iterator[Problem]:
    if policy.source and not policy.source.names_producer:
        text = "nothing names the producer, so G2_IDENTITY could never pass; add producer, or a manifest that names it"
        yield entry.document.problem(("source",), text)


def _partition(entry: DatasetEntry, policy: DatasetPolicy, bundle: PolicyBundle) -> Iterator[Problem]:
    if policy.partition is None or not bundle.schema_.constraints:
        return
    key, source, declared = policy.partition.key, policy.partition.computed_from, bundle.schema_.declared
    if source is not None:
        column = declared.get(source)
        if declared.get(key) is not None:
            text = f"{key} is declared in schema.constraints and is not computed; remove computed_from"
        elif column is None:
            text = f"{source} is not declared in schema.constraints{did_you_mean(source, declared.names)}"
        else:
            text = "" if column.type in _DAYS else f"{source} is {column.type.upper()}; expected a DATE or TIMESTAMP"
        if text:
            yield entry.document.problem(("partition", "computed_from"), text)
    elif (
        declared.get(key) is None and not policy.partition.of_delivery and (meant := did_you_mean(key, declared.names))
    ):
        text = (
            f"{key} is not declared in schema.constraints; name a declared DATE column, or add computed_from, or"
            f" of_delivery: true if no column contains the day{meant}"
        )
        yield entry.document.problem(("partition", "key"), text)


def _formats(entry: DatasetEntry, policy: DatasetPolicy, bundle: PolicyBundle) -> Iterator[Problem]:
    if policy.source is None:
        return
    for position, constraint in enumerate(bundle.schema_.constraints):
        if is_nested(constraint.type) and not policy.source.traits.can_hold(constraint.type):
            text = (
                f"{constraint.field} is {constraint.type}, which {policy.source.kind} cannot hold; declare it"
                " STRING and parse it in a process (from_json), or deliver Parquet"
            )
            yield entry.bundle_document.problem(("schema", "constraints", position, "type"), text)


def _constraints(entry: DatasetEntry, bundle: PolicyBundle) -> Iterator[Problem]:
    for position, constraint in enumerate(bundle.schema_.constraints):
        kind = constraint.column.type
        if constraint.pattern and kind != "string":
            text = f"{constraint.field} is {kind.upper()}, and a pattern is for text; use an invariant"
            yield entry.bundle_document.problem(("schema", "constraints", position, "pattern"), text)
        if "enum" in constraint.model_fields_set and not constraint.enum:
            text = "an empty list; name the values that are allowed, or leave enum out"
            yield entry.bundle_document.problem(("schema", "constraints", position, "enum"), text)
        if constraint.enum and (is_nested(kind) or kind == "binary"):
            text = f"{constraint.field} is {kind.upper()}, and enum lists single values; use an invariant"
            yield entry.bundle_document.problem(("schema", "constraints", position, "enum"), text)


def _personal(entry: DatasetEntry, bundle: PolicyBundle) -> Iterator[Problem]:
    types = _types(bundle)
    for position, rule in enumerate(bundle.pii.detection):
        for number, name in enumerate(rule.fields):
            kind = types.get(name.lower(), "string")
            if "string" not in kind:
                text = f"{name} is {kind.upper()}, {_IN_TEXT}"
            elif rule.in_text and (kind != "string" or bundle.schema_.declared.get(name) is None):
                text = f"{name} is no text column, and in_text searches only these: leave it out, or name another field"
            else:
                continue
            yield entry.bundle_document.problem(("pii", "detection", position, "fields", number), text)
    yield from _personal_numbers(entry, bundle)


_IN_TEXT = "and personal values are detected in text only; declare it STRING"


def _types(bundle: PolicyBundle) -> dict[str, str]:
    """The type of each column, and of each simple value within one, by its path in lower case."""
    columns = bundle.schema_.declared.columns
    within = {path.lower(): kind for c in columns for path, kind in leaves_of(c.name, c.type)}
    return within | {c.name.lower(): c.type for c in columns}


def _personal_numbers(entry: DatasetEntry, bundle: PolicyBundle) -> Iterator[Problem]:
    """Values whose names, or those of the columns around them, match a rule for every column, and that are no text."""
    kinds = {rule.pattern for rule in bundle.pii.detection if not rule.fields and rule.pattern not in WHOLE_VALUES}
    for position, constraint in enumerate(bundle.schema_.constraints):
        for path, kind in leaves_of(constraint.field, constraint.column.type):
            if any(_may_hold(kind, one) and names_kind(path, one) for one in kinds):
                text = f"{path} is {kind.upper()}, {_IN_TEXT}"
                yield entry.bundle_document.problem(("schema", "constraints", position, "type"), text)


def _may_hold(kind: str, personal: str) -> bool:
    """Whether a value of a type other than text may be a personal one of that kind. Bytes are hashes, mostly."""
    is_day = kind.startswith(("date", "timestamp")) and personal == PiiKind.DATE_OF_BIRTH
    return is_number(kind) or is_day


def _metrics(entry: DatasetEntry, bundle: PolicyBundle) -> Iterator[Problem]:
    for position, metric in enumerate(bundle.dq.metrics):
        column = bundle.schema_.declared.get(metric.field)
        if column is None:
            continue
        bounds = [name for name in ("min_mean", "max_mean") if getattr(metric, name) is not None]
        for name in bounds if not is_number(column.type) else ():
            text = f"{metric.field} is {column.type.upper()}, and only numbers have a mean"
            yield entry.bundle_document.problem(("dq", "metrics", position, name), text)
        if metric.min_distinct is not None and "map<" in column.type:
            text = f"{metric.field} is {column.type.upper()}, and maps cannot be counted"
            yield entry.bundle_document.problem(("dq", "metrics", position, "min_distinct"), text)


def _keys(entry: DatasetEntry, bundle: PolicyBundle) -> Iterator[Problem]:
    for position, unique in enumerate(bundle.contract.unique):
        for number, name in enumerate(unique.fields):
            column = bundle.schema_.declared.get(name)
            if column is not None and "map<" in column.type:
                text = f"{name} is {column.type.upper()}, and maps cannot be compared"
                yield entry.bundle_document.problem(("contract", "unique", position, "fields", number), text)


def _codes(entry: DatasetEntry, bundle: PolicyBundle) -> Iterator[Problem]:
    """Learned codes of a column that no batch has, or that is no text, would never be compared with anything."""
    declared, name = bundle.schema_.declared, entry.baseline_file
    for field in (entry.baseline.enum_domains or {}) if entry.baseline and declared.columns else ():
        column = declared.get(field)
        if column is None:
            text = f"{field} is not declared in schema.constraints{did_you_mean(field, declared.names)}"
            yield Problem(name, 0, "enum_domains", text)
        elif column.type != "string":
            text = f"{field} is {column.type.upper()}, and codes are text; remove it, or use an invariant"
            yield Problem(name, 0, "enum_domains", text)
