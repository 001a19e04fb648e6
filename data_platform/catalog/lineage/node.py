"""Processes and datasets by the names that events give them: found or made, and what is said of them kept.

What a policy file declares is not changed by an event: description and owner of such a dataset are its file's.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.dataset_row import add_drafts, keys_named
from data_platform.catalog.lineage.latest_value import Said, merged, value_of, words
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
_BY_KEY = select(PROCESS.c.process_key, PROCESS.c.process_id).where(PROCESS.c.process_key.in_(WANTED))
_FACETS = select(NODE_FACET).where(
    NODE_FACET.c.node_type.in_([NodeType.DATASET, NodeType.PROCESS]), NODE_FACET.c.node_id.in_(WANTED)
)


class Nodes:
    """Keys of the processes and datasets that events name; ``fresh`` are those that the events made or changed."""

    def __init__(self) -> None:
        self.processes: dict[Name, int] = {}
        self.datasets: dict[Name, int] = {}
        self.fresh: set[tuple[NodeType, int]] = set()


class NodeKeys:
    """Keys by name, remembered from one transaction to the next. No node is deleted; a scan may rename a process.

    What a transaction finds is kept aside until ``confirm``: one that is rolled back has made no keys.
    """

    LIMIT = 200_000
    """Names; with more of them it begins anew."""

    def __init__(self) -> None:
        self.processes: dict[str, int] = {}
        self.datasets: dict[Name, int] = {}
        self._unconfirmed: list[Nodes] = []
        self._key_changes = 0

    def begin(self, key_changes: int) -> None:
        """What is remembered is of no use once processes have got other keys since."""
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
    """Every job, parent job, dataset and column's source of the events; those not known are added."""
    nodes = Nodes()
    jobs = {name for event in events for name in (event.job, event.parent_job) if name is not None}
    mentions = [mention for event in events for mention in event.datasets]
    nodes.processes = _process_keys(connection, nodes, jobs, keys.processes, now=now)
    nodes.datasets = _dataset_keys(connection, nodes, names_in(mentions), keys.datasets, _creators(events), now=now)
    keys.remember(nodes)
    return nodes


def add_words(connection: Connection, nodes: Nodes, events: Sequence[LineageEvent], *, now: datetime) -> None:
    """Keep what the events say of each node where nothing newer was said, and bring the node's columns up to it."""
    said = _said(nodes, events)
    before = _known(connection, said)
    rows, changed = [], {}
    for node, words_of_it in said.items():
        after = merged(before.get(node, {}), words_of_it)
        known = before.get(node, {})
        for name, word in after.items():
            if known.get(name) != word:
                rows.append(facet_row(node, name, word["value"], at=datetime.fromisoformat(word["at"])))
        if any(value_of(known, name) != value_of(after, name) for name in _COLUMNS[node[0]]):
            changed[node] = after
    replace(connection, NODE_FACET, rows, keys=("node_type", "node_id", "facet"))
    for node, after in changed.items():
        if _bring_up(connection, node, after, now=now):
            nodes.fresh.add(node)


def _creators(events: Sequence[LineageEvent]) -> dict[Name, str]:
    return {m.name: event.producer[:200] or "an event" for event in reversed(events) for m in event.datasets}


def names_in(mentions: Iterable[DatasetMention]) -> set[Name]:
    """Of the datasets themselves, of what their columns come from, and of what else they are called."""
    found: set[Name] = set()
    for mention in mentions:
        found.add(mention.name)
        found |= {link.source for link in mention.column_links}
        found.update(mention.symlinks or ())
        if mention.renamed_from is not None:
            found.add(mention.renamed_from)
    return found


def _process_keys(
    connection: Connection, nodes: Nodes, names: set[Name], known: dict[str, int], *, now: datetime
) -> dict[Name, int]:
    """Two names may be one key, ``a/b`` + ``c`` and ``a`` + ``b/c``: they are one process."""
    wanted = {name.full: name for name in sorted(names)}
    found = {full: known[full] for full in wanted if full in known}
    if len(found) < len(wanted):
        found |= _find_processes(connection, [full for full in wanted if full not in found])
    missing = {full: name for full, name in wanted.items() if full not in found}
    if missing:
        connection.execute(insert(PROCESS), [_new_process(name, now) for name in missing.values()])
        added = _find_processes(connection, missing)
        nodes.fresh |= {(NodeType.PROCESS, number) for number in added.values()}
        found |= added
    return {name: found[name.full] for name in names}


def _dataset_keys(
    connection: Connection,
    nodes: Nodes,
    names: set[Name],
    known: Mapping[Name, int],
    creators: Mapping[Name, str],
    *,
    now: datetime,
) -> dict[Name, int]:
    found = {name: known[name] for name in names if name in known}
    if len(found) < len(names):
        found |= keys_named(connection, names - found.keys())
    if missing := names - found.keys():
        added = add_drafts(connection, missing, creators, now=now)
        nodes.fresh |= {(NodeType.DATASET, number) for number in added.values()}
        found |= added
    return found


def _find_processes(connection: Connection, wanted: Iterable[str]) -> dict[str, int]:
    rows: Iterable[Any] = rows_of(connection, _BY_KEY, wanted)
    return {row[0]: row[1] for row in rows}


def _new_process(name: Name, now: datetime) -> dict[str, Any]:
    own = {"process_key": name.full, "namespace": name.namespace, "name": name.name, "description": ""}
    return {**own, "trigger_mode": "PROCESS", "created_at": now, "updated_at": now}


def _key(kind: NodeType) -> str:
    return f"{kind.lower()}_id"


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
    facets = _unstructured(event.job_facets)
    own = {"@description": event.job_description, "@team": event.job_team, "@email": event.job_email}
    return {**facets, **_given(own), **_given({"@technology": event.technology})}


def _of_dataset(mention: DatasetMention) -> dict[str, Any]:
    facets = _unstructured(mention.facets)
    own = {"@description": mention.description, "@team": mention.owner_team, "@email": mention.owner_email}
    return {**facets, **_given(own), **_given({"@format": mention.format})}


def _unstructured(facets: dict[str, Any]) -> dict[str, Any]:
    """Their names are keys of a table; one with a sign that no store keeps has that sign replaced."""
    kept = {name: facet for name, facet in facets.items() if name not in _STRUCTURED}
    return {read_text(name)[:200].lstrip("@") or "unnamed": facet for name, facet in kept.items()}


def _given(values: dict[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


def _known(connection: Connection, nodes: Iterable[tuple[NodeType, int]]) -> dict[tuple[NodeType, int], Said]:
    known: dict[tuple[NodeType, int], Said] = {}
    wanted = set(nodes)
    for row in rows_of(connection, _FACETS, sorted({number for _, number in wanted})):
        node = (NodeType(row.node_type), row.node_id)
        if node in wanted:
            stamp = row.said_at.isoformat(timespec="microseconds")
            known.setdefault(node, {})[row.facet] = {"at": stamp, "value": row.value}
    return known


def facet_row(node: tuple[NodeType, int], name: str, value: Any, *, at: datetime) -> dict[str, Any]:
    """A row of ``NODE_FACET``; ``at`` is when it was said."""
    digest = hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
    return {"node_type": node[0], "node_id": node[1], "facet": name, "said_at": at, "digest": digest, "value": value}


def _bring_up(connection: Connection, node: tuple[NodeType, int], said: Said, *, now: datetime) -> bool:
    kind, number = node
    table, key = _TABLES[kind], _key(kind)
    row = connection.execute(select(table).where(table.c[key] == number)).mappings().one()
    if kind is NodeType.DATASET and row["policy_fingerprint"] is not None:
        return False
    values = {column: value_of(said, name) for name, column in _COLUMNS[kind].items() if name in said}
    if kind is NodeType.DATASET and row["status"] == "ACTIVE":
        # somebody has approved what it says; events may only fill in what is empty
        values = {column: value for column, value in values.items() if not row[column]}
    if all(row[column] == value for column, value in values.items()):
        return False
    connection.execute(update(table).where(table.c[key] == number).values(updated_at=now, **values))
    return True
