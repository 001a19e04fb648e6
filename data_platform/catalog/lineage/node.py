"""Finds or creates the processes and datasets that events name. ``node_facet`` stores their facets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select

from data_platform.catalog.dataset_row import add_drafts, keys_named
from data_platform.catalog.registry_table import PROCESS
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.lineage import DatasetMention, LineageEvent, Name

_BY_KEY = select(PROCESS.c.process_key, PROCESS.c.process_id).where(PROCESS.c.process_key.in_(WANTED))


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
