"""Adds edges of the lineage graph, between datasets and processes and between columns. Existing edges are kept.

A retired edge becomes live again when it is reported again.

Every event adds the edges of its own job, whichever job owns the run: what a job reads is a fact about the job.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import select, tuple_, update

from data_platform.catalog.lineage_table import COLUMN_EDGE, GRAPH_REVISION, LINEAGE_EDGE
from data_platform.catalog.upsert import WANTED, add_missing, insert_into, rows_of
from data_platform.model.lineage import DatasetRole, EdgeRole, NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.node import Nodes
    from data_platform.model.lineage import LineageEvent

Edge: TypeAlias = tuple[NodeType, int, NodeType, int, EdgeRole]
"""Source and target, each with its type, and the role."""

_UNIQUE = ("source_type", "source_id", "target_type", "target_id", "edge_role")
_NO_PROCESS = 0
_COLUMNS = tuple(LINEAGE_EDGE.c[name] for name in _UNIQUE)
_LIVE = select(*_COLUMNS).where(tuple_(*_COLUMNS).in_(WANTED), LINEAGE_EDGE.c.retired_at.is_(None))


def add_edges(connection: Connection, edges: Mapping[Edge, dict[str, Any]], *, now: datetime) -> int:
    """Returns how many were new or live again. ``edges`` maps each edge to its stored transformation."""
    missing = sorted(edges.keys() - _live(connection, edges))
    if not missing:
        return 0
    statement = insert_into(connection, LINEAGE_EDGE).on_conflict_do_update(
        index_elements=_UNIQUE, set_={"retired_at": None}
    )
    rows = [dict(zip(_UNIQUE, edge, strict=True), transform_meta=edges[edge], created_at=now) for edge in missing]
    connection.execute(statement, rows)
    change_graph(connection)
    return len(missing)


def _live(connection: Connection, edges: Iterable[Edge]) -> set[Edge]:
    """Those of ``edges`` that exist and are not retired."""
    return {
        (NodeType(row.source_type), row.source_id, NodeType(row.target_type), row.target_id, EdgeRole(row.edge_role))
        for row in rows_of(connection, _LIVE, edges)
    }


def change_graph(connection: Connection) -> None:
    """Marks graphs in memory as stale, here and in other processes."""
    connection.execute(update(GRAPH_REVISION).values(revision=GRAPH_REVISION.c.revision + 1))


def add_event_edges(connection: Connection, nodes: Nodes, events: Iterable[LineageEvent], *, now: datetime) -> None:
    edges: dict[Edge, dict[str, Any]] = {}
    columns: dict[tuple[Any, ...], dict[str, Any]] = {}
    for event in events:
        edges |= {edge: {} for edge in _edges(nodes, event)}
        columns |= {tuple(row.values())[:5]: row for row in _column_rows(nodes, event)}
    add_edges(connection, edges, now=now)
    rows = [{**row, "created_at": now} for row in columns.values()]
    unique = ("target_dataset_id", "target_column", "source_dataset_id", "source_column", "process_id")
    add_missing(connection, COLUMN_EDGE, rows, keys=unique)


def _edges(nodes: Nodes, event: LineageEvent) -> Iterator[Edge]:
    if event.job is None:
        for mention in event.datasets:
            for link in mention.column_links:
                source, target = nodes.datasets[link.source], nodes.datasets[mention.name]
                yield NodeType.DATASET, source, NodeType.DATASET, target, EdgeRole.DERIVES
        return
    process = nodes.processes[event.job]
    if event.parent_job is not None and nodes.processes[event.parent_job] != process:
        yield NodeType.PROCESS, nodes.processes[event.parent_job], NodeType.PROCESS, process, EdgeRole.CONTAINS
    for mention in event.datasets:
        dataset = nodes.datasets[mention.name]
        if mention.role is DatasetRole.INPUT:
            yield NodeType.DATASET, dataset, NodeType.PROCESS, process, EdgeRole.CONSUMES
        else:
            yield NodeType.PROCESS, process, NodeType.DATASET, dataset, EdgeRole.PRODUCES


def _column_rows(nodes: Nodes, event: LineageEvent) -> Iterator[dict[str, Any]]:
    process = _NO_PROCESS if event.job is None else nodes.processes[event.job]
    for mention in event.datasets:
        for link in mention.column_links:
            yield {
                "target_dataset_id": nodes.datasets[mention.name],
                "target_column": link.target_column,
                "source_dataset_id": nodes.datasets[link.source],
                "source_column": link.source_column,
                "process_id": process,
                "transformation": link.transformation or None,
            }
