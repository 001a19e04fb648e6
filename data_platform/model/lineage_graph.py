"""Lineage as the catalog returns it: graphs of datasets and processes, and the impact of one on others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data_platform.model.lineage import EdgeRole, NodeType
    from data_platform.model.page import Page


@dataclass(frozen=True, kw_only=True)
class LookAlike:
    """A dataset that is easily confused with ``of``, although no edge connects the two.

    ``differs_by``: case, slashes, scheme, namespace, or split (the same text, split at another place).
    """

    of: str
    dataset: str
    namespace: str
    name: str
    differs_by: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Cycle:
    """Nodes that depend on each other, so that none comes first; ``total`` counts them all."""

    nodes: tuple[str, ...]
    total: int


@dataclass(frozen=True, kw_only=True)
class NodeRef:
    """A process (``name`` is its key) or a dataset (its reference); ``own_name`` is its name within its namespace.

    ``part_of``: the platform's dataset that this stage, landing, quarantine or step belongs to.
    """

    type: NodeType
    id: int
    name: str
    namespace: str
    own_name: str
    owner_team: str | None = None
    status: str | None = None
    part_of: str | None = None


@dataclass(frozen=True, kw_only=True)
class Edge:
    """``source`` and ``target`` are names of nodes; data flows from one to the other.

    Types and ids are those of the nodes: a process may have the name of a dataset.
    """

    source: str
    target: str
    role: EdgeRole
    source_type: NodeType
    source_id: int
    target_type: NodeType
    target_id: int


@dataclass(frozen=True, kw_only=True)
class LineageGraph:
    """The graph around ``start``; ``cut`` means that there were more nodes than requested.

    ``cycles`` are those that contain a node of it; ``look_alikes`` resemble its datasets, and are not in it.
    """

    start: NodeRef
    nodes: tuple[NodeRef, ...]
    edges: tuple[Edge, ...]
    cut: bool = False
    cycles: tuple[Cycle, ...] = ()
    look_alikes: tuple[LookAlike, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ImpactHit:
    """``path`` explains it: names from the start to this node, one of the shortest paths.

    Depth 0 is the start itself under another name, or a stage of it.
    """

    node: NodeRef
    depth: int
    path: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ImpactPage:
    """``total``, ``by_type`` and ``cycles`` cover all hits, also those of other pages.

    ``look_alikes`` resemble the start and this page's datasets; they are not hits themselves.
    """

    start: NodeRef
    direction: str
    total: int
    by_type: dict[str, int]
    hits: Page[ImpactHit]
    cycles: tuple[Cycle, ...] = ()
    look_alikes: tuple[LookAlike, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ColumnHitCard:
    """``path`` is from the requested column to this one, each as ``dataset.column``.

    The column ``*`` is the whole dataset: each of its columns depends on the one before (a filter, a join key).
    """

    dataset: str
    column: str
    depth: int
    path: tuple[str, ...]
    process: str | None = None
    transformation: str | None = None


@dataclass(frozen=True, kw_only=True)
class ColumnImpact:
    """``hits`` are nearest first; ``cycles`` and ``look_alikes`` are those of their datasets and of the start."""

    hits: tuple[ColumnHitCard, ...]
    cycles: tuple[Cycle, ...] = ()
    look_alikes: tuple[LookAlike, ...] = ()
