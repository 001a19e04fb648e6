"""What a producer says of a run: values read from one OpenLineage event, whoever sent it.

Nothing here is checked against a catalog. Names are as the producer gave them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


class RunState(StrEnum):
    """NEW: only named so far; the last three are ends."""

    NEW = "NEW"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    ABORTED = "ABORTED"

    @property
    def ended(self) -> bool:
        return self in (RunState.COMPLETED, RunState.FAILED, RunState.ABORTED)


class EventType(StrEnum):
    """OpenLineage's run states; OTHER also where an event names none. JOB and DATASET are events without a run."""

    START = "START"
    RUNNING = "RUNNING"
    COMPLETE = "COMPLETE"
    ABORT = "ABORT"
    FAIL = "FAIL"
    OTHER = "OTHER"
    JOB = "JOB"
    DATASET = "DATASET"

    @property
    def state(self) -> RunState:
        return _STATES.get(self, RunState.NEW)


_STATES = {
    EventType.START: RunState.RUNNING,
    EventType.RUNNING: RunState.RUNNING,
    EventType.COMPLETE: RunState.COMPLETED,
    EventType.ABORT: RunState.ABORTED,
    EventType.FAIL: RunState.FAILED,
}


class NodeType(StrEnum):
    PROCESS = "PROCESS"
    DATASET = "DATASET"


class EdgeRole(StrEnum):
    """PRODUCES leads from process to dataset, CONSUMES from dataset to process, both the way that data flows.

    DERIVES is dataset to dataset; TRIGGERS and CONTAINS (a box and its jobs, a process and its steps) are process to
    process.
    """

    PRODUCES = "PRODUCES"
    CONSUMES = "CONSUMES"
    DERIVES = "DERIVES"
    TRIGGERS = "TRIGGERS"
    CONTAINS = "CONTAINS"


class DatasetRole(StrEnum):
    INPUT = "INPUT"
    OUTPUT = "OUTPUT"


@dataclass(frozen=True, order=True)
class Name:
    """Of a job or a dataset: its namespace and its name there. ``full`` is the key that the catalog keeps."""

    namespace: str
    name: str

    @property
    def full(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class SchemaField:
    """A column; one within a struct is named by its path, ``address.street``."""

    name: str
    type: str = ""
    nullable: bool = True
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, order=True)
class ColumnLink:
    """``source`` column of another dataset goes into ``target`` column of the one that says so."""

    source: Name
    source_column: str
    target_column: str
    transformation: str = ""


@dataclass(frozen=True, kw_only=True)
class Assertion:
    """A check that the producer made on a dataset; ``success`` and ``severity`` are two things."""

    name: str
    success: bool
    severity: str = "error"
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class DatasetMention:
    """A dataset as one event names it. None means: not said."""

    name: Name
    role: DatasetRole
    schema: tuple[SchemaField, ...] | None = None
    schema_hash: str | None = None
    version_tag: str | None = None
    row_count: int | None = None
    byte_count: int | None = None
    path: str | None = None
    column_links: tuple[ColumnLink, ...] = ()
    links_digest: str | None = None
    assertions: tuple[Assertion, ...] = ()
    description: str = ""
    owner_team: str | None = None
    owner_email: str | None = None
    format: str | None = None
    certified_at: datetime | None = None
    facets: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LineageEvent:
    """``digest`` is over the event's content: the same event has the same, however its JSON was laid out.

    ``payload`` is the JSON text; ``warnings`` say what was wrong with it and did not matter enough to refuse it.
    """

    type: EventType
    time: datetime
    producer: str
    digest: str
    payload: str
    run_uuid: str | None = None
    job: Name | None = None
    parent_run_uuid: str | None = None
    parent_job: Name | None = None
    nominal_start: datetime | None = None
    nominal_end: datetime | None = None
    attempt: int = 1
    error_message: str | None = None
    log_location: str | None = None
    technology: str | None = None
    job_description: str = ""
    job_team: str | None = None
    job_email: str | None = None
    run_facets: dict[str, Any] = field(default_factory=dict)
    job_facets: dict[str, Any] = field(default_factory=dict)
    datasets: tuple[DatasetMention, ...] = ()
    historical: bool = False
    warnings: tuple[str, ...] = ()
