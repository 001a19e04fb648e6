"""What the catalog shows about a dataset: its versions, columns, schema changes and other names.

Plain values, ready to be printed or sent. Times are aware, in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_platform.model.schema_impact import SchemaImpact

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.certification import Certification
    from data_platform.model.lineage import RunState
    from data_platform.model.lineage_graph import LookAlike


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
    """``impact`` is what the changes break downstream."""

    before: str
    after: str
    changes: tuple[ColumnChange, ...]
    impact: SchemaImpact = field(default_factory=SchemaImpact)


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
