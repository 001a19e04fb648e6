"""Links between several names of a dataset, which impact and column lineage follow at no depth.

A SYMLINK goes both ways, and comes from the newest symlinks facet of its source: a table that moves loses the old link.
A RENAME goes from the old name to the new one, as the data did; it is never removed, so a chain of renames is followed
whatever the order of its events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import delete, insert, select

from data_platform.catalog.dataset_row import add_drafts, keys_named
from data_platform.catalog.lineage.edge import change_graph
from data_platform.catalog.lineage_table import DATASET_LINK, NODE_FACET
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.lineage import LinkKind, NodeType
from data_platform.openlineage.dataset import read_renamed_from, read_symlinks
from data_platform.openlineage.text import Facets

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.node import Nodes
    from data_platform.model.lineage import LineageEvent, Name

Link: TypeAlias = tuple[int, int, LinkKind]
"""The keys of source and target, and the kind."""

_BY_SOURCE = select(DATASET_LINK).where(DATASET_LINK.c.source_id.in_(WANTED))
_SYMLINKS = select(NODE_FACET.c.node_id, NODE_FACET.c.value).where(
    NODE_FACET.c.node_type == NodeType.DATASET, NODE_FACET.c.facet == "symlinks", NODE_FACET.c.node_id.in_(WANTED)
)
_ALL = select(NODE_FACET).where(
    NODE_FACET.c.node_type == NodeType.DATASET, NODE_FACET.c.facet.in_(["symlinks", "lifecycleStateChange"])
)


def add_links(connection: Connection, nodes: Nodes, events: Sequence[LineageEvent]) -> None:
    """Updates links. The facets of the events must be stored before: the newest symlinks are read from them."""
    mentions = [mention for event in events for mention in event.datasets]
    sources = {nodes.datasets[mention.name] for mention in mentions if mention.symlinks is not None}
    renames = {
        (nodes.datasets[mention.renamed_from], nodes.datasets[mention.name], LinkKind.RENAME)
        for mention in mentions
        if mention.renamed_from not in (None, mention.name)
    }
    if sources or renames:
        _change(connection, sources, renames)


def rebuild_links(connection: Connection) -> None:
    """Creates the links of a catalog with older events, from the newest facets of its datasets."""
    rows = connection.execute(_ALL).all()
    sources = {row.node_id for row in rows if row.facet == "symlinks"}
    old_names = {row.node_id: name for row in rows if (name := _renamed_from(row)) is not None}
    names = {name for row in rows if row.facet == "symlinks" for name in _read(row.value)} | set(old_names.values())
    if not names:
        return
    missing = names - keys_named(connection, names).keys()
    add_drafts(connection, missing, {}, now=max(row.said_at for row in rows))
    keys = keys_named(connection, old_names.values())
    renames = {(keys[name], number, LinkKind.RENAME) for number, name in old_names.items() if keys[name] != number}
    _change(connection, sources, renames)


def _change(connection: Connection, symlink_sources: set[int], renames: set[Link]) -> None:
    links = _symlinks(connection, symlink_sources) | renames
    sources = symlink_sources | {source for source, _, _ in renames}
    before = {
        (row.source_id, row.target_id, LinkKind(row.kind)) for row in rows_of(connection, _BY_SOURCE, sorted(sources))
    }
    gone = {link for link in before - links if link[0] in symlink_sources and link[2] is LinkKind.SYMLINK}
    for source, target, kind in gone:
        same = DATASET_LINK.c.source_id == source, DATASET_LINK.c.target_id == target, DATASET_LINK.c.kind == kind
        connection.execute(delete(DATASET_LINK).where(*same))
    fresh = sorted(links - before)
    if fresh:
        rows = [{"source_id": source, "target_id": target, "kind": kind} for source, target, kind in fresh]
        connection.execute(insert(DATASET_LINK), rows)
    if fresh or gone:
        change_graph(connection)


def _symlinks(connection: Connection, sources: Iterable[int]) -> set[Link]:
    names: dict[int, tuple[Name, ...]] = {}
    for row in rows_of(connection, _SYMLINKS, sorted(sources)):
        names[row.node_id] = _read(row.value)
    keys = keys_named(connection, {name for listed in names.values() for name in listed})
    return {
        (number, keys[name], LinkKind.SYMLINK)
        for number, listed in names.items()
        for name in listed
        if keys.get(name, number) != number
    }


def _read(facet: Any) -> tuple[Name, ...]:
    return read_symlinks(Facets.of({"symlinks": facet}, "", [])) or ()


def _renamed_from(row: Any) -> Name | None:
    if row.facet != "lifecycleStateChange":
        return None
    return read_renamed_from(Facets.of({"lifecycleStateChange": row.value}, "", []))
