"""The edit of a dataset's policy files that accepts changes of its schema, as new texts.

A new column is declared, a wider type is written, a removed column is no longer declared, a renamed one keeps its rules
under the new name, and a new value joins its enum. What the mode would still hold at gold, where the candidate is
compared with what consumers see, is added to ``schema.accepted``. Nothing is written here, and rules in SQL are not
changed: validation names those that mention a column that is gone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data_platform.gates.schema_mode import allowed
from data_platform.model.enum_domain import CODE
from data_platform.model.schema_change import ChangeKind
from data_platform.model.schema_drift import HIDDEN
from data_platform.policies.baseline_edit import edited_baseline
from data_platform.policies.bundle_edit import BundleEdit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from data_platform.model.baseline import Baseline
    from data_platform.model.policy_bundle import PolicyBundle
    from data_platform.model.schema_change import SchemaChange

_HIDDEN = re.compile(r"column#\d+|.*\[REDACTED:.*", re.DOTALL)
_BY_HAND = "edit the policy by hand"
_NO_HEADER = "other names may be values, so that the file may have no header: have the delivery corrected"
_TABLE_CHANGES = (ChangeKind.REMOVED, ChangeKind.RENAMED)


@dataclass(frozen=True, kw_only=True)
class PolicyTexts:
    """The files of a dataset as they are; ``baseline`` is None if there is none.

    ``has_rows`` is whether the dataset has tables with rows, which keep their types and NOT NULL for good. ``at_gold``
    are the signatures that gold's verdict has.
    """

    bundle_text: str
    bundle: PolicyBundle
    baseline_text: str | None = None
    baseline: Baseline | None = None
    has_rows: bool = True
    at_gold: Collection[str] = ()


@dataclass(frozen=True, kw_only=True)
class DriftEdit:
    """The new texts, the signatures that they accept, and why others cannot be accepted."""

    bundle_text: str
    baseline_text: str | None
    accepted: tuple[str, ...]
    refused: dict[str, str] = field(default_factory=dict)


def edited(texts: PolicyTexts, changes: Sequence[SchemaChange]) -> DriftEdit:
    """``changes`` are facts and suggestions; a suggestion is taken, in place of the two facts that it explains."""
    refused = {change.signature: why for change in changes if (why := _why_not(change, texts))}
    if any(_is_hidden(change) for change in changes):
        refused |= {c.signature: _NO_HEADER for c in changes if c.kind in _TABLE_CHANGES and c.signature not in refused}
    taken = [change for change in changes if change.signature not in refused]
    renames = {(c.column, c.after): c for c in taken if c.kind is ChangeKind.RENAMED}
    edit = BundleEdit(texts.bundle_text, texts.bundle)
    facts = _facts(taken, renames)
    for change in facts:
        edit.apply(change)
    for rename in renames.values():
        edit.rename(rename.column, rename.after)
    edit.accept([change.signature for change in taken if _is_held_at_gold(change, texts)])
    baseline = edited_baseline(texts.baseline_text, texts.baseline, texts.bundle, [*facts, *renames.values()])
    return DriftEdit(
        bundle_text=edit.result(),
        baseline_text=baseline,
        accepted=tuple(change.signature for change in taken),
        refused=refused,
    )


def _is_held_at_gold(change: SchemaChange, texts: PolicyTexts) -> bool:
    """Tables keep a column that is no longer declared, so gold has lost one only if its verdict says so."""
    if change.kind is ChangeKind.NEW_ENUM_VALUE or allowed(change, texts.bundle.schema_):
        return False
    return change.kind is not ChangeKind.REMOVED or change.signature in texts.at_gold


def _facts(changes: Iterable[SchemaChange], renames: Iterable[tuple[str, str]]) -> list[SchemaChange]:
    """The changes without suggestions, and without the removals and additions that are renames."""
    gone, new = {old for old, _ in renames}, {name for _, name in renames}
    return [
        change
        for change in changes
        if change.kind is not ChangeKind.RENAMED
        and not (change.kind is ChangeKind.REMOVED and change.column in gone)
        and not (change.kind is ChangeKind.ADDED and change.column in new)
    ]


def _is_hidden(change: SchemaChange) -> bool:
    names = (*change.path, change.after) if change.kind is ChangeKind.RENAMED else change.path
    return any(_HIDDEN.fullmatch(name) for name in names) or HIDDEN in change.after


def _why_not(change: SchemaChange, texts: PolicyTexts) -> str:
    if _is_hidden(change):
        return f"the name may be a value and is not shown: {_BY_HAND}"
    if change.kind is ChangeKind.NEW_ENUM_VALUE:
        shown = CODE.fullmatch(change.after)
        return "" if shown else f"the value may be personal and is not shown: {_BY_HAND}"
    if change.is_nested:
        return "tables bind nested fields by position: declare the new type under another name"
    if change.kind is ChangeKind.RETYPED and texts.has_rows:
        return "the tables keep the type of a column: declare the new one under another name"
    column = texts.bundle.schema_.declared.get(change.column)
    if change.kind in _TABLE_CHANGES and column is not None and not column.nullable and texts.has_rows:
        return "the tables keep NOT NULL, and new rows would have no value: have the delivery corrected"
    return ""
