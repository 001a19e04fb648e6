"""The lineage around a dataset or a process, as a drawing and as a table. A pure function of what the catalog knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.lineage import EdgeRole, NodeType
from data_platform.model.neighbourhood import MOST_DRAWN, NodeKey, Side
from data_platform.model.number_text import number_of
from data_platform.portal.graph_drawing import MOST_LINES, Join, draw

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.model.neighbourhood import NearNode, Neighbourhood
    from data_platform.model.process_page import LastRun
    from data_platform.portal.column_lineage import ColumnView
    from data_platform.portal.graph_drawing import Drawing
    from data_platform.portal.overview import DatasetLine

NO_POLICY, NEVER_RAN = "no policy", "never ran"
_TOO_DEEP = (
    "The lines would cross too many layers for a drawing: the table has the first nodes, and the CSV file has all. "
    "Choose fewer hops or one direction."
)
_LINES = {
    EdgeRole.SYMLINK: ("link", "is another name of"),
    EdgeRole.RENAME: ("link", "was renamed to"),
    EdgeRole.TRIGGERS: ("trigger", "triggers"),
    EdgeRole.CONTAINS: ("trigger", "contains"),
}
"""How an edge is drawn, and what it means; all others carry data."""


@dataclass(frozen=True, kw_only=True)
class LineageNode:
    """``mark`` is what an incident says of it: root cause, incident, or nothing. ``key`` is that of the catalog."""

    key: str
    type: NodeType
    name: str
    own_name: str
    namespace: str
    state: str
    owner_team: str | None
    side: Side
    hops: int
    hidden_upstream: int
    hidden_downstream: int
    is_open_upstream: bool
    is_open_downstream: bool
    mark: str = ""


@dataclass(frozen=True, kw_only=True)
class LineageEdge:
    source: str
    target: str
    role: EdgeRole


@dataclass(frozen=True, kw_only=True)
class Broken:
    """An incident, whose broken path is shown alone. ``cause`` is the dataset of its root cause, if one was found."""

    incident: int
    title: str
    summary: str
    cause: str | None


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the address of the page asks for. ``most`` is how many neighbours of a node are shown at once."""

    kind: NodeType
    direction: str
    hops: int
    most: int
    column: str | None = None


@dataclass(frozen=True, kw_only=True)
class LineageView:
    """``nodes`` begins with the start. ``no_drawing`` says why there is only a table, if there is."""

    start: LineageNode
    asked: Asked
    nodes: tuple[LineageNode, ...]
    edges: tuple[LineageEdge, ...]
    total: int
    drawing: Drawing | None
    no_drawing: str = ""
    broken: Broken | None = None
    columns: tuple[str, ...] = ()
    column: ColumnView | None = None


@dataclass(frozen=True, kw_only=True)
class LineageFacts:
    """``lines`` are the states of declared datasets by URN, ``runs`` the last runs of processes by id."""

    asked: Asked
    found: Neighbourhood
    lines: Mapping[str, DatasetLine]
    runs: Mapping[int, LastRun]
    broken: Broken | None = None
    columns: tuple[str, ...] = ()
    column: ColumnView | None = None


def lineage_view(facts: LineageFacts) -> LineageView:
    found = facts.found
    nodes = tuple(_node(near, facts) for near in found.nodes)
    no_drawing = _no_drawing(found)
    drawing = None if no_drawing else lineage_drawing(nodes, found)
    return LineageView(
        start=nodes[0],
        asked=facts.asked,
        nodes=nodes,
        edges=tuple(
            LineageEdge(source=nodes[one.source].name, target=nodes[one.target].name, role=one.role)
            for one in found.edges
        ),
        total=found.total,
        drawing=drawing,
        no_drawing=no_drawing if no_drawing or drawing else _TOO_DEEP,
        broken=facts.broken,
        columns=facts.columns,
        column=facts.column,
    )


def lineage_drawing(nodes: tuple[LineageNode, ...], found: Neighbourhood) -> Drawing | None:
    def join(source: int, target: int, role: EdgeRole) -> Join:
        kind, verb = _LINES.get(role, ("data", "→"))
        return Join(source, target, kind, f"{nodes[source].own_name[:200]} {verb} {nodes[target].own_name[:200]}")

    return draw(
        [bool(node.hidden_upstream or node.hidden_downstream) for node in nodes],
        [join(one.source, one.target, one.role) for one in found.edges],
    )


def state_of(near: NearNode, lines: Mapping[str, DatasetLine], runs: Mapping[int, LastRun]) -> str:
    """One word for people: the state of a declared dataset, or how the last run of a process ended."""
    if near.node.type is NodeType.DATASET:
        line = lines.get(near.node.name)
        return line.state if line else NO_POLICY
    run = runs.get(near.node.id)
    return run.status if run else NEVER_RAN


def _node(near: NearNode, facts: LineageFacts) -> LineageNode:
    ref = near.node
    marks = {facts.broken.cause: "root cause"} if facts.broken else {}
    if facts.broken and near.side is Side.START:
        marks.setdefault(ref.name, "incident")
    return LineageNode(
        key=str(NodeKey(ref.type, ref.id)),
        type=ref.type,
        name=ref.name,
        own_name=ref.own_name,
        namespace=ref.namespace,
        state=state_of(near, facts.lines, facts.runs),
        owner_team=ref.owner_team,
        side=near.side,
        hops=near.hops,
        hidden_upstream=near.hidden_upstream,
        hidden_downstream=near.hidden_downstream,
        is_open_upstream=near.is_open_upstream,
        is_open_downstream=near.is_open_downstream,
        mark=marks.get(ref.name, "") if ref.type is NodeType.DATASET else "",
    )


def _no_drawing(found: Neighbourhood) -> str:
    if found.is_cut:
        return (
            f"{number_of(found.total, 'node')} are too many for a drawing, which has at most {MOST_DRAWN}: the table "
            "has the first ones, and the CSV file has all. Choose fewer hops or one direction."
        )
    if len(found.edges) > MOST_LINES:
        return (
            f"{number_of(len(found.edges), 'edge')} are too many for a drawing, which has at most {MOST_LINES}: the "
            "table has the first nodes, and the CSV file has all. Choose fewer hops or one direction."
        )
    return ""
