"""Impact and lineage of a dataset or column: dependents and dependencies, with the path to each."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING

from data_platform.catalog.cursor import decode, encode, page_size
from data_platform.catalog.lineage.column_walk import WHOLE, column_path, walk_columns
from data_platform.catalog.lineage.registry import refs
from data_platform.catalog.lineage.similar import find_look_alikes
from data_platform.model.lineage import NodeType
from data_platform.model.lineage_graph import (
    ColumnHitCard,
    ColumnImpact,
    Cycle,
    Edge,
    ImpactHit,
    ImpactPage,
    LineageGraph,
)
from data_platform.model.page import Page

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.graph import Graph, Node
    from data_platform.model.lineage_graph import LookAlike, NodeRef

MOST_NODES = 2000
"""The most nodes of a graph to draw."""

MOST_CYCLES, MOST_OF_A_CYCLE = 20, 50
"""The most cycles of a result, and the most nodes listed for one."""

ALL_COLUMNS = "*"


def find_impact(
    connection: Connection,
    graph: Graph,
    start: Node,
    *,
    downstream: bool = True,
    depth: int | None = None,
    kind: NodeType | None = None,
    stages: bool = False,
    limit: int = 100,
    cursor: str | None = None,
) -> ImpactPage:
    """Every node that ``start`` reaches, nearest first; ``kind`` filters by type.

    Parts of a platform dataset (its stages and their jobs) count as that dataset, unless ``stages`` is set.
    """
    walk = graph.walk(start, downstream=downstream, depth=depth)
    reached = _shown(graph, start, walk.hits(), stages=stages)
    hits = sorted(((at, node) for node, (at, _) in reached.items() if kind is None or node[0] is kind), key=_rank)
    after = decode(cursor, int, str, int)
    begin = 0 if after is None else bisect_right(hits, after, key=_rank)
    shown = hits[begin : begin + page_size(limit)]
    paths = {node: _path(graph, walk.path_to(reached[node][1]), node, stages=stages) for _, node in shown}
    cycles = _cycles_at(graph, {start, *(node for _, node in walk.hits())})
    names = refs(connection, {start, *_in_cycles(cycles), *(step for path in paths.values() for step in path)})
    items = tuple(
        ImpactHit(node=names[node], depth=at, path=tuple(names[step].name for step in paths[node]))
        for at, node in shown
    )
    more = encode(*_rank(shown[-1])) if begin + limit < len(hits) else None
    return ImpactPage(
        start=names[start],
        direction="downstream" if downstream else "upstream",
        total=len(hits),
        by_type={str(type_): count for type_, count in Counter(node[0] for _, node in hits).items()},
        hits=Page(items, more),
        cycles=_cycle_cards(cycles, names),
        look_alikes=_look_alikes(connection, {start, *(node for _, node in shown)}, reached),
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
    depths: dict[Node, int] = {}
    for name, downstream in (("upstream", False), ("downstream", True)):
        if direction in (name, "both"):
            for reached, node in graph.walk(start, downstream=downstream, depth=depth).hits():
                depths[node] = min(reached, depths.get(node, reached))
    nearest = sorted(depths, key=lambda node: (depths[node], node))
    nodes = {start, *nearest[:most]}
    cycles = _cycles_at(graph, nodes)
    names = refs(connection, {*nodes, *_in_cycles(cycles)})
    return LineageGraph(
        start=names[start],
        nodes=tuple(names[node] for node in sorted(nodes) if node != start),
        edges=tuple(_edge(graph, names, *ends) for ends in _edges_among(graph, nodes)),
        cut=len(nearest) > most,
        cycles=_cycle_cards(cycles, names),
        look_alikes=_look_alikes(connection, nodes, depths),
    )


def find_column_impact(
    connection: Connection,
    graph: Graph,
    dataset_id: int,
    column: str,
    *,
    downstream: bool = True,
    depth: int | None = None,
) -> ColumnImpact:
    """Every column computed from this one (downstream), or from which it is computed.

    The column ``*`` means the whole dataset.
    """
    start = (dataset_id, WHOLE if column == ALL_COLUMNS else column)
    hits = walk_columns(connection, graph, start, downstream=downstream, depth=depth)
    datasets = {(NodeType.DATASET, number) for number, _ in (start, *hits)}
    processes = {(NodeType.PROCESS, hit.process_id) for hit in hits.values()}
    cycles = _cycles_at(graph, datasets)
    names = refs(connection, datasets | processes | _in_cycles(cycles))

    def named(key: tuple[int, str]) -> str:
        return f"{names[NodeType.DATASET, key[0]].name}.{key[1] or ALL_COLUMNS}"

    cards = tuple(
        ColumnHitCard(
            dataset=names[NodeType.DATASET, key[0]].name,
            column=key[1] or ALL_COLUMNS,
            depth=hit.depth,
            path=tuple(named(step) for step in column_path(hits, key)),
            process=names[NodeType.PROCESS, hit.process_id].name if hit.process_id else None,
            transformation=hit.transformation,
        )
        for key, hit in hits.items()
    )
    return ColumnImpact(
        hits=cards,
        cycles=_cycle_cards(cycles, names),
        look_alikes=_look_alikes(connection, datasets, datasets),
    )


def consumers_of(graph: Graph, dataset: Node) -> list[Node]:
    """Processes that read the dataset directly, under any of its names."""
    names = graph.names_of(dataset, downstream=True)
    readers = (node for name in names for node in graph.next_to(name, downstream=True))
    return sorted({node for node in readers if node[0] is NodeType.PROCESS})


def neighbours(graph: Graph, dataset: Node, *, downstream: bool) -> set[Node]:
    """Nodes one edge away from the dataset, under any of its names; the names themselves are left out."""
    names = graph.names_of(dataset, downstream=downstream)
    return {node for name in names for node in graph.next_to(name, downstream=downstream)} - set(names)


def _shown(
    graph: Graph, start: Node, hits: Iterable[tuple[int, Node]], *, stages: bool
) -> dict[Node, tuple[int, Node]]:
    """Maps the displayed nodes to their depth and the first hit that each represents."""
    shown_nodes: dict[Node, tuple[int, Node]] = {}
    for depth, node in hits:
        shown = node if stages else graph.shown_as.get(node, node)
        if shown != start:
            shown_nodes.setdefault(shown, (depth, node))
    return shown_nodes


def _path(graph: Graph, path: list[Node], node: Node, *, stages: bool) -> list[Node]:
    if stages:
        return path
    start, *rest = path
    steps = [start]
    for step in (*rest, node):
        shown = graph.shown_as.get(step, step)
        if shown != steps[-1]:
            steps.append(shown)
    return steps


def _edges_among(graph: Graph, nodes: set[Node]) -> list[tuple[Node, Node]]:
    edges = [
        (node, other) for node in sorted(nodes) for other in graph.next_to(node, downstream=True) if other in nodes
    ]
    links = [link for link in sorted(graph.links) if link[0] in nodes and link[1] in nodes]
    return list(dict.fromkeys((*edges, *links)))


def _edge(graph: Graph, names: Mapping[Node, NodeRef], source: Node, target: Node) -> Edge:
    return Edge(
        source=names[source].name,
        target=names[target].name,
        role=graph.role_of(source, target),
        source_type=source[0],
        source_id=source[1],
        target_type=target[0],
        target_id=target[1],
    )


def _cycles_at(graph: Graph, nodes: Collection[Node]) -> list[tuple[Node, ...]]:
    """Cycles that contain one of ``nodes``, at most ``MOST_CYCLES``."""
    return [cycle for cycle in graph.cycles if any(node in nodes for node in cycle)][:MOST_CYCLES]


def _in_cycles(cycles: Iterable[tuple[Node, ...]]) -> set[Node]:
    return {node for cycle in cycles for node in cycle[:MOST_OF_A_CYCLE]}


def _cycle_cards(cycles: Iterable[tuple[Node, ...]], names: Mapping[Node, NodeRef]) -> tuple[Cycle, ...]:
    return tuple(
        Cycle(nodes=tuple(names[node].name for node in cycle[:MOST_OF_A_CYCLE]), total=len(cycle)) for cycle in cycles
    )


def _look_alikes(connection: Connection, shown: Iterable[Node], answered: Iterable[Node]) -> tuple[LookAlike, ...]:
    datasets = [number for kind, number in shown if kind is NodeType.DATASET]
    return find_look_alikes(connection, datasets, [number for kind, number in answered if kind is NodeType.DATASET])


def _rank(hit: tuple[int, Node]) -> tuple[int, str, int]:
    return hit[0], str(hit[1][0]), hit[1][1]
