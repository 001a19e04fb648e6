"""Finds the newest records that filters leave, and reads no more of the log than an index says.

A rare result of a log of millions of records is found at once. The database is not left to choose an index: without
statistics it would prefer one that has most of the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Text, select, type_coerce, union_all

from data_platform.catalog.evidence_table import EVIDENCE
from data_platform.model.evidence import RESULTS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.engine import Connection, RowMapping

_LEADING = {"run_id": False, "dataset_urn": False, "partition": True, "gate": True, "result": False}
"""The first of them that is filtered by chooses the index. True: the result is the second column of that index."""


def find_newest(
    connection: Connection,
    fields: Collection[str],
    filters: Mapping[str, str | None],
    limit: int,
    *,
    before: int | None = None,
) -> Sequence[RowMapping]:
    """Rows with their ``id`` and ``fields``, newest first. ``filters`` maps columns to values; None matches any value.

    ``before`` is the id behind which to go on.
    """
    wanted = {name: value for name, value in filters.items() if value is not None}
    leading = next((name for name in _LEADING if name in wanted), None)
    columns = [EVIDENCE.c[name] for name in ("id", *fields)]
    if leading is None or not _LEADING[leading]:
        return connection.execute(_newest(columns, wanted, {leading}, limit, before)).mappings().all()
    results = [wanted["result"]] if "result" in wanted else RESULTS
    parts = [_newest(columns, {**wanted, "result": one}, {leading, "result"}, limit, before) for one in results]
    found = union_all(*(select(part.subquery()) for part in parts)).subquery()
    return connection.execute(select(found).order_by(found.c.id.desc()).limit(limit)).mappings().all()


def _newest(
    columns: Sequence[ColumnElement[Any]],
    wanted: Mapping[str, str],
    indexed: Collection[str | None],
    limit: int,
    before: int | None,
) -> Select[Any]:
    query = select(*columns).order_by(EVIDENCE.c.id.desc()).limit(limit)
    for name, value in wanted.items():
        column = EVIDENCE.c[name]
        query = query.where(column == value if name in indexed else type_coerce(column, Text) + "" == str(value))
    return query if before is None else query.where(EVIDENCE.c.id < before)
