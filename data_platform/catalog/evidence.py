"""The evidence log. Rows are added and read; the database itself refuses to change or remove one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from data_platform.catalog.table import EVIDENCE
from data_platform.model.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

_FIELDS = [column.name for column in EVIDENCE.columns if column.name != "id"]


def add_evidence(connection: Connection, evidence: Sequence[Evidence]) -> None:
    rows = [{name: getattr(said, name) for name in _FIELDS} for said in evidence]
    if rows:
        connection.execute(insert(EVIDENCE), rows)


def find_evidence(connection: Connection, wanted: Mapping[str, str | None], limit: int) -> tuple[Evidence, ...]:
    """``wanted`` is column to value; None is any value."""
    query = select(*(EVIDENCE.c[name] for name in _FIELDS)).order_by(EVIDENCE.c.id.desc()).limit(limit)
    for name, value in wanted.items():
        if value is not None:
            query = query.where(EVIDENCE.c[name] == value)
    return tuple(Evidence(**row) for row in connection.execute(query).mappings())
