"""The append-only evidence log; database triggers refuse to change or delete a row."""

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
    rows = [{name: getattr(item, name) for name in _FIELDS} for item in evidence]
    if rows:
        connection.execute(insert(EVIDENCE), rows)


def find_evidence(connection: Connection, filters: Mapping[str, str | None], limit: int) -> tuple[Evidence, ...]:
    """``wanted`` maps columns to values; None matches any value."""
    query = select(*(EVIDENCE.c[name] for name in _FIELDS)).order_by(EVIDENCE.c.id.desc()).limit(limit)
    for name, value in filters.items():
        if value is not None:
            query = query.where(EVIDENCE.c[name] == value)
    return tuple(Evidence(**row) for row in connection.execute(query).mappings())
