"""What depends on a dataset or column, on what it depends, and by which way: the answers to "who is hit?"."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING

from data_platform.catalog.cursor import decode, encode, page_size
from data_platform.catalog.lineage.column_walk import column_path, walk_columns
from data_platform.catalog.lineage.registry import refs
from data_platform.model.catalog import ColumnHitCard, Edge, ImpactHit, ImpactPage, LineageGraph, Page
from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.graph import Graph, Node

MOST_NODES = 2000
"""Of a graph that is to be drawn."""


def find_impact(
    connection: Connection,
    graph: Graph,
    start: Node,
    *,
    downstream: bool = True,
    depth: int | None = None,
    kind: NodeType | None = None,
    limit: int = 100,
    cursor: str | None = None,
) -> ImpactPage:
    """Every node that ``start`` reaches, nearest first; ``kind`` leaves the others out."""
    walk = graph.walk(start, downstream=downstream, depth=depth)
    hits = [hit for hit in walk.hits() if kind is None or hit[1][0] is kind]
    after = decode(cursor, int, str, int)
    begin = 0 if after is None else bisect_right(hits, after, key=_rank)
    shown = hits[begin : begin + page_size(limit)]
    paths = {node: walk.path_to(node) for _, node in shown}
    names = refs(connection, {start, *(step for path in paths.values() for step in path)})
    items = tuple(
        ImpactHit(node=names[node], depth=reached, path=tuple(names[step].name for step in paths[node]))
        for reached, node in shown
    )
    more = encode(*_rank(shown[-1])) if begin + limit < len(hits) else None
    return ImpactPage(
        start=names[start],
        direction="downstream" if downstream else "upstream",
        total=len(hits),
        by_type={str(type_): count for type_, count in Counter(node[0] for _, node in hits).items()},
        hits=Page(items, more),
    )


def find_lineage(
    connection: Connection,
    graph: Graph,
    start: Node,
    *,
    direction: str = "both",
    depth: int = 2,
    most: int = MOST_NODES,
) -> LineageGraph:
    """The nodes around ``start`` and all edges among them; ``direction`` is upstream, downstream or both."""
    found: dict[Node, int] = {}
    for name, downstream in (("upstream", False), ("downstream", True)):
        if direction in (name, "both"):
            for reached, node in graph.walk(start, downstream=downstream, depth=depth).hits():
                found[node] = min(reached, found.get(node, reached))
    nearest = sorted(found, key=lambda node: (found[node], node))
    kept = {start, *nearest[:most]}
    names = refs(connection, kept)
    edges = tuple(
        Edge(source=names[node].name, target=names[other].name, role=graph.role_of(node, other))
        for node in sorted(kept)
        for other in graph.next_to(node, downstream=True)
        if other in kept
    )
    nodes = tuple(names[node] for node in sorted(kept) if node != start)
    return LineageGraph(start=names[start], nodes=nodes, edges=edges, cut=len(nearest) > most)


def find_column_impact(
    connection: Connection, dataset_id: int, column: str, *, downstream: bool = True, depth: int | None = None
) -> tuple[ColumnHitCard, ...]:
    """Every column that is computed from this one, or that it is computed from; nearest first."""
    start = (dataset_id, column)
    hits = walk_columns(connection, start, downstream=downstream, depth=depth)
    datasets = {(NodeType.DATASET, number) for number, _ in (start, *hits)}
    processes = {(NodeType.PROCESS, hit.process_id) for hit in hits.values()}
    names = refs(connection, datasets | processes)

    def named(key: tuple[int, str]) -> str:
        return f"{names[NodeType.DATASET, key[0]].name}.{key[1]}"

    return tuple(
        ColumnHitCard(
            dataset=names[NodeType.DATASET, key[0]].name,
            column=key[1],
            depth=hit.depth,
            path=tuple(named(step) for step in column_path(hits, key)),
            process=names[NodeType.PROCESS, hit.process_id].name if hit.process_id else None,
            transformation=hit.transformation,
        )
        for key, hit in hits.items()
    )


def consumers_of(graph: Graph, dataset: Node) -> list[Node]:
    """Processes that read it directly."""
    return sorted({node for node in graph.next_to(dataset, downstream=True) if node[0] is NodeType.PROCESS})


def _rank(hit: tuple[int, Node]) -> tuple[int, str, int]:
    return hit[0], str(hit[1][0]), hit[1][1]
