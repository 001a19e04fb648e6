"""Findings about one dataset: what is missing, and what cannot fail."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from data_platform.model.personal_name import names_kind, words
from data_platform.model.pii_policy import PiiKind
from data_platform.policies.lint.finding import (
    ADDRESS,
    ALWAYS_TRUE,
    CONTRACT,
    FRESHNESS,
    PERSONAL,
    THRESHOLD,
    UNBOUNDED,
)
from data_platform.sql.tree import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.policy import DatasetPolicy
    from data_platform.model.policy_bundle import FieldMetric, PolicyBundle
    from data_platform.policies.document import Location
    from data_platform.policies.lint.finding import Code

Found = tuple["Code", str, "Location", str]
"""A code, the file (dataset or bundle), the place in it, and the message."""

DATASET, BUNDLE = "dataset", "bundle"
_MAIL_WORDS = {"email", "mail", "emailaddress", "mailaddress"}
_ANY_TEXT = {".*", "^.*$", "(?s).*", "[\\s\\S]*", ".*?"}


def dataset_findings(policy: DatasetPolicy, bundle: PolicyBundle) -> Iterator[Found]:
    if not policy.owner_email:
        yield ADDRESS, DATASET, ("owner_team",), f"{policy.urn} has no owner_email"
    if not policy.stages:
        return
    if policy.slo.freshness is None:
        yield FRESHNESS, DATASET, ("slo",), f"{policy.urn} has no slo.freshness"
    if not promises_rows(bundle):
        yield CONTRACT, DATASET, ("urn",), f"{policy.urn} promises nothing about its rows"
    yield from _personal(bundle)
    yield from _rules(bundle)
    yield from _thresholds(policy, bundle)


def promises_rows(bundle: PolicyBundle) -> bool:
    """Whether it has any rule that a row or a batch can break, beside the types of its columns."""
    lite, full = bundle.contract_lite, bundle.contract
    declared = any(c.enum or c.pattern or not c.nullable for c in bundle.schema_.constraints)
    promises = (lite.required_fields, lite.invariants, full.required_fields, full.invariants, full.unique)
    return declared or any(promises) or bool(full.references)


def _personal(bundle: PolicyBundle) -> Iterator[Found]:
    """Text columns only: personal values are detected in text."""
    searched = {name.lower() for rule in bundle.pii.detection for name in rule.fields}
    searched |= {name.lower() for name in bundle.pii.undeclared.allowed}
    everywhere = {rule.pattern for rule in bundle.pii.detection if not rule.fields}
    for position, constraint in enumerate(bundle.schema_.constraints):
        kind = _kind_by_name(constraint.field) if "string" in constraint.column.type else None
        if kind is not None and kind not in everywhere and constraint.field.lower() not in searched:
            message = f"the name of column {constraint.field} indicates {kind}, and no rule of pii searches it"
            yield PERSONAL, BUNDLE, ("schema", "constraints", position, "field"), message


def _kind_by_name(column: str) -> PiiKind | None:
    if words(column) & _MAIL_WORDS:
        return PiiKind.EMAIL
    return next((kind for kind in PiiKind if names_kind(column, kind)), None)


def _rules(bundle: PolicyBundle) -> Iterator[Found]:
    for part, contract in bundle.contracts.items():
        for position, invariant in enumerate(contract.invariants):
            if is_always_true(invariant.rule):
                yield ALWAYS_TRUE, BUNDLE, (part, "invariants", position), f"{invariant.rule} is true for every row"
    for position, constraint in enumerate(bundle.schema_.constraints):
        if constraint.pattern in _ANY_TEXT:
            message = f"the pattern of {constraint.field} matches every text"
            yield ALWAYS_TRUE, BUNDLE, ("schema", "constraints", position, "pattern"), message


def _thresholds(policy: DatasetPolicy, bundle: PolicyBundle) -> Iterator[Found]:
    for part, contract in bundle.contracts.items():
        if contract.min_compliance == 0:
            yield THRESHOLD, BUNDLE, (part, "min_compliance"), "a min_compliance of 0 lets every row break every rule"
    if bundle.dq.min_rows == 0 and (policy.slo.volume is None or policy.slo.volume.min_rows_per_partition == 0):
        yield THRESHOLD, BUNDLE, ("dq", "min_rows"), "a min_rows of 0 is reached by an empty batch"
    for position, metric in enumerate(bundle.dq.metrics):
        place: Location = ("dq", "metrics", position)
        if metric.max_null_rate == 1:
            yield THRESHOLD, BUNDLE, (*place, "max_null_rate"), f"{metric.field} may be NULL in 100 % of the rows"
        if metric.min_distinct == 0:
            yield THRESHOLD, BUNDLE, (*place, "min_distinct"), f"{metric.field} always has 0 distinct values or more"
        if not _has_bound(metric):
            yield UNBOUNDED, BUNDLE, place, f"the metric of {metric.field} has no bound"


def _has_bound(metric: FieldMetric) -> bool:
    return any(value is not None for name, value in metric if name.startswith(("min_", "max_")))


@lru_cache(maxsize=4096)
def is_always_true(rule: str) -> bool:
    """Whether sqlglot simplifies ``rule`` to TRUE. A comparison is not: it does not hold for NULL."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.simplify import simplify

    try:
        simplified = simplify(tree_of(rule).copy(), dialect="spark")
    except (SqlglotError, RecursionError):
        return False
    return isinstance(simplified, exp.Boolean) and bool(simplified.this)
