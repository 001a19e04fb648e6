"""What the catalog shows about a process and its runs. Times are aware, in UTC."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.lineage import RunState


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
class LastRun:
    """The newest run of a process."""

    run_uuid: str
    status: RunState
    start: datetime | None = None
    end: datetime | None = None


class ListedProcess(NamedTuple):
    """A process of the catalog with how its newest run ended; ``status`` is None if it never ran.

    It is a tuple, since a list has thousands.
    """

    id: int
    key: str
    description: str
    technology: str | None
    team: str | None
    trigger_mode: str
    status: RunState | None
    is_retired: bool


@dataclass(frozen=True, kw_only=True)
class RunChange:
    """An event of a run: its type in OpenLineage's terms, when it happened and when it was received."""

    type: str
    at: datetime
    received_at: datetime


@dataclass(frozen=True, kw_only=True)
class RunRelations:
    """Other runs around one. ``attempts`` are runs of the same process for the same nominal time, the run itself too.

    ``total_children`` counts all; ``children`` are the first that began.
    """

    changes: tuple[RunChange, ...]
    children: tuple[ProcessRun, ...]
    total_children: int
    attempts: tuple[ProcessRun, ...]
    parent: ProcessRun | None


@dataclass(frozen=True, kw_only=True)
class ProcessPage:
    process: ProcessCard
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    parents: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    runs: tuple[ProcessRun, ...] = ()
    facets: dict[str, Any] = field(default_factory=dict)
