"""Writes a declared column as a property of a contract."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from data_platform.model.partition_key import COLUMN_TYPE
from data_platform.policies.odcs.check_writer import NULL_RATE, metric_checks
from data_platform.policies.odcs.custom_property import (
    ADDED,
    LEARNED_ENUM,
    METRIC,
    PATTERN,
    REQUIRED_IN,
    UNKNOWN_CODES,
    custom,
    own_value,
)
from data_platform.policies.odcs.type_writer import LOGICAL, written_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from data_platform.model.contract import Unique
    from data_platform.model.policy_bundle import FieldConstraint, PolicyBundle


def column_property(
    bundle: PolicyBundle,
    constraint: FieldConstraint | None,
    key: Unique | None,
    partition: str,
    options: dict[str, Any],
) -> dict[str, Any]:
    """``constraint`` is None for the column of the partition's key that the platform adds.

    ``key`` is the primary key, ``partition`` the name of the partition's column; ``options`` are the ranges of numbers.
    """
    name = constraint.field if constraint else partition
    kind = constraint.column.type if constraint else COLUMN_TYPE
    written: dict[str, Any] = {"name": name, **written_type(kind)}
    if constraint and constraint.description:
        written["description"] = constraint.description
    written["required"] = constraint is None or not constraint.nullable
    written |= _roles(bundle, name, key, partition)
    if constraint and constraint.enum:
        written["enum"] = [{"value": _enum_value(value, kind)} for value in dict.fromkeys(constraint.enum)]
    if constraint and constraint.pattern:
        options = {**options, "pattern": anchored(constraint.pattern)}
    if options:
        written["logicalTypeOptions"] = options
    if checks := [*_null_rates(bundle, name)]:
        written["quality"] = checks
    if stored := [*_stored(bundle, constraint, name)]:
        written["customProperties"] = stored
    return written


def with_learned(written: dict[str, Any], learned: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Adds the codes that the baseline has as ``enum``, unless the policy declares one."""
    codes = learned.get(written["name"].lower())
    if not codes or "enum" in written:
        return written
    stored = [*written.get("customProperties", []), custom(LEARNED_ENUM, list(codes))]
    return {**written, "enum": [{"value": code} for code in codes], "customProperties": stored}


def _roles(bundle: PolicyBundle, name: str, key: Unique | None, partition: str) -> dict[str, Any]:
    """What the column is for: a key, the partition, a personal value."""
    roles: dict[str, Any] = {}
    if key and is_among(name, key.fields):
        roles |= {"primaryKey": True, "primaryKeyPosition": [one.lower() for one in key.fields].index(name.lower()) + 1}
    if any(len(one.fields) == 1 and is_among(name, one.fields) and not one.compare for one in bundle.contract.unique):
        roles["unique"] = True
    if name.lower() == partition.lower():
        roles |= {"partitioned": True, "partitionKeyPosition": 1}
    if any(is_among(name, rule.fields) for rule in bundle.pii.detection):
        roles["classification"] = "personal"
    return roles


def is_among(name: str, names: Iterable[str]) -> bool:
    """Whether ``names`` has ``name`` in any case."""
    return name.lower() in {one.lower() for one in names}


def _enum_value(value: str, kind: str) -> str | int:
    """A whole number for a column of whole numbers, whose enum has its values as text."""
    return int(value) if LOGICAL.get(kind) == "integer" and re.fullmatch("0|-?[1-9][0-9]*", value) else value


def anchored(pattern: str) -> str:
    """A pattern for the whole value in the form of other tools, which search a match anywhere in it."""
    return f"^(?:{pattern})$"


def _null_rates(bundle: PolicyBundle, name: str) -> Iterator[dict[str, Any]]:
    for number, metric in enumerate(bundle.dq.metrics):
        if metric.field.lower() == name.lower():
            checks = metric_checks(number, metric)
            yield from (check for check in checks if own_value(check, METRIC)["measure"] == NULL_RATE)


def _stored(bundle: PolicyBundle, constraint: FieldConstraint | None, name: str) -> Iterator[dict[str, Any]]:
    if required_in := [part for part, contract in bundle.contracts.items() if is_among(name, contract.required_fields)]:
        yield custom(REQUIRED_IN, required_in)
    if constraint is None:
        yield custom(ADDED, True)
        return
    if constraint.unknown_codes:
        yield custom(UNKNOWN_CODES, constraint.unknown_codes)
    if constraint.pattern:
        yield custom(PATTERN, constraint.pattern)
