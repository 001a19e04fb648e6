"""Writes a dataset as an Open Data Contract (ODCS 3.2): its columns, rules, references, owner and service level."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from data_platform.policies.catalog import CERTIFIED
from data_platform.policies.odcs.bound import ranges
from data_platform.policies.odcs.check_writer import invariant_check, metric_checks, min_rows_check, unique_check
from data_platform.policies.odcs.column_writer import column_property, with_learned
from data_platform.policies.odcs.custom_property import BUNDLE, REFERENCE, custom

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from data_platform.model.contract import Reference, Unique
    from data_platform.model.freshness import Freshness
    from data_platform.model.policy import DatasetPolicy
    from data_platform.model.policy_bundle import PolicyBundle
    from data_platform.policies.catalog import Dataset

VERSION = "v3.2.0"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_EXPRESSED: dict[str, tuple[str, ...]] = {
    "schema": ("constraints",),
    "contract_lite": ("required_fields", "invariants"),
    "contract": ("required_fields", "invariants", "unique", "references"),
    "dq": ("min_rows", "metrics"),
}
"""The parts of a bundle that are elements of the contract; the others are a custom property of its table."""


def contract_document(dataset: Dataset) -> dict[str, Any]:
    """The contract of ``dataset``; its version is the fingerprint of the policy, so that it changes with the policy."""
    policy = dataset.policy
    document: dict[str, Any] = {
        "apiVersion": VERSION,
        "kind": "DataContract",
        "id": policy.urn,
        "name": policy.id.name,
        "version": dataset.fingerprint,
        "status": policy.status.value.lower(),
        "domain": policy.id.zone,
    }
    if policy.description:
        document["description"] = {"purpose": policy.description}
    if policy.tags:
        document["tags"] = list(policy.tags)
    learned = dataset.learned_domains
    document["schema"] = [_table(dataset, {name.lower(): codes for name, codes in learned.items()})]
    document["team"] = _team(policy)
    if policy.slo.freshness:
        document["slaProperties"] = [_availability(policy.slo.freshness)]
    document["customProperties"] = [custom("tier", policy.tier.value)]
    if policy.category:
        document["customProperties"].append(custom("category", policy.category))
    return document


def _table(dataset: Dataset, learned: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """``learned`` are the codes that the baseline has, by column in lower case."""
    policy, bundle = dataset.policy, dataset.bundle
    key = primary_key(bundle)
    table: dict[str, Any] = {
        "name": policy.id.name,
        "physicalName": f"{CERTIFIED}.{policy.id.identifier}",
        "physicalType": "view",
        "logicalType": "object",
        "properties": [with_learned(one, learned) for one in _properties(dataset, key)],
        "quality": [*_checks(bundle, key)],
    }
    if related := relationships(policy.id.name, bundle):
        table["relationships"] = related
    table["customProperties"] = [custom(BUNDLE, _remainder(bundle, is_related=bool(related)))]
    return table


def primary_key(bundle: PolicyBundle) -> Unique | None:
    """The first uniqueness of the contract, if all of its columns are required and compared exactly."""
    first = bundle.contract.unique[0] if bundle.contract.unique else None
    if first is None or first.compare:
        return None
    columns = [bundle.schema_.declared.get(name) for name in first.fields]
    return first if all(column is not None and not column.nullable for column in columns) else None


def _properties(dataset: Dataset, key: Unique | None) -> Iterator[dict[str, Any]]:
    policy, bundle = dataset.policy, dataset.bundle
    stated = [one for contract in bundle.contracts.values() for one in contract.invariants]
    options = ranges(stated, bundle.schema_.declared)
    partition = policy.partition.key if policy.partition else ""
    for constraint in bundle.schema_.constraints:
        yield column_property(bundle, constraint, key, partition, options.get(constraint.field, {}))
    if dataset.added_column:
        yield column_property(bundle, None, key, partition, {})


def _checks(bundle: PolicyBundle, key: Unique | None) -> Iterator[dict[str, Any]]:
    for part, contract in bundle.contracts.items():
        for invariant in contract.invariants:
            yield invariant_check(part, invariant, bundle.schema_.declared)
    for unique in bundle.contract.unique:
        if unique is not key:
            yield unique_check(unique)
    for number, metric in enumerate(bundle.dq.metrics):
        yield from (check for check in metric_checks(number, metric) if check["type"] == "sql")
    yield min_rows_check(bundle.dq.min_rows)


def relationships(table: str, bundle: PolicyBundle) -> list[dict[str, Any]]:
    """The references; none if the standard has no notation for the name of one of their columns."""
    references = bundle.contract.references
    names = [table, *(name for one in references for name in (*one.fields, *one.target))]
    return [_relationship(table, one) for one in references] if all(map(_NAME.fullmatch, names)) else []


def _relationship(table: str, reference: Reference) -> dict[str, Any]:
    target = reference.dataset.removeprefix("ds://").replace("/", ".")
    from_ = [f"{table}.{name}" for name in reference.fields]
    to = [f"{target}.{name}" for name in reference.target]
    single = len(from_) == len(to) == 1
    return {
        "type": "foreignKey",
        "from": from_[0] if single else from_,
        "to": to[0] if single else to,
        "customProperties": [custom(REFERENCE, reference.model_dump(mode="json", exclude_defaults=True))],
    }


def _remainder(bundle: PolicyBundle, *, is_related: bool) -> dict[str, Any]:
    whole = bundle.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    remainder: dict[str, Any] = {}
    for part, content in whole.items():
        expressed = set(_EXPRESSED.get(part, ()))
        if not is_related:
            expressed -= {"references"}
        if kept := {name: value for name, value in content.items() if name not in expressed}:
            remainder[part] = kept
    return remainder


def _team(policy: DatasetPolicy) -> dict[str, Any]:
    team: dict[str, Any] = {"name": policy.owner_team}
    if policy.owner_email:
        team["members"] = [{"username": policy.owner_email, "role": "owner"}]
    return team


def _availability(freshness: Freshness) -> dict[str, Any]:
    deadline = freshness.deadline
    stored = freshness.model_dump(mode="json", exclude_defaults=True)
    return {
        "property": "timeOfAvailability",
        "value": f"{deadline.hour:02}:{deadline.minute:02} {deadline.time_zone}",
        "description": f"Expected by {freshness.expected_update_by}, late after {freshness.grace_period} more",
        **({"scheduler": "cron", "schedule": freshness.cron} if freshness.cron else {}),
        "customProperties": [custom("freshness", stored)],
    }
