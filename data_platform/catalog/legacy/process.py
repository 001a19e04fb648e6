"""Process rows of a scheduler's jobs: created, changed, renamed, retired and revived. No row is deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, insert, or_, select, update

from data_platform.catalog.legacy.shape import FACETS, columns_of, facets_of, names_of
from data_platform.catalog.lineage.node_facet import facet_row
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
    """Existing rows by key."""
    return {row.process_key: row for row in rows_of(connection, _BY_KEY, sorted(set(keys)))}


def find_retired(connection: Connection) -> dict[str, Any]:
    """The scheduler's retired jobs by job name, the last part of the key; of several the one retired last."""
    retired = select(PROCESS).where(PROCESS.c.technology == TECHNOLOGY, PROCESS.c.retired_at.is_not(None))
    rows = connection.execute(retired.order_by(PROCESS.c.retired_at, _ID))
    return {row.process_key.rpartition("/")[2]: row for row in rows}


def add(connection: Connection, processes: Sequence[LegacyProcess], *, now: datetime) -> None:
    """Inserts rows for keys that have none."""
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
    """Gives each row its new key, in two steps, so that rows may swap keys. A row that has the key is retired.

    ``known`` are rows of the last scan. A row with the key that is not among them came from a report under the job's
    new name, before the scan, so its runs are moved to the job.
    """
    if not keys:
        return
    for row in find_rows(connection, keys.values()).values():
        if row.process_id not in keys:
            new = next(number for number, key in keys.items() if key == row.process_key)
            is_reported = row.process_id not in set(known) and row.retired_at is None
            if is_reported:
                moved = update(PROCESS_RUN).where(PROCESS_RUN.c.process_id == row.process_id)
                connection.execute(moved.values(process_id=new))
            _replace_key(connection, row, now=now)
    renamed = update(PROCESS).where(bindparam("number") == _ID)
    temporary = [{"number": n, **_bound(names_of(f"{key}~moving~{n}"))} for n, key in keys.items()]
    final = [{"number": n, **_bound(names_of(key))} for n, key in keys.items()]
    names: dict[str, Any] = {name: bindparam(f"new_{name}") for name in names_of("")}
    connection.execute(renamed.values(**names), temporary)
    connection.execute(renamed.values(updated_at=now, **names), final)


def change(connection: Connection, values: Mapping[int, dict[str, Any]], *, now: datetime) -> None:
    for number, columns in values.items():
        connection.execute(update(PROCESS).where(number == _ID).values(updated_at=now, **columns))


def keep_facets(connection: Connection, processes: Mapping[int, LegacyProcess], *, now: datetime) -> set[int]:
    """Updates the scan's facets of the jobs; returns the jobs whose facets changed."""
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
        of_process = NODE_FACET.c.node_type == NodeType.PROCESS, NODE_FACET.c.node_id == number
        connection.execute(delete(NODE_FACET).where(*of_process, NODE_FACET.c.facet == name))
    return {row["node_id"] for row in fresh} | {number for number, _ in gone}


def retire(connection: Connection, numbers: Iterable[int], *, now: datetime) -> int:
    """Retires the processes and their live edges, so that they leave the graph; returns the number of edges."""
    edges = 0
    for number in numbers:
        live = PROCESS.c.retired_at.is_(None)
        connection.execute(update(PROCESS).where(number == _ID, live).values(retired_at=now, updated_at=now))
        live_edges = (_touches(number), LINEAGE_EDGE.c.retired_at.is_(None))
        edges += connection.execute(update(LINEAGE_EDGE).where(*live_edges).values(retired_at=now)).rowcount
    return edges


def revive(connection: Connection, row: Any, *, now: datetime) -> None:
    """Undoes ``retire``, with the edges that its runs reported; the scan adds its other edges."""
    connection.execute(update(PROCESS).where(row.process_id == _ID).values(retired_at=None, updated_at=now))
    reported = (LINEAGE_EDGE.c.edge_role.in_(_DATA_ROLES), LINEAGE_EDGE.c.transform_meta == {})
    retired_edges = (_touches(row.process_id), LINEAGE_EDGE.c.retired_at == row.retired_at)
    connection.execute(update(LINEAGE_EDGE).where(*retired_edges, *reported).values(retired_at=None))


def _touches(number: int) -> Any:
    edge = LINEAGE_EDGE.c
    return or_(
        (edge.source_type == NodeType.PROCESS) & (edge.source_id == number),
        (edge.target_type == NodeType.PROCESS) & (edge.target_id == number),
    )


def _replace_key(connection: Connection, row: Any, *, now: datetime) -> None:
    """Retires a row whose key now belongs to another job; its records stay, under a key with the row's number."""
    names = names_of(f"{row.process_key}~{row.process_id}")
    connection.execute(update(PROCESS).where(row.process_id == _ID).values(updated_at=now, **names))
    retire(connection, [row.process_id], now=now)


def _bound(names: dict[str, str]) -> dict[str, str]:
    return {f"new_{name}": value for name, value in names.items()}
