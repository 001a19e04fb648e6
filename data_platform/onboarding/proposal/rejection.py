"""Counts in one Spark job, for each proposed rule, the profiled rows that the gates would reject for it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from data_platform.gates.expression.column import quoted
from data_platform.model.key_ring import KeyVersion
from data_platform.onboarding.proposal.rule import COUNTED, ProposedRule, RuleKind
from data_platform.stage import silver_plan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from pyspark.sql import Column, DataFrame

    from data_platform.policies import Dataset

_ANY_KEY = KeyVersion(bytes(32))
"""Nothing is written, so no token is kept."""
_KINDS = {
    "MISSING_FIELD": RuleKind.REQUIRED, "UNKNOWN_ENUM": RuleKind.CODES, "FORMAT": RuleKind.PATTERN,
    "INVARIANT": RuleKind.RANGE,
}  # fmt: skip
"""The kind of rule by the first part of a signature; all others are about the type."""


def counted(rules: Sequence[ProposedRule], rows: DataFrame, dataset: Dataset, now: datetime) -> list[ProposedRule]:
    """``rules`` with what they would reject of ``rows``, which are as delivered; ``dataset`` has these rules."""
    from pyspark.sql import functions as F

    typed = silver_plan.typed_rows(rows, dataset)
    rejects = silver_plan.plan(dataset, None, typed, now, _ANY_KEY).rejects
    keys = [rule.fields for rule in rules if rule.kind is RuleKind.KEY]
    well_formed = quoted("_malformed").isNull()
    aggregates = {f"r{place}": F.count_if(flag) for place, flag in enumerate(rejects.values())}
    aggregates |= {f"k{place}": F.count_distinct(_key(names, well_formed)) for place, names in enumerate(keys)}
    aggregates["rows"] = F.count_if(well_formed)
    [found] = typed.rows.agg(*(column.alias(name) for name, column in aggregates.items())).collect()
    by_signature = {signature: found[f"r{place}"] for place, signature in enumerate(rejects)}
    repeated = {names: found["rows"] - found[f"k{place}"] for place, names in enumerate(keys)}
    by_rule = _by_rule(by_signature)
    return [
        replace(rule, would_reject=repeated.get(rule.fields) if rule.kind is RuleKind.KEY else _count(rule, by_rule))
        for rule in rules
    ]


def _key(names: Sequence[str], well_formed: Column) -> Column:
    """NULL for a malformed record, which no key counts."""
    from pyspark.sql import functions as F

    delivery = F.substring_index("_file", "/", 1)
    return F.when(well_formed, F.struct(delivery, *(quoted(name) for name in names)))


def _by_rule(by_signature: Mapping[str, int]) -> Counter[tuple[RuleKind, str]]:
    """Rows by the kind of rule and its column in lower case."""
    counts: Counter[tuple[RuleKind, str]] = Counter()
    for signature, rows in by_signature.items():
        kind, _, rest = signature.partition(":")
        counts[_KINDS.get(kind, RuleKind.TYPE), rest.partition(":")[0].lower()] += rows
    return counts


def _count(rule: ProposedRule, by_rule: Mapping[tuple[RuleKind, str], int]) -> int | None:
    kind = RuleKind.RANGE if rule.kind is RuleKind.FORM else rule.kind  # both are invariants, and a column has one
    return by_rule.get((kind, rule.fields[0].lower()), 0) if rule.kind in COUNTED else None
