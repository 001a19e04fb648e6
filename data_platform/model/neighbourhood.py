"""The part of the lineage graph around one dataset or process that is drawn, with counts of what is left out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from data_platform.model.lineage import EdgeRole, NodeType
    from data_platform.model.lineage_graph import NodeRef

MOST_DRAWN = 2000
"""The most nodes of a drawing; larger neighbourhoods are shown as a table."""


class Side(StrEnum):
    """Where a node is, seen from the start. BESIDE: another input of something downstream, or the reverse."""

    START = "START"
    UPSTREAM = "UPSTREAM"
    DOWNSTREAM = "DOWNSTREAM"
    BESIDE = "BESIDE"


class NodeKey(NamedTuple):
    """A node's type and its id in the catalog; the text is such as ``d12`` or ``p7``."""

    type: NodeType
    id: int

    def __str__(self) -> str:
        return f"{self.type.value[0].lower()}{self.id}"


@dataclass(frozen=True, kw_only=True)
class NearNode:
    """``hops`` counts edges from the start; ``hidden`` are direct neighbours that are not drawn.

    A node that is open on a side shows its first neighbours there.
    """

    node: NodeRef
    side: Side
    hops: int
    hidden_upstream: int = 0
    hidden_downstream: int = 0
    is_open_upstream: bool = False
    is_open_downstream: bool = False


@dataclass(frozen=True)
class NearEdge:
    """Data flows from ``source`` to ``target``; both are places in the list of nodes."""

    source: int
    target: int
    role: EdgeRole


@dataclass(frozen=True, kw_only=True)
class Neighbourhood:
    """``nodes`` begins with the start, and has at most ``MOST_DRAWN``; ``total`` counts all that were asked for."""

    nodes: tuple[NearNode, ...]
    edges: tuple[NearEdge, ...]
    total: int

    @property
    def is_cut(self) -> bool:
        return self.total > len(self.nodes)
