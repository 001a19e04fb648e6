"""Applies changes to a schema: the inverse of ``schema_drift.drift``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.nested_path import parts_of
from data_platform.model.schema import Column, Schema
from data_platform.model.schema_change import ChangeKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from data_platform.model.schema_change import SchemaChange

_OF_TYPE = (ChangeKind.RETYPED, ChangeKind.WIDENED)


@dataclass(frozen=True)
class _Field:
    name: str
    type: str
    nullable: bool = True


def apply(before: Schema, changes: Iterable[SchemaChange]) -> Schema:
    """``before`` after ``changes``, which are facts about it; suggestions and new values do not change a schema."""
    fields = _applied((), [_Field(c.name, c.type, c.nullable) for c in before.columns], tuple(changes))
    return Schema.of(Column(name=f.name, type=f.type, nullable=f.nullable) for f in fields)


def _applied(path: tuple[str, ...], fields: Sequence[_Field], changes: Sequence[SchemaChange]) -> list[_Field]:
    here = [change for change in changes if change.path[: len(path)] == path]
    own = {change.path[-1]: change for change in here if _is_child(change, path, ChangeKind.REMOVED)}
    kept = [field for field in fields if field.name not in own]
    order = next((c.after.split(",") for c in here if c.kind is ChangeKind.REORDERED and c.path == path), None)
    changed = [_changed((*path, field.name), field, here) for field in kept]
    if order is not None:
        by_name = {field.name.lower(): field for field in changed}
        changed = [by_name[name.lower()] for name in order]
    added = sorted((c for c in here if _is_child(c, path, ChangeKind.ADDED)), key=lambda change: change.place)
    for change in added:
        changed.insert(change.place, _Field(change.path[-1], change.after, change.nullable))
    return changed


def _is_child(change: SchemaChange, path: tuple[str, ...], kind: ChangeKind) -> bool:
    return change.kind is kind and len(change.path) == len(path) + 1


def _changed(path: tuple[str, ...], field: _Field, changes: Sequence[SchemaChange]) -> _Field:
    name, kind, nullable = field.name, field.type, field.nullable
    for change in (change for change in changes if change.path == path):
        if change.kind in _OF_TYPE:
            kind = change.after
        elif change.kind is ChangeKind.NULLABILITY:
            nullable = change.after == "nullable"
        elif change.kind is ChangeKind.CASE:
            name = change.after
    if any(len(change.path) > len(path) and change.path[: len(path)] == path for change in changes) or any(
        change.kind is ChangeKind.REORDERED and change.path == path for change in changes
    ):
        kind = _rebuilt(path, kind, changes)
    return _Field(name, kind, nullable)


def _rebuilt(path: tuple[str, ...], kind: str, changes: Sequence[SchemaChange]) -> str:
    """The nested type ``kind`` with the changes within it."""
    fields = _applied(path, [_Field(*part) for part in parts_of(kind)], changes)
    outer = kind.partition("<")[0]
    inner = [f"{f.name}:{f.type}" if outer == "struct" else f.type for f in fields]
    return f"{outer}<{','.join(inner)}>"
