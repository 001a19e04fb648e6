"""What a producer says of a run: values read from one OpenLineage event, whoever sent it.

Nothing here is checked against a catalog. Names are as the producer gave them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


NAME_BYTES = 2000
"""Of a full name or a process key, in UTF-8: what PostgreSQL's and DB2's indexes take with room to spare."""


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

    DERIVES is dataset to dataset; so are SYMLINK and RENAME, between two names of one dataset. TRIGGERS and CONTAINS
    (a box and its jobs, a process and its steps) are process to process.
    """

    PRODUCES = "PRODUCES"
    CONSUMES = "CONSUMES"
    DERIVES = "DERIVES"
    TRIGGERS = "TRIGGERS"
    CONTAINS = "CONTAINS"
    SYMLINK = "SYMLINK"
    RENAME = "RENAME"


NO_DELIVERY = frozenset({"DROP", "TRUNCATE", "ALTER"})
"""State changes that bring no data: no version, no arrival, nothing that starts a run."""


class LinkKind(StrEnum):
    """How two names are one dataset: at the same time, or one after the other."""

    SYMLINK = "SYMLINK"
    RENAME = "RENAME"


class DatasetRole(StrEnum):
    INPUT = "INPUT"
    OUTPUT = "OUTPUT"


@dataclass(frozen=True, order=True)
class Name:
    """A job's or a dataset's name: its namespace, and its name there.

    A dataset is identified by the pair, exactly as written: case, slashes and empty parts count. ``full`` is the joined
    text that people read; two datasets may share it (``s3://a/b`` + ``c`` and ``s3://a`` + ``b/c``). ``reference`` is a
    text that only this pair has.
    """

    namespace: str
    name: str

    @property
    def full(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def reference(self) -> str:
        """``full`` where the text splits back into this pair; else ``pair:`` with each slash of a part as ``~1``."""
        if Name.split(self.full) == self:
            return self.full
        return f"{_PAIR}{_escaped(self.namespace)}/{_escaped(self.name)}"

    @classmethod
    def split(cls, full: str) -> Name | None:
        """The pair that ``full`` means by OpenLineage's naming: ``scheme://authority`` is the namespace, or else what
        stands before the first slash; an absolute path is of the namespace ``file``. None if it is no such text."""
        if full.startswith(_PAIR):
            return None
        if full.startswith("/"):
            return cls("file", full)
        scheme, mark, rest = full.partition("://")
        if mark and "/" not in scheme:
            authority, slash, inner = rest.partition("/")
            return cls(f"{scheme}://{authority}", inner) if slash and inner else None
        namespace, slash, inner = full.partition("/")
        return cls(namespace, inner) if slash and inner else None

    @classmethod
    def of_reference(cls, reference: str) -> Name | None:
        """The pair that a ``reference`` names; None if the text cannot be one."""
        if not reference.startswith(_PAIR):
            return cls.split(reference)
        namespace, slash, name = reference.removeprefix(_PAIR).partition("/")
        return cls(_unescaped(namespace), _unescaped(name)) if slash and namespace and name else None


_PAIR = "pair:"


def _escaped(part: str) -> str:
    """As in a JSON Pointer (RFC 6901): what is left has no slash, and needs no escape in a URL's path."""
    return part.replace("~", "~0").replace("/", "~1")


def _unescaped(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")


@dataclass(frozen=True, kw_only=True)
class SchemaField:
    """A column; one within a struct is named by its path, ``address.street``."""

    name: str
    type: str = ""
    nullable: bool = True
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, order=True)
class ColumnLink:
    """``source`` column of another dataset goes into ``target`` column of the one that reports it.

    An empty ``target_column`` is the whole dataset: each of its columns depends on the source.
    """

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
    """A dataset as one event names it. None means: not reported.

    ``symlinks`` are its other names, ``renamed_from`` the one that it had before. ``state_change`` is what was done to
    the dataset as a whole, in OpenLineage's words: CREATE, OVERWRITE, RENAME, ALTER, TRUNCATE or DROP.
    """

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
    symlinks: tuple[Name, ...] | None = None
    renamed_from: Name | None = None
    state_change: str | None = None
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
