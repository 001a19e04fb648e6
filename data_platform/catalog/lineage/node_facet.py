"""Stores the facets that events report of processes and datasets, and updates the columns that they fill.

Events do not change what a policy file declares, such as description and owner of a dataset.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from data_platform.catalog.lineage.latest_value import LatestValues, merged, stamped, value_of
from data_platform.catalog.lineage_table import NODE_FACET
from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.catalog.upsert import WANTED, replace, rows_of
from data_platform.model.lineage import NodeType
from data_platform.openlineage.text import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.node import Nodes
    from data_platform.model.lineage import DatasetMention, LineageEvent

_STRUCTURED = {
    "schema",
    "version",
    "columnLineage",
    "outputStatistics",
    "inputStatistics",
    "dataQualityAssertions",
    "ownership",
    "documentation",
    "dataPlatform_certification",
}
"""Facets that have their own table or column, and are not stored again with the node."""

_COLUMNS: dict[NodeType, dict[str, str]] = {
    NodeType.DATASET: {
        "@description": "description",
        "@team": "owner_team",
        "@email": "owner_email",
        "@format": "default_format",
    },
    NodeType.PROCESS: {
        "@description": "description",
        "@team": "team",
        "@email": "owner_email",
        "@technology": "technology",
    },
}
_TABLES = {NodeType.DATASET: DATASET, NodeType.PROCESS: PROCESS}
_FACETS = select(NODE_FACET).where(
    NODE_FACET.c.node_type.in_([NodeType.DATASET, NodeType.PROCESS]), NODE_FACET.c.node_id.in_(WANTED)
)


def add_facets(connection: Connection, nodes: Nodes, events: Sequence[LineageEvent], *, now: datetime) -> None:
    """Stores the events' facets of each node unless newer ones exist, and updates the node's columns."""
    reported = _reported_values(nodes, events)
    before = _stored(connection, reported)
    rows, changed = [], {}
    for node, values in reported.items():
        after = merged(before.get(node, {}), values)
        stored = before.get(node, {})
        for name, entry in after.items():
            if stored.get(name) != entry:
                rows.append(facet_row(node, name, entry["value"], at=datetime.fromisoformat(entry["at"])))
        if any(value_of(stored, name) != value_of(after, name) for name in _COLUMNS[node[0]]):
            changed[node] = after
    replace(connection, NODE_FACET, rows, keys=("node_type", "node_id", "facet"))
    for node, after in changed.items():
        if _update_columns(connection, node, after, now=now):
            nodes.fresh.add(node)


def _key(kind: NodeType) -> str:
    return f"{kind.lower()}_id"


def _reported_values(nodes: Nodes, events: Sequence[LineageEvent]) -> dict[tuple[NodeType, int], LatestValues]:
    reported: dict[tuple[NodeType, int], LatestValues] = {}
    for event in events:
        if event.job is not None:
            node = (NodeType.PROCESS, nodes.processes[event.job])
            reported[node] = merged(reported.get(node, {}), stamped(event.time, _job_values(event)))
        for mention in event.datasets:
            node = (NodeType.DATASET, nodes.datasets[mention.name])
            reported[node] = merged(reported.get(node, {}), stamped(event.time, _dataset_values(mention)))
    return {node: values for node, values in reported.items() if values}


def _job_values(event: LineageEvent) -> dict[str, Any]:
    facets = _unstructured(event.job_facets)
    columns = {"@description": event.job_description, "@team": event.job_team, "@email": event.job_email}
    return {**facets, **_non_empty(columns), **_non_empty({"@technology": event.technology})}


def _dataset_values(mention: DatasetMention) -> dict[str, Any]:
    facets = _unstructured(mention.facets)
    columns = {"@description": mention.description, "@team": mention.owner_team, "@email": mention.owner_email}
    return {**facets, **_non_empty(columns), **_non_empty({"@format": mention.format})}


def _unstructured(facets: dict[str, Any]) -> dict[str, Any]:
    """Facet names are keys of a table; characters that no database stores are replaced."""
    unstructured = {name: facet for name, facet in facets.items() if name not in _STRUCTURED}
    return {read_text(name)[:200].lstrip("@") or "unnamed": facet for name, facet in unstructured.items()}


def _non_empty(values: dict[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


def _stored(connection: Connection, nodes: Iterable[tuple[NodeType, int]]) -> dict[tuple[NodeType, int], LatestValues]:
    stored: dict[tuple[NodeType, int], LatestValues] = {}
    requested = set(nodes)
    for row in rows_of(connection, _FACETS, sorted({number for _, number in requested})):
        node = (NodeType(row.node_type), row.node_id)
        if node in requested:
            stamp = row.said_at.isoformat(timespec="microseconds")
            stored.setdefault(node, {})[row.facet] = {"at": stamp, "value": row.value}
    return stored


def facet_row(node: tuple[NodeType, int], name: str, value: Any, *, at: datetime) -> dict[str, Any]:
    """A row of ``NODE_FACET``; ``at`` is the event time."""
    digest = hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
    return {"node_type": node[0], "node_id": node[1], "facet": name, "said_at": at, "digest": digest, "value": value}


def _update_columns(connection: Connection, node: tuple[NodeType, int], latest: LatestValues, *, now: datetime) -> bool:
    kind, number = node
    table, key = _TABLES[kind], _key(kind)
    row = connection.execute(select(table).where(table.c[key] == number)).mappings().one()
    if kind is NodeType.DATASET and row["policy_fingerprint"] is not None:
        return False
    values = {column: value_of(latest, name) for name, column in _COLUMNS[kind].items() if name in latest}
    if kind is NodeType.DATASET and row["status"] == "ACTIVE":
        # its fields are approved; events may only fill in empty ones
        values = {column: value for column, value in values.items() if not row[column]}
    if all(row[column] == value for column, value in values.items()):
        return False
    connection.execute(update(table).where(table.c[key] == number).values(updated_at=now, **values))
    return True
