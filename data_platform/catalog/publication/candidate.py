"""Versions of members that passed, and wait for the others."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, select, update

from data_platform.catalog.publication_table import CANDIDATE, SLICE
from data_platform.catalog.run import find_key
from data_platform.catalog.table import RUN
from data_platform.errors import UsageError
from data_platform.model.dataset import Stage
from data_platform.model.publication import Candidate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

_COLUMNS = {"group": "group_name", "rows": "row_count"}
"""Columns whose name differs from that of the field."""
_STORED = tuple(field.name for field in fields(Candidate) if field.name not in ("slices", "number"))
OPEN = "OPEN"


def add_candidate(connection: Connection, candidate: Candidate) -> bool:
    """Adds it as open; False if this run has added the same version before.

    Raises:
        UsageError: The run has certified another version of the dataset.
    """
    urn, run_id = candidate.dataset_urn, candidate.run_id
    same = (CANDIDATE.c.dataset_urn == urn, CANDIDATE.c.run_id == run_id, CANDIDATE.c.version == candidate.version)
    if connection.execute(select(CANDIDATE.c.number).where(*same)).first() is not None:
        return False
    if find_key(connection, run_id, urn, Stage.CERTIFIED) is not None:
        raise UsageError(f"{run_id} has already certified a version of {urn}: run again under a run id of its own")
    values = {_COLUMNS.get(name, name): getattr(candidate, name) for name in _STORED}
    last = connection.execute(select(func.coalesce(func.max(RUN.c.id), 0))).scalar_one()
    row = insert(CANDIDATE).values(**values, state=OPEN, after_run=last)
    number = connection.execute(row.returning(CANDIDATE.c.number)).scalar_one()
    slices = [
        {"candidate": number, "position": position, "dataset_urn": urn, "partition": partition}
        for position, partition in enumerate(candidate.slices)
    ]
    connection.execute(insert(SLICE), slices)
    return True


def find_open(connection: Connection, urns: Collection[str]) -> dict[str, tuple[tuple[Candidate, int], ...]]:
    """Open candidates of each dataset, oldest first, with the key of the last run that had ended before each."""
    query = select(CANDIDATE).where(CANDIDATE.c.dataset_urn.in_(urns), CANDIDATE.c.state == OPEN)
    rows = connection.execute(query.order_by(CANDIDATE.c.number)).all()
    slices: dict[int, list[Any]] = {}
    open_ones = select(CANDIDATE.c.number).where(CANDIDATE.c.dataset_urn.in_(urns), CANDIDATE.c.state == OPEN)
    parts = select(SLICE.c.candidate, SLICE.c.partition).where(SLICE.c.candidate.in_(open_ones))
    for part in connection.execute(parts.order_by(SLICE.c.candidate, SLICE.c.position)):
        slices.setdefault(part.candidate, []).append(part.partition)
    found: dict[str, tuple[tuple[Candidate, int], ...]] = dict.fromkeys(urns, ())
    for row in rows:
        one = (_candidate(row, slices.get(row.number, ())), row.after_run)
        found[row.dataset_urn] = (*found[row.dataset_urn], one)
    return found


def find_urns(connection: Connection) -> tuple[str, ...]:
    """The datasets that have an open candidate."""
    query = select(CANDIDATE.c.dataset_urn).where(CANDIDATE.c.state == OPEN).distinct()
    return tuple(connection.execute(query.order_by(CANDIDATE.c.dataset_urn)).scalars())


def _candidate(row: Row[Any], slices: Iterable[Any]) -> Candidate:
    stored = {name: row._mapping[_COLUMNS.get(name, name)] for name in _STORED}
    return Candidate(**stored, number=row.number, slices=tuple(slices))


def close(
    connection: Connection, numbers: Collection[int], state: str, *, now: datetime, publication: str | None = None
) -> None:
    """Closes open candidates; one that is closed stays as it is."""
    values = {"state": state, "closed_at": now, "publication_id": publication}
    mine = (CANDIDATE.c.number.in_(numbers), CANDIDATE.c.state == OPEN)
    connection.execute(update(CANDIDATE).where(*mine).values(**values))
