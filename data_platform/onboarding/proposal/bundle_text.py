"""The proposed ``dataset.yaml`` and ``policy_bundle.yaml``, with the reason of each rule as a comment beside it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml

from data_platform.onboarding.proposal.rule import RuleKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from data_platform.onboarding.proposal.rule import ProposedRule

_SCHEMA = "# yaml-language-server: $schema=../../../schemas/{name}.schema.json"
_KEYS = {RuleKind.TYPE: "type", RuleKind.REQUIRED: "nullable", RuleKind.CODES: "enum", RuleKind.PATTERN: "pattern"}
"""The key of a column's constraint for each kind of rule."""


def dataset_text(values: dict[str, Any], reasons: dict[str, str]) -> str:
    """``reasons`` maps keys to the comment above them."""
    lines = [_SCHEMA.format(name="dataset")]
    for key, value in values.items():
        lines += [f"# {reasons[key]}"] if key in reasons else []
        lines += [yaml.safe_dump({key: value}, sort_keys=False, allow_unicode=True, width=110).rstrip()]
    return "\n".join(lines) + "\n"


def bundle_text(columns: Sequence[str], rules: Sequence[ProposedRule], considered: Iterable[str]) -> str:
    """``considered`` are rules that were not proposed, and why: comments at the end."""
    lines = [
        _SCHEMA.format(name="policy_bundle"),
        "# Proposed from a profile. Each comment has the reason of a rule, and the profiled rows that it would reject.",
        "schema:",
        "  mode: strict",
        "  constraints:",
    ]
    for name in columns:
        lines += _constraint(name, [rule for rule in rules if rule.kind in _KEYS and rule.fields == (name,)])
    lines += _section("contract_lite", "invariants", rules, (RuleKind.RANGE, RuleKind.FORM), _invariant)
    lines += _section("contract", "unique", rules, (RuleKind.KEY,), lambda rule: list(rule.fields))
    lines += _section("pii", "detection", rules, (RuleKind.PERSONAL,), lambda rule: rule.value)
    lines += _dq(rules)
    if considered := list(considered):
        lines += ["# Not proposed:", *(f"#   {_plain(text)}" for text in considered)]
    return "\n".join(lines) + "\n"


def _constraint(name: str, rules: Sequence[ProposedRule]) -> Iterator[str]:
    yield f"    - field: {_inline(name)}"
    for rule in rules:
        yield f"      # {_plain(rule.comment)}"
        value = list(rule.value) if isinstance(rule.value, tuple) else rule.value
        yield f"      {_KEYS[rule.kind]}: {_inline(value)}"


def _invariant(rule: ProposedRule) -> dict[str, str]:
    what = "is_possible" if rule.kind is RuleKind.RANGE else "has_its_form"
    return {"id": f"{rule.fields[0]}_{what}", "rule": rule.value}


def _section(
    part: str, key: str, rules: Sequence[ProposedRule], kinds: Sequence[RuleKind], value_of: Any
) -> Iterator[str]:
    found = [rule for rule in rules if rule.kind in kinds]
    if found:
        yield f"{part}:"
        yield f"  {key}:"
    for rule in found:
        yield f"    # {_plain(rule.comment)}"
        yield f"    - {_inline(value_of(rule))}"


def _dq(rules: Sequence[ProposedRule]) -> Iterator[str]:
    yield "dq:"
    for rule in rules:
        if rule.kind is RuleKind.ROWS:
            yield f"  # {_plain(rule.comment)}"
            yield f"  min_rows: {rule.value}"
        elif rule.kind is RuleKind.PROFILE:
            yield f"  # {_plain(rule.comment)}"
            yield f"  profile: {_inline(list(rule.value))}"
    metrics = [rule for rule in rules if rule.kind is RuleKind.NULLS]
    if metrics:
        yield "  metrics:"
    for rule in metrics:
        yield f"    # {_plain(rule.comment)}"
        yield f"    - {_inline({'field': rule.fields[0], 'max_null_rate': rule.value, 'severity': 'WARN'})}"


def _inline(value: Any) -> str:
    """JSON, which is YAML too: a text such as NO or 1e3 stays a text."""
    return json.dumps(value, ensure_ascii=False)


def _plain(text: str) -> str:
    """One line, whatever the name of a column is."""
    return " ".join(text.split())
