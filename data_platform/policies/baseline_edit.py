"""Changes of columns and of learned domains in the text of ``baseline.json``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import yaml

from data_platform.model.schema import Column, Schema
from data_platform.model.schema_change import ChangeKind
from data_platform.policies.yaml_splice import Splice, items_of, value_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data_platform.model.baseline import Baseline
    from data_platform.model.policy_bundle import PolicyBundle
    from data_platform.model.schema_change import SchemaChange


def edited_baseline(
    text: str | None,
    baseline: Baseline | None,
    bundle: PolicyBundle,
    changes: Sequence[SchemaChange],
) -> str | None:
    """``text`` with the registered columns as delivered now; None if there is no baseline.

    ``changes`` are facts, and renames in place of the two facts that they explain.
    """
    if text is None or baseline is None:
        return text
    splice = Splice(text, is_json=True)
    if baseline.schema_:
        _edit_columns(splice, baseline, changes)
    _forget(splice, {c.column.lower() for c in changes if c.kind in (ChangeKind.REMOVED, ChangeKind.RENAMED)})
    _extend_domains(splice, bundle, changes)
    return splice.result()


def with_domains(text: str | None, baseline: Baseline | None, learned: Mapping[str, Sequence[str]]) -> str:
    """``text`` with the learned domains beside those that it has; a known value stays, also if it no longer occurs."""
    known = dict(baseline.enum_domains or {}) if baseline else {}
    domains = {
        column: sorted({*known.get(column, ()), *learned.get(column, ())}) for column in sorted({*known, *learned})
    }
    if text is not None and domains == {column: list(values) for column, values in known.items()}:
        return text
    if text is None:
        return json.dumps({"enum_domains": domains}, indent=2, ensure_ascii=False) + "\n"
    splice = Splice(text, is_json=True)
    existing, root = splice.node("enum_domains"), splice.node()
    if existing is not None:
        splice.replace(existing, domains)
    elif isinstance(root, yaml.MappingNode) and root.value:
        splice.add_key(root, "enum_domains", domains)
    else:
        return with_domains(None, None, domains)
    return splice.result()


def _edit_columns(splice: Splice, baseline: Baseline, changes: Sequence[SchemaChange]) -> None:
    columns, rows = list(baseline.declared.columns), splice.node("schema")
    if not isinstance(rows, yaml.SequenceNode):
        return
    names = [column.name.lower() for column in columns]
    gone: set[int] = set()
    added: list[Column] = []
    for change in changes:
        at = names.index(change.column.lower()) if change.column.lower() in names else None
        if change.kind is ChangeKind.ADDED and at is None:
            added.append(Column(name=change.column, type=change.after))
        elif change.kind is ChangeKind.REMOVED and at is not None:
            gone.add(at)
        elif change.kind in (ChangeKind.WIDENED, ChangeKind.RETYPED) and at is not None:
            columns[at] = Column(name=columns[at].name, type=change.after, nullable=columns[at].nullable)
            _replace(splice, ("schema", at, "type"), change.after)
        elif change.kind is ChangeKind.RENAMED and at is not None:
            columns[at] = Column(name=change.after, type=columns[at].type, nullable=columns[at].nullable)
            _replace(splice, ("schema", at, "name"), change.after)
    splice.append(rows, [{"name": c.name, "type": c.type, "nullable": c.nullable} for c in added], without=gone)
    kept = [column for at, column in enumerate(columns) if at not in gone]
    if baseline.schema_fingerprint:
        _replace(splice, ("schema_fingerprint",), Schema.of([*kept, *added]).fingerprint)


def _replace(splice: Splice, keys: tuple[str | int, ...], value: str) -> None:
    if (node := splice.node(*keys)) is not None:
        splice.replace(node, value)


def _forget(splice: Splice, columns: set[str]) -> None:
    """Removes what was measured of ``columns``, which were removed or have another name now."""
    for part in ("null_rates", "enum_domains"):
        measured = splice.node(part)
        if isinstance(measured, yaml.MappingNode):
            splice.remove_keys(measured, [n.value for n, _ in measured.value if n.value.lower() in columns])


def _extend_domains(splice: Splice, bundle: PolicyBundle, changes: Sequence[SchemaChange]) -> None:
    """Adds the new values of columns whose domain was learned; a declared one is in the bundle."""
    declared = {c.field.lower() for c in bundle.schema_.constraints if c.enum}
    values: dict[str, list[str]] = {}
    for change in changes:
        if change.kind is ChangeKind.NEW_ENUM_VALUE and change.column.lower() not in declared:
            values.setdefault(change.column, []).append(change.after)
    for column, new in values.items():
        domain = splice.node("enum_domains", column)
        known = {value_of(item) for item in items_of(domain)}
        if isinstance(domain, yaml.SequenceNode):
            splice.append(domain, [value for value in dict.fromkeys(new) if value not in known])
