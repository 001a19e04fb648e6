"""What depends on a dataset or column, on what it depends, and by which way: the answers to "who is hit?"."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING

from data_platform.catalog.cursor import decode, encode, page_size
from data_platform.catalog.lineage.column_walk import column_path, walk_columns
from data_platform.catalog.lineage.graph import path_to
from data_platform.catalog.lineage.registry import refs
from data_platform.model.catalog import ColumnHitCard, Edge, ImpactHit, ImpactPage, LineageGraph, Page
from data_platform.model.lineage import EdgeRole, NodeType

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.graph import Graph, Hit, Node

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
    walked = graph.walk(start, downstream=downstream, depth=depth)
    hits = [hit for hit in walked.values() if kind is None or hit.node[0] is kind]
    hits.sort(key=_rank)
    after = decode(cursor, int, str, int)
    begin = 0 if after is None else bisect_right(hits, after, key=_rank)
    shown = hits[begin : begin + page_size(limit)]
    paths = {hit.node: path_to(walked, hit.node) for hit in shown}
    names = refs(connection, {start, *(node for path in paths.values() for node in path)})
    items = tuple(
        ImpactHit(node=names[hit.node], depth=hit.depth, path=tuple(names[node].name for node in paths[hit.node]))
        for hit in shown
    )
    more = encode(*_rank(shown[-1])) if begin + limit < len(hits) else None
    return ImpactPage(
        start=names[start],
        direction="downstream" if downstream else "upstream",
        total=len(hits),
        by_type={str(type_): count for type_, count in Counter(hit.node[0] for hit in hits).items()},
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
    hits: dict[Node, Hit] = {}
    for name, downstream in (("upstream", False), ("downstream", True)):
        if direction in (name, "both"):
            hits |= graph.walk(start, downstream=downstream, depth=depth)
    nearest = sorted(hits.values(), key=_rank)
    kept = {start, *(hit.node for hit in nearest[:most])}
    names = refs(connection, kept)
    edges = tuple(
        Edge(source=names[node].name, target=names[other].name, role=role)
        for node in sorted(kept)
        for other, role in graph.ahead.get(node, ())
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
    edges = graph.ahead.get(dataset, ())
    return sorted({node for node, role in edges if role is EdgeRole.CONSUMES})


def _rank(hit: Hit) -> tuple[int, str, int]:
    return hit.depth, str(hit.node[0]), hit.node[1]
