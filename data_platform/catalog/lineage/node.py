"""Processes and datasets by the names that events give them: found or made, and what is said of them kept.

What a policy file declares is not changed by an event: description and owner of such a dataset are its file's.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.lineage.said import Said, merged, value_of, words
from data_platform.catalog.lineage_table import NODE_FACET
from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.catalog.upsert import chunks, replace
from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Table
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
}
"""Facets that have a table or column of their own; beside the node they would only be large."""

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


class Nodes:
    """Keys of the processes and datasets that events name; ``fresh`` are those that the events made or changed."""

    def __init__(self) -> None:
        self.processes: dict[Name, int] = {}
        self.datasets: dict[Name, int] = {}
        self.fresh: set[tuple[NodeType, int]] = set()


def find_nodes(connection: Connection, events: Sequence[LineageEvent], *, now: datetime) -> Nodes:
    """Every job, parent job, dataset and column's source of the events; those not known are added."""
    nodes = Nodes()
    jobs = {name for event in events for name in (event.job, event.parent_job) if name is not None}
    mentions = [mention for event in events for mention in event.datasets]
    datasets = {mention.name for mention in mentions}
    datasets |= {link.source for mention in mentions for link in mention.column_links}
    creators = _creators(events)
    nodes.processes = _keys(
        connection, nodes, NodeType.PROCESS, jobs, lambda name: {**_new_process(name), "created_at": now}
    )
    nodes.datasets = _keys(
        connection, nodes, NodeType.DATASET, datasets, lambda name: {**_new_dataset(name, creators), "created_at": now}
    )
    return nodes


def add_words(connection: Connection, nodes: Nodes, events: Sequence[LineageEvent], *, now: datetime) -> None:
    """Keep what the events say of each node where nothing newer was said, and bring the node's columns up to it."""
    said = _said(nodes, events)
    before = _known(connection, said)
    rows, changed = [], {}
    for node, words_of_it in said.items():
        after = merged(before.get(node, {}), words_of_it)
        fresh = {name: word for name, word in after.items() if before.get(node, {}).get(name) != word}
        rows += [_facet_row(node, name, word) for name, word in fresh.items()]
        if any(name in _COLUMNS[node[0]] for name in fresh):
            changed[node] = after
    replace(connection, NODE_FACET, rows, keys=("node_type", "node_id", "facet"))
    for node, after in changed.items():
        if _bring_up(connection, node, after, now=now):
            nodes.fresh.add(node)


def _creators(events: Sequence[LineageEvent]) -> dict[Name, str]:
    return {m.name: event.producer[:200] or "an event" for event in reversed(events) for m in event.datasets}


def _new_process(name: Name) -> dict[str, Any]:
    return {"namespace": name.namespace, "name": name.name, "description": "", "trigger_mode": "PROCESS"}


def _new_dataset(name: Name, creators: Mapping[Name, str]) -> dict[str, Any]:
    by = creators.get(name, "an event")
    return {
        "namespace": name.namespace,
        "name": name.name,
        "description": "",
        "tags": [],
        "status": "DRAFT",
        "created_by": by,
    }


def _keys(connection: Connection, nodes: Nodes, kind: NodeType, names: Iterable[Name], fresh: Any) -> dict[Name, int]:
    wanted = {name.full: name for name in sorted(names)}
    table, key, unique = _TABLES[kind], _key(kind), _unique(kind)
    found = _find(connection, table, key, unique, wanted)
    missing = [name for full, name in wanted.items() if full not in found]
    if missing:
        rows = [{unique: name.full, **fresh(name)} for name in missing]
        connection.execute(insert(table), [{**row, "updated_at": row["created_at"]} for row in rows])
        added = _find(connection, table, key, unique, [name.full for name in missing])
        nodes.fresh |= {(kind, number) for number in added.values()}
        found |= added
    # two names may be one full name, a/b + c and a + b/c: they are one node
    return {name: found[name.full] for name in names}


def _find(connection: Connection, table: Table, key: str, unique: str, wanted: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in chunks(wanted):
        query = select(table.c[unique], table.c[key]).where(table.c[unique].in_(part))
        found |= {row[0]: row[1] for row in connection.execute(query)}
    return found


def _key(kind: NodeType) -> str:
    return f"{kind.lower()}_id"


def _unique(kind: NodeType) -> str:
    return "process_key" if kind is NodeType.PROCESS else "full_name"


def _said(nodes: Nodes, events: Sequence[LineageEvent]) -> dict[tuple[NodeType, int], Said]:
    said: dict[tuple[NodeType, int], Said] = {}
    for event in events:
        if event.job is not None:
            node = (NodeType.PROCESS, nodes.processes[event.job])
            said[node] = merged(said.get(node, {}), words(event.time, _of_job(event)))
        for mention in event.datasets:
            node = (NodeType.DATASET, nodes.datasets[mention.name])
            said[node] = merged(said.get(node, {}), words(event.time, _of_dataset(mention)))
    return {node: said_of_it for node, said_of_it in said.items() if said_of_it}


def _of_job(event: LineageEvent) -> dict[str, Any]:
    facets = {name[:200]: facet for name, facet in event.job_facets.items() if name not in _STRUCTURED}
    own = {"@description": event.job_description, "@team": event.job_team, "@email": event.job_email}
    return {**facets, **_given(own), **_given({"@technology": event.technology})}


def _of_dataset(mention: DatasetMention) -> dict[str, Any]:
    facets = {name[:200]: facet for name, facet in mention.facets.items() if name not in _STRUCTURED}
    own = {"@description": mention.description, "@team": mention.owner_team, "@email": mention.owner_email}
    return {**facets, **_given(own), **_given({"@format": mention.format})}


def _given(values: dict[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


def _known(connection: Connection, nodes: Iterable[tuple[NodeType, int]]) -> dict[tuple[NodeType, int], Said]:
    known: dict[tuple[NodeType, int], Said] = {}
    for kind in NodeType:
        for part in chunks(sorted(number for found, number in nodes if found is kind)):
            wanted = NODE_FACET.c.node_type == kind, NODE_FACET.c.node_id.in_(part)
            for row in connection.execute(select(NODE_FACET).where(*wanted)):
                stamp = row.said_at.isoformat(timespec="microseconds")
                known.setdefault((kind, row.node_id), {})[row.facet] = {"at": stamp, "value": row.value}
    return known


def _facet_row(node: tuple[NodeType, int], name: str, word: dict[str, Any]) -> dict[str, Any]:
    from datetime import datetime

    digest = hashlib.sha256(json.dumps(word["value"], sort_keys=True).encode()).hexdigest()
    at = datetime.fromisoformat(word["at"])
    return {
        "node_type": node[0],
        "node_id": node[1],
        "facet": name,
        "said_at": at,
        "digest": digest,
        "value": word["value"],
    }


def _bring_up(connection: Connection, node: tuple[NodeType, int], said: Said, *, now: datetime) -> bool:
    kind, number = node
    table, key = _TABLES[kind], _key(kind)
    row = connection.execute(select(table).where(table.c[key] == number)).mappings().one()
    if kind is NodeType.DATASET and row["policy_fingerprint"] is not None:
        return False
    values = {column: value_of(said, name) for name, column in _COLUMNS[kind].items() if name in said}
    if all(row[column] == value for column, value in values.items()):
        return False
    connection.execute(update(table).where(table.c[key] == number).values(updated_at=now, **values))
    return True
