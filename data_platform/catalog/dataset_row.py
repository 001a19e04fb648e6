"""Finds dataset rows by the pair of namespace and name, which identifies a dataset.

Queries use the joined text, which has an index, and then compare the pair; the text alone is not unique.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select

from data_platform.catalog.registry_table import DATASET
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.errors import InputError
from data_platform.model.lineage import Name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection

_ROWS = select(DATASET).where(DATASET.c.full_name.in_(WANTED))
_KEYS = select(DATASET.c.dataset_id, DATASET.c.namespace, DATASET.c.name).where(DATASET.c.full_name.in_(WANTED))
_LARGEST = 2**63 - 1


def name_of_row(row: Any) -> Name:
    return Name(row.namespace, row.name)


def name_of_urn(urn: str) -> Name:
    """Raises: ValueError, if ``urn`` is neither a URN nor a path."""
    name = Name.split(urn)
    if name is None:
        raise ValueError(f"{urn!r} is not the name of a dataset: expected such as ds://zone/name")
    return name


def rows_named(connection: Connection, names: Iterable[Name]) -> dict[Name, Any]:
    """Returns the full rows of the names that exist."""
    return _named(connection, _ROWS, names)


def keys_named(connection: Connection, names: Iterable[Name]) -> dict[Name, int]:
    return {name: row.dataset_id for name, row in _named(connection, _KEYS, names).items()}


def add_drafts(
    connection: Connection, names: Iterable[Name], creators: Mapping[Name, str], *, now: datetime
) -> dict[Name, int]:
    """Inserts rows for datasets that only events name and that have no row yet; returns their keys."""
    ordered = sorted(set(names))
    keys = [{"namespace": name.namespace, "name": name.name, "full_name": name.full} for name in ordered]
    defaults = {"description": "", "tags": [], "status": "DRAFT", "created_at": now, "updated_at": now}
    rows = [
        {**row, **defaults, "created_by": creators.get(n, "an event")} for n, row in zip(ordered, keys, strict=True)
    ]
    if rows:
        connection.execute(insert(DATASET), rows)
    return keys_named(connection, ordered)


def is_named(name: Name) -> ColumnElement[bool]:
    return (DATASET.c.full_name == name.full) & (DATASET.c.namespace == name.namespace) & (DATASET.c.name == name.name)


def row_of_reference(connection: Connection, reference: str) -> Any:
    """Returns the row for a reference, for a joined text that only one dataset has, or for an id; or None.

    Raises:
        InputError: Several datasets have this text, and it is the reference of none of them.
    """
    text = reference.replace("\x00", "")
    name = Name.of_reference(text)
    if name is not None and (row := rows_named(connection, [name]).get(name)) is not None:
        return row
    rows = connection.execute(select(DATASET).where(DATASET.c.full_name == text)).all()
    if len(rows) > 1:
        listed = ", ".join(sorted(name_of_row(row).reference for row in rows))
        raise InputError("dataset", f"{len(rows)} datasets are written {text[:200]}: expected one of {listed}")
    if rows:
        return rows[0]
    if reference.isdecimal() and reference.isascii() and int(reference) <= _LARGEST:
        return connection.execute(select(DATASET).where(DATASET.c.dataset_id == int(reference))).one_or_none()
    return None


def _named(connection: Connection, statement: Any, names: Iterable[Name]) -> dict[Name, Any]:
    requested = set(names)
    rows = rows_of(connection, statement, sorted({name.full for name in requested}))
    return {name: row for row in rows if (name := name_of_row(row)) in requested}
