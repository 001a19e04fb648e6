"""Can each rule for personal values be kept: does its expression work, may a value be dropped, is there a column?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.nested_path import paths_to_text
from data_platform.model.personal_name import names_kind
from data_platform.model.pii_policy import PiiAction, PiiKind
from data_platform.policies.own_kind import regex_problems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.policy_bundle import PolicyBundle
    from data_platform.policies.entry import DatasetEntry
    from data_platform.policies.problem import Problem

WHOLE_VALUES = (PiiKind.PERSON_NAME, PiiKind.STREET_ADDRESS)
"""Kinds that are detected in columns that are about them only."""


def personal_problems(entry: DatasetEntry) -> Iterator[Problem]:
    bundle = entry.bundle
    if bundle is None:
        return
    for position, kind in enumerate(bundle.pii.kinds):
        for text in regex_problems(kind.regex):
            yield entry.bundle_document.problem(("pii", "kinds", position, "regex"), text)
    yield from _dropped(entry, bundle)
    yield from _without_a_column(entry, bundle)


def _dropped(entry: DatasetEntry, bundle: PolicyBundle) -> Iterator[Problem]:
    """Columns that must have a value, and would lose it."""
    required = {name.lower() for name in bundle.contract.required_fields}
    required |= {c.field.lower() for c in bundle.schema_.constraints if not c.nullable}
    texts = {c.name.lower() for c in bundle.schema_.declared.columns if c.type == "string"}
    for position, rule in enumerate(bundle.pii.detection):
        if rule.action is not PiiAction.DROP:
            continue
        fields = {name.lower() for name in rule.fields} or texts
        if never_null := sorted(fields & required & texts):
            text = f"drop makes the value NULL, and {', '.join(never_null)} must have one: redact, or name other fields"
            yield entry.bundle_document.problem(("pii", "detection", position, "action"), text)


def _without_a_column(entry: DatasetEntry, bundle: PolicyBundle) -> Iterator[Problem]:
    """Rules that would never find anything, since no column is about their kind."""
    columns = bundle.schema_.declared.columns
    for position, rule in enumerate(bundle.pii.detection):
        if rule.fields or rule.pattern not in WHOLE_VALUES or not columns:
            continue
        if not any(names_kind(path, rule.pattern) for c in columns for path in paths_to_text(c.name, c.type)):
            text = f"no column's name says that it holds a {rule.pattern}: name the columns in fields"
            yield entry.bundle_document.problem(("pii", "detection", position, "pattern"), text)
