"""The changes between two schemas, at any depth: columns, fields of structs, elements of arrays, values of maps.

The result depends on the two schemas only. Fields are matched by name, in any case. A type as text has no nullability
within it, so that of nested fields is not compared. A removed field that looks like an added one gets at most one
suggestion (RENAMED); the two facts stay beside it, since only a person knows whether it is the same column.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from data_platform.model.nested_path import parts_of
from data_platform.model.schema import is_widening
from data_platform.model.schema_change import ChangeKind, Effect, SchemaChange

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from data_platform.model.schema import Schema

SIMILAR = 0.6
"""Names of the same type that are at least this similar (0..1) are suggested as a rename."""

SIMILAR_IN_PLACE = 0.3
"""The same for two names at the same place, where chance is less likely."""

MOST_PAIRS = 2500
"""With more pairs of removed and added fields only those at the same place are compared: it takes a few ms."""

HIDDEN = "..."
"""A part of a type that may not be shown, as ``struct<...>``; what is within it is not compared."""

Path = tuple[str, ...]


@dataclass(frozen=True)
class _Field:
    name: str
    type: str
    nullable: bool = True


def drift(
    before: Schema,
    after: Schema,
    *,
    domains: Mapping[str, Collection[str]] | None = None,
    seen: Mapping[str, Collection[str]] | None = None,
    profiles: Mapping[str, object] | None = None,
) -> tuple[SchemaChange, ...]:
    """Every change, in the order of ``before``, then of ``after``.

    ``domains`` are the known values of columns, ``seen`` those of today, by the path of the column (``address.kind``);
    a value that is not known is NEW_ENUM_VALUE. ``profiles`` describe the values of columns of both schemas, by name:
    equal ones suggest a rename whatever the names are.
    """
    old = [_Field(column.name, column.type, column.nullable) for column in before.columns]
    new = [_Field(column.name, column.type, column.nullable) for column in after.columns]
    return (*_of_fields((), old, new, profiles or {}), *new_values(domains or {}, seen or {}))


def new_values(domains: Mapping[str, Collection[str]], seen: Mapping[str, Collection[str]]) -> Iterator[SchemaChange]:
    """Yields each value of ``seen`` that the domain of its column does not have, sorted."""
    for name in sorted(domains):
        for value in sorted(set(seen.get(name, ())) - set(domains[name])):
            yield SchemaChange(
                kind=ChangeKind.NEW_ENUM_VALUE, path=tuple(name.split(".")), after=value, effect=Effect.COMPATIBLE
            )


def _of_fields(
    path: Path, old: Sequence[_Field], new: Sequence[_Field], profiles: Mapping[str, object]
) -> Iterator[SchemaChange]:
    was, now = {f.name.lower(): f for f in old}, {f.name.lower(): f for f in new}
    removed = [f for f in old if f.name.lower() not in now]
    added = [f for f in new if f.name.lower() not in was]
    for field in old:
        other = now.get(field.name.lower())
        if other is None:
            place = (*path, field.name)
            yield SchemaChange(kind=ChangeKind.REMOVED, path=place, before=field.type, effect=Effect.BREAKING)
        else:
            yield from _of_field(path, field, other)
    for at, field in enumerate(new):
        if field.name.lower() not in was:
            yield _added(path, field, at)
    yield from _renamed(path, _Sides(old, new, removed, added), profiles)
    yield from _reordered(path, [f for f in old if f.name.lower() in now], [f for f in new if f.name.lower() in was])


def _added(path: Path, field: _Field, place: int) -> SchemaChange:
    return SchemaChange(
        kind=ChangeKind.ADDED,
        path=(*path, field.name),
        after=field.type,
        effect=Effect.COMPATIBLE if field.nullable else Effect.BREAKING,
        place=place,
        nullable=field.nullable,
    )


def _of_field(path: Path, old: _Field, new: _Field) -> Iterator[SchemaChange]:
    place = (*path, old.name)
    yield from _of_types(place, old.type, new.type)
    if old.nullable != new.nullable:
        labels = {True: "nullable", False: "not null"}
        yield SchemaChange(
            kind=ChangeKind.NULLABILITY,
            path=place,
            before=labels[old.nullable],
            after=labels[new.nullable],
            effect=Effect.BREAKING if new.nullable else Effect.COMPATIBLE,
        )
    if old.name != new.name:
        yield SchemaChange(kind=ChangeKind.CASE, path=place, after=new.name, effect=Effect.NONE)


def _of_types(path: Path, old: str, new: str) -> Iterator[SchemaChange]:
    if old == new:
        return
    before, after = _within(old), _within(new)
    if before and after and old.partition("<")[0] == new.partition("<")[0]:
        fields = [_Field(*part) for part in before], [_Field(*part) for part in after]
        yield from _of_fields(path, *fields, {})
        return
    wider = is_widening(old, new)
    yield SchemaChange(
        kind=ChangeKind.WIDENED if wider else ChangeKind.RETYPED,
        path=path,
        before=old,
        after=new,
        effect=Effect.COMPATIBLE if wider else Effect.BREAKING,
    )


def _within(kind: str) -> list[tuple[str, str]]:
    """The parts of a nested type; none of a leaf, or if a part of it is hidden."""
    return [] if HIDDEN in kind else parts_of(kind)


def _reordered(path: Path, old: Sequence[_Field], new: Sequence[_Field]) -> Iterator[SchemaChange]:
    """Columns are bound by name, so that their order has no effect; fields of a struct are bound by position."""
    if [f.name.lower() for f in old] != [f.name.lower() for f in new]:
        yield SchemaChange(
            kind=ChangeKind.REORDERED,
            path=path,
            before=",".join(f.name for f in old),
            after=",".join(f.name for f in new),
            effect=Effect.BREAKING if path else Effect.NONE,
        )


@dataclass(frozen=True)
class _Sides:
    old: Sequence[_Field]
    new: Sequence[_Field]
    removed: Sequence[_Field]
    added: Sequence[_Field]


def _renamed(path: Path, sides: _Sides, profiles: Mapping[str, object]) -> Iterator[SchemaChange]:
    """The best pairs of removed and added fields; a field is in one pair at most."""
    shared = {f.name.lower() for f in sides.old} & {f.name.lower() for f in sides.new}
    was, now = _gaps(sides.old, shared), _gaps(sides.new, shared)
    few = len(sides.removed) * len(sides.added) <= MOST_PAIRS
    pairs = []
    for old in sides.removed:
        for new in sides.added:
            same_place = was[old.name] == now[new.name]
            if (few or same_place) and (score := _score(old, new, profiles, same_place=same_place)):
                pairs.append((-score, old.name, new.name))
    used: set[tuple[str, str]] = set()
    for negative, old_name, new_name in sorted(pairs):
        if {("old", old_name), ("new", new_name)} & used:
            continue
        used |= {("old", old_name), ("new", new_name)}
        yield SchemaChange(
            kind=ChangeKind.RENAMED, path=(*path, old_name), after=new_name, effect=Effect.NONE, score=-negative
        )


def _gaps(fields: Sequence[_Field], shared: Collection[str]) -> dict[str, tuple[str, int]]:
    """Where each field is, as the shared field before it and the distance: a new first column moves nothing else."""
    gaps, last, distance = {}, "", 0
    for field in fields:
        last, distance = (field.name.lower(), 0) if field.name.lower() in shared else (last, distance + 1)
        gaps[field.name] = (last, distance)
    return gaps


def _score(old: _Field, new: _Field, profiles: Mapping[str, object], *, same_place: bool) -> float:
    """How likely the two are one column, 0..1; 0 if it is not suggested."""
    if old.type != new.type and not is_widening(old.type, new.type):
        return 0.0
    profile = profiles.get(old.name)
    if profile is not None and profile == profiles.get(new.name):
        return 1.0
    similar = SequenceMatcher(None, _letters(old.name), _letters(new.name), autojunk=False).ratio()
    if similar >= SIMILAR or (same_place and similar >= SIMILAR_IN_PLACE):
        return round(similar * 0.8 + 0.2 * same_place, 4)
    return 0.0


def _letters(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")
