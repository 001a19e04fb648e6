"""Edges from a scan: dependencies between jobs, boxes and their jobs, datasets that jobs read and write.

The edges of the last scan and of the new one are both computed from their scans, with the rows' keys, and compared: so
a renamed job keeps its edges, and an edge that is in neither scan is not changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, delete, select, update

from data_platform.catalog.lineage_table import LINEAGE_EDGE, LINEAGE_SHAPE, PROCESS_RUN, RUN_DATASET
from data_platform.catalog.upsert import insert_into
from data_platform.model.legacy import Direction
from data_platform.model.lineage import DatasetRole, EdgeRole, NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.edge import Edge
    from data_platform.model.legacy import ConditionEdge, LegacyScan

KINDS = {"success": "s", "failure": "f", "done": "d", "terminated": "t", "notrunning": "n", "exitcode": "e"}
"""JIL's abbreviations of the states in a condition."""

_UNIQUE = ("source_type", "source_id", "target_type", "target_id", "edge_role")


def edges_of(scan: LegacyScan, processes: Mapping[str, int], datasets: Mapping[str, int]) -> dict[Edge, dict[str, Any]]:
    """Maps each edge to its metadata. A job that is in no file is not a node, so waiting for it makes no edge."""
    return {**_triggers(scan, processes), **_boxes(scan, processes), **_links(scan, processes, datasets)}


def change_edges(
    connection: Connection,
    before: Mapping[Edge, dict[str, Any]],
    after: Mapping[Edge, dict[str, Any]],
    *,
    now: datetime,
) -> tuple[int, int]:
    """Returns how many edges were added or changed, and removed: these are retired unless a run reported them."""
    fresh = [
        dict(zip(_UNIQUE, edge, strict=True), transform_meta=meta, created_at=now, retired_at=None)
        for edge, meta in sorted(after.items(), key=lambda item: item[0])
        if before.get(edge) != meta
    ]
    _write(connection, fresh)
    removed = 0
    for edge in (edge for edge in before if edge not in after):
        values: dict[str, Any] = {"transform_meta": {}} if _is_reported(connection, edge) else {"retired_at": now}
        live = update(LINEAGE_EDGE).where(_is_edge(edge), LINEAGE_EDGE.c.retired_at.is_(None))
        removed += connection.execute(live.values(**values)).rowcount
    return len(fresh), removed


def forget_shapes(connection: Connection) -> None:
    """Processes the next event of each shape again, so that it makes a reported edge live again."""
    connection.execute(delete(LINEAGE_SHAPE))


def _write(connection: Connection, rows: list[dict[str, Any]]) -> None:
    """Inserts or updates edges; an existing edge, reported by an event or retired, keeps its creation time."""
    if rows:
        statement = insert_into(connection, LINEAGE_EDGE)
        fresh = {name: statement.excluded[name] for name in ("transform_meta", "retired_at")}
        connection.execute(statement.on_conflict_do_update(index_elements=_UNIQUE, set_=fresh), rows)


def _triggers(scan: LegacyScan, processes: Mapping[str, int]) -> dict[Edge, dict[str, Any]]:
    texts = {process.key: process for process in scan.processes}
    conditions: dict[tuple[str, str], list[ConditionEdge]] = {}
    for edge in scan.edges:
        if edge.upstream in processes and edge.downstream in processes and not edge.dangling:
            conditions.setdefault((edge.upstream, edge.downstream), []).append(edge)
    edges: dict[Edge, dict[str, Any]] = {}
    for (upstream, downstream), edges_between in conditions.items():
        vias = dict.fromkeys(edge.via for edge in edges_between)
        written = [str(getattr(texts[downstream], via)) for via in vias]
        pair = (NodeType.PROCESS, processes[upstream], NodeType.PROCESS, processes[downstream], EdgeRole.TRIGGERS)
        edges[pair] = {
            "derived_from": "; ".join(written),
            "kind": "|".join(dict.fromkeys(KINDS.get(edge.state, edge.state) for edge in edges_between)),
            "latching": any(edge.latching for edge in edges_between),
            "conditions": [_condition(edge) for edge in edges_between],
        }
    return edges


def _condition(edge: ConditionEdge) -> dict[str, Any]:
    values = {
        "kind": KINDS.get(edge.state, edge.state),
        "via": edge.via,
        "latching": edge.latching,
        "look_back_minutes": edge.look_back_minutes,
        "look_back": edge.look_back and edge.look_back.value,
        "comparison": edge.comparison,
        "instance": edge.instance,
    }
    return {name: value for name, value in values.items() if value is not None}


def _boxes(scan: LegacyScan, processes: Mapping[str, int]) -> dict[Edge, dict[str, Any]]:
    keys = {process.name: process.key for process in scan.processes}
    return {
        (
            NodeType.PROCESS,
            processes[keys[process.box]],
            NodeType.PROCESS,
            processes[process.key],
            EdgeRole.CONTAINS,
        ): {"derived_from": "box_name"}
        for process in scan.processes
        if process.box is not None and process.box in keys
    }


def _links(scan: LegacyScan, processes: Mapping[str, int], datasets: Mapping[str, int]) -> dict[Edge, dict[str, Any]]:
    edges: dict[Edge, dict[str, Any]] = {}
    for link in scan.links:
        process, dataset = processes[link.process], datasets[link.dataset]
        edge: Edge = (NodeType.PROCESS, process, NodeType.DATASET, dataset, EdgeRole.PRODUCES)
        if link.direction is Direction.INPUT:
            edge = (NodeType.DATASET, dataset, NodeType.PROCESS, process, EdgeRole.CONSUMES)
        edges.setdefault(edge, {"derived_from": link.origin.value})
    return edges


def _is_reported(connection: Connection, edge: Edge) -> bool:
    """Whether a run has reported the edge; then it is kept whatever the scan has."""
    source, target, role = edge[1], edge[3], edge[4]
    if role is EdgeRole.PRODUCES:
        process, dataset, kind = source, target, DatasetRole.OUTPUT
    elif role is EdgeRole.CONSUMES:
        process, dataset, kind = target, source, DatasetRole.INPUT
    else:
        return False
    run = select(PROCESS_RUN.c.run_id).join(RUN_DATASET, RUN_DATASET.c.run_uuid == PROCESS_RUN.c.run_uuid)
    conditions = (RUN_DATASET.c.dataset_id == dataset, RUN_DATASET.c.role == kind, PROCESS_RUN.c.process_id == process)
    return connection.execute(run.where(*conditions).limit(1)).first() is not None


def _is_edge(edge: Iterable[Any]) -> ColumnElement[bool]:
    return and_(*(LINEAGE_EDGE.c[name] == value for name, value in zip(_UNIQUE, edge, strict=True)))
