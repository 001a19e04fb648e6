"""Process rows of a scheduler's jobs: made, changed, renamed, retired, and taken back into service. None is deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, insert, or_, select, update

from data_platform.catalog.legacy.shape import FACETS, columns_of, facets_of, names_of
from data_platform.catalog.lineage.node import facet_row
from data_platform.catalog.lineage_table import LINEAGE_EDGE, NODE_FACET, PROCESS_RUN
from data_platform.catalog.registry_table import PROCESS
from data_platform.catalog.upsert import WANTED, replace, rows_of
from data_platform.model.legacy import TECHNOLOGY
from data_platform.model.lineage import EdgeRole, NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.legacy import LegacyProcess

_BY_KEY = select(PROCESS).where(PROCESS.c.process_key.in_(WANTED))
_ID: Any = PROCESS.c.process_id
_DATA_ROLES = (EdgeRole.PRODUCES, EdgeRole.CONSUMES)


def find_rows(connection: Connection, keys: Iterable[str]) -> dict[str, Any]:
    """Rows by key, as far as there are any."""
    return {row.process_key: row for row in rows_of(connection, _BY_KEY, sorted(set(keys)))}


def find_retired(connection: Connection) -> dict[str, Any]:
    """The scheduler's retired jobs by the last part of their keys, the job's name; of several the one retired last."""
    retired = select(PROCESS).where(PROCESS.c.technology == TECHNOLOGY, PROCESS.c.retired_at.is_not(None))
    rows = connection.execute(retired.order_by(PROCESS.c.retired_at, _ID))
    return {row.process_key.rpartition("/")[2]: row for row in rows}


def add(connection: Connection, processes: Sequence[LegacyProcess], *, now: datetime) -> None:
    """Rows of keys that no row has yet."""
    rows = [
        {
            **names_of(process.key),
            **columns_of(process),
            "trigger_mode": "PROCESS",
            "created_at": now,
            "updated_at": now,
        }
        for process in processes
    ]
    if rows:
        connection.execute(insert(PROCESS), rows)


def give_keys(connection: Connection, keys: Mapping[int, str], *, known: Iterable[int], now: datetime) -> None:
    """Each row its new key, in two steps, so that rows may swap theirs. A row in the way is set aside.

    ``known`` are rows of the scan before: one in the way that is not among them was made by a report that came before
    the scan, under the job's new name, so its runs are the job's own.
    """
    if not keys:
        return
    for row in find_rows(connection, keys.values()).values():
        if row.process_id not in keys:
            new = next(number for number, key in keys.items() if key == row.process_key)
            aside = row.process_id not in set(known) and row.retired_at is None
            if aside:
                moved = update(PROCESS_RUN).where(PROCESS_RUN.c.process_id == row.process_id)
                connection.execute(moved.values(process_id=new))
            _set_aside(connection, row, now=now)
    renamed = update(PROCESS).where(bindparam("number") == _ID)
    between = [{"number": n, **_bound(names_of(f"{key}~moving~{n}"))} for n, key in keys.items()]
    final = [{"number": n, **_bound(names_of(key))} for n, key in keys.items()]
    names: dict[str, Any] = {name: bindparam(f"new_{name}") for name in names_of("")}
    connection.execute(renamed.values(**names), between)
    connection.execute(renamed.values(updated_at=now, **names), final)


def change(connection: Connection, values: Mapping[int, dict[str, Any]], *, now: datetime) -> None:
    for number, columns in values.items():
        connection.execute(update(PROCESS).where(number == _ID).values(updated_at=now, **columns))


def keep_facets(connection: Connection, processes: Mapping[int, LegacyProcess], *, now: datetime) -> set[int]:
    """Bring the scan's own facets up to the jobs; which of them had others before."""
    query = select(NODE_FACET.c.node_id, NODE_FACET.c.facet, NODE_FACET.c.digest).where(
        NODE_FACET.c.node_type == NodeType.PROCESS, NODE_FACET.c.facet.in_(FACETS), NODE_FACET.c.node_id.in_(WANTED)
    )
    before = {(row.node_id, row.facet): row.digest for row in rows_of(connection, query, sorted(processes))}
    rows = [
        facet_row((NodeType.PROCESS, number), name, value, at=now)
        for number, process in processes.items()
        for name, value in facets_of(process).items()
    ]
    fresh = [row for row in rows if before.get((row["node_id"], row["facet"])) != row["digest"]]
    gone = before.keys() - {(row["node_id"], row["facet"]) for row in rows}
    replace(connection, NODE_FACET, fresh, keys=("node_type", "node_id", "facet"))
    for number, name in gone:
        mine = NODE_FACET.c.node_type == NodeType.PROCESS, NODE_FACET.c.node_id == number
        connection.execute(delete(NODE_FACET).where(*mine, NODE_FACET.c.facet == name))
    return {row["node_id"] for row in fresh} | {number for number, _ in gone}


def retire(connection: Connection, numbers: Iterable[int], *, now: datetime) -> int:
    """The processes and all their edges, kept but no part of the graph; how many edges that were."""
    edges = 0
    for number in numbers:
        live = PROCESS.c.retired_at.is_(None)
        connection.execute(update(PROCESS).where(number == _ID, live).values(retired_at=now, updated_at=now))
        mine = (_touches(number), LINEAGE_EDGE.c.retired_at.is_(None))
        edges += connection.execute(update(LINEAGE_EDGE).where(*mine).values(retired_at=now)).rowcount
    return edges


def revive(connection: Connection, row: Any, *, now: datetime) -> None:
    """Back from where ``retire`` put it, with what its runs read and wrote. Its other edges are the scan's to say."""
    connection.execute(update(PROCESS).where(row.process_id == _ID).values(retired_at=None, updated_at=now))
    reported = (LINEAGE_EDGE.c.edge_role.in_(_DATA_ROLES), LINEAGE_EDGE.c.transform_meta == {})
    mine = (_touches(row.process_id), LINEAGE_EDGE.c.retired_at == row.retired_at)
    connection.execute(update(LINEAGE_EDGE).where(*mine, *reported).values(retired_at=None))


def _touches(number: int) -> Any:
    edge = LINEAGE_EDGE.c
    return or_(
        (edge.source_type == NodeType.PROCESS) & (edge.source_id == number),
        (edge.target_type == NodeType.PROCESS) & (edge.target_id == number),
    )


def _set_aside(connection: Connection, row: Any, *, now: datetime) -> None:
    """Its key is another job's from now on. What is on record of it stays, under a key that says which row it was."""
    names = names_of(f"{row.process_key}~{row.process_id}")
    connection.execute(update(PROCESS).where(row.process_id == _ID).values(updated_at=now, **names))
    retire(connection, [row.process_id], now=now)


def _bound(names: dict[str, str]) -> dict[str, str]:
    return {f"new_{name}": value for name, value in names.items()}
