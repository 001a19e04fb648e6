"""Answers of the catalog: plain values, ready to be printed or sent. Times are aware, in UTC."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.certification import Certification
    from data_platform.model.lineage import EdgeRole, NodeType, RunState

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of a listing; ``cursor`` requests the next one, and is None at the end."""

    items: tuple[T, ...]
    cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class DatasetCard:
    """A registered dataset. ``full_name`` is the URN if the platform makes the dataset.

    ``reference`` identifies exactly one: the full name, or ``pair:…`` if the full name is that of another dataset.
    """

    id: int
    full_name: str
    reference: str
    namespace: str
    name: str
    status: str
    description: str = ""
    category: str | None = None
    tags: tuple[str, ...] = ()
    format: str | None = None
    partitioning: str | None = None
    owner_team: str | None = None
    owner_email: str | None = None
    tier: str | None = None
    table: str | None = None
    declared: bool = False
    created_by: str = ""
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class VersionCard:
    """``run_uuid`` produced it and ``run_status`` is how that run ended; a backfill reported a ``historical`` one."""

    tag: str
    produced_at: datetime | None
    run_uuid: str | None = None
    run_status: RunState | None = None
    path: str | None = None
    row_count: int | None = None
    byte_count: int | None = None
    checksum: str | None = None
    schema_hash: str | None = None
    certified_at: datetime | None = None
    historical: bool = False


@dataclass(frozen=True, kw_only=True)
class ColumnCard:
    name: str
    type: str
    nullable: bool = True
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class SchemaCard:
    """The columns of ``version``; ``hash`` covers names, types and nullability."""

    version: str
    hash: str
    columns: tuple[ColumnCard, ...]


@dataclass(frozen=True, kw_only=True)
class ColumnChange:
    """``kind`` is ADDED, REMOVED, RETYPED, NULLABILITY or MOVED; a value that does not apply is None."""

    kind: str
    column: str
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, kw_only=True)
class SchemaDiff:
    before: str
    after: str
    changes: tuple[ColumnChange, ...]


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
class OtherName:
    """Another name of the dataset. ``kind``: symlink, renamed from, renamed to."""

    dataset: str
    kind: str


@dataclass(frozen=True, kw_only=True)
class DatasetPage:
    """``latest`` is the newest version of a run that completed; backfills are excluded.

    ``dropped_at`` is when it was dropped, if nothing has been written since.
    """

    dataset: DatasetCard
    latest: VersionCard | None
    certification: Certification | None
    columns: tuple[ColumnCard, ...] = ()
    upstream: int = 0
    downstream: int = 0
    checks: dict[str, int] = field(default_factory=dict)
    facets: dict[str, Any] = field(default_factory=dict)
    other_names: tuple[OtherName, ...] = ()
    look_alikes: tuple[LookAlike, ...] = ()
    dropped_at: datetime | None = None


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


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """A job was in every scan of the legacy scheduler from the first to the last, with their numbers and times."""

    first_scan: int
    first_at: datetime
    last_scan: int
    last_at: datetime


@dataclass(frozen=True, kw_only=True)
class ProcessCard:
    """``seen``: the scans of the legacy scheduler that had it, newest first; several if it vanished and came back."""

    id: int
    key: str
    namespace: str
    name: str
    description: str = ""
    technology: str | None = None
    team: str | None = None
    owner_email: str | None = None
    trigger_mode: str = "PROCESS"
    created_at: datetime
    updated_at: datetime
    retired_at: datetime | None = None
    seen: tuple[Sighting, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DatasetUse:
    """A dataset that a run named, with the version that it read or wrote, if that was reported."""

    full_name: str
    role: str
    version: str | None = None
    reference: str = ""


@dataclass(frozen=True, kw_only=True)
class ProcessRun:
    """``failed_children``: runs that name this one as their parent and failed, whatever state this run reports."""

    run_uuid: str
    process_key: str
    status: RunState
    start: datetime | None
    end: datetime | None
    attempt: int = 1
    parent_run_uuid: str | None = None
    nominal_start: datetime | None = None
    nominal_end: datetime | None = None
    log_location: str | None = None
    error_message: str | None = None
    historical: bool = False
    failed_children: int = 0
    datasets: tuple[DatasetUse, ...] = ()
    conflicts: tuple[str, ...] = ()
    facets: dict[str, Any] = field(default_factory=dict)

    @property
    def seconds(self) -> float | None:
        return (self.end - self.start).total_seconds() if self.start and self.end else None


@dataclass(frozen=True, kw_only=True)
class ProcessPage:
    process: ProcessCard
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    parents: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    runs: tuple[ProcessRun, ...] = ()
    facets: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SlaState:
    """A dataset with a service level. ``late_seconds`` is 0 or less while met, None if nothing was ever produced."""

    dataset: str
    owner_team: str | None
    window_seconds: int
    last_produced_at: datetime | None
    late_seconds: float | None

    @property
    def met(self) -> bool:
        return self.late_seconds is not None and self.late_seconds <= 0
