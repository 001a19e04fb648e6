"""Finds or creates the processes and datasets that events name, and stores their facets.

Events do not change what a policy file declares, such as description and owner of a dataset.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.dataset_row import add_drafts, keys_named
from data_platform.catalog.lineage.latest_value import LatestValues, merged, stamped, value_of
from data_platform.catalog.lineage_table import NODE_FACET
from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.catalog.upsert import WANTED, replace, rows_of
from data_platform.model.lineage import NodeType
from data_platform.openlineage.text import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from data_platform.model.lineage import DatasetMention, LineageEvent, Name

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
_BY_KEY = select(PROCESS.c.process_key, PROCESS.c.process_id).where(PROCESS.c.process_key.in_(WANTED))
_FACETS = select(NODE_FACET).where(
    NODE_FACET.c.node_type.in_([NodeType.DATASET, NodeType.PROCESS]), NODE_FACET.c.node_id.in_(WANTED)
)


class Nodes:
    """Keys of the processes and datasets that events name; ``fresh`` has those that the events created or changed."""

    def __init__(self) -> None:
        self.processes: dict[Name, int] = {}
        self.datasets: dict[Name, int] = {}
        self.fresh: set[tuple[NodeType, int]] = set()


class NodeKeys:
    """Caches keys by name across transactions. Nodes are never deleted; a scan may rename a process.

    Keys from a transaction are cached only after ``confirm``, since a rollback removes the keys that it created.
    """

    LIMIT = 200_000
    """The most cached names; above it the cache is emptied."""

    def __init__(self) -> None:
        self.processes: dict[str, int] = {}
        self.datasets: dict[Name, int] = {}
        self._unconfirmed: list[Nodes] = []
        self._key_changes = 0

    def begin(self, key_changes: int) -> None:
        """Empties the process cache if processes have got other keys since."""
        self._unconfirmed = []
        if key_changes != self._key_changes:
            self.processes, self._key_changes = {}, key_changes

    def remember(self, nodes: Nodes) -> None:
        self._unconfirmed.append(nodes)

    def confirm(self) -> None:
        if len(self.processes) + len(self.datasets) > self.LIMIT:
            self.processes, self.datasets = {}, {}
        for nodes in self._unconfirmed:
            self.processes |= {name.full: key for name, key in nodes.processes.items()}
            self.datasets |= nodes.datasets
        self._unconfirmed = []


def find_nodes(connection: Connection, events: Sequence[LineageEvent], keys: NodeKeys, *, now: datetime) -> Nodes:
    """Returns keys of every job, parent job, dataset and column source of the events; missing ones are added."""
    nodes = Nodes()
    jobs = {name for event in events for name in (event.job, event.parent_job) if name is not None}
    mentions = [mention for event in events for mention in event.datasets]
    nodes.processes = _process_keys(connection, nodes, jobs, keys.processes, now=now)
    nodes.datasets = _dataset_keys(connection, nodes, names_in(mentions), keys.datasets, _creators(events), now=now)
    keys.remember(nodes)
    return nodes


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


def _creators(events: Sequence[LineageEvent]) -> dict[Name, str]:
    return {m.name: event.producer[:200] or "an event" for event in reversed(events) for m in event.datasets}


def names_in(mentions: Iterable[DatasetMention]) -> set[Name]:
    """Names of the datasets, of their column sources, and their other names."""
    names: set[Name] = set()
    for mention in mentions:
        names.add(mention.name)
        names |= {link.source for link in mention.column_links}
        names.update(mention.symlinks or ())
        if mention.renamed_from is not None:
            names.add(mention.renamed_from)
    return names


def _process_keys(
    connection: Connection, nodes: Nodes, names: set[Name], cached: dict[str, int], *, now: datetime
) -> dict[Name, int]:
    """Two names with one key, such as ``a/b`` + ``c`` and ``a`` + ``b/c``, are one process."""
    by_key = {name.full: name for name in sorted(names)}
    keys = {full: cached[full] for full in by_key if full in cached}
    if len(keys) < len(by_key):
        keys |= _find_processes(connection, [full for full in by_key if full not in keys])
    missing = {full: name for full, name in by_key.items() if full not in keys}
    if missing:
        connection.execute(insert(PROCESS), [_new_process(name, now) for name in missing.values()])
        added = _find_processes(connection, missing)
        nodes.fresh |= {(NodeType.PROCESS, number) for number in added.values()}
        keys |= added
    return {name: keys[name.full] for name in names}


def _dataset_keys(
    connection: Connection,
    nodes: Nodes,
    names: set[Name],
    cached: Mapping[Name, int],
    creators: Mapping[Name, str],
    *,
    now: datetime,
) -> dict[Name, int]:
    keys = {name: cached[name] for name in names if name in cached}
    if len(keys) < len(names):
        keys |= keys_named(connection, names - keys.keys())
    if missing := names - keys.keys():
        added = add_drafts(connection, missing, creators, now=now)
        nodes.fresh |= {(NodeType.DATASET, number) for number in added.values()}
        keys |= added
    return keys


def _find_processes(connection: Connection, keys: Iterable[str]) -> dict[str, int]:
    rows: Iterable[Any] = rows_of(connection, _BY_KEY, keys)
    return {row[0]: row[1] for row in rows}


def _new_process(name: Name, now: datetime) -> dict[str, Any]:
    names = {"process_key": name.full, "namespace": name.namespace, "name": name.name, "description": ""}
    return {**names, "trigger_mode": "PROCESS", "created_at": now, "updated_at": now}


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
