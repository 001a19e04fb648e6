"""What a producer reports about a run: values read from one OpenLineage event, whoever sent it.

Nothing here is checked against a catalog. Names are as the producer wrote them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


NAME_BYTES = 2000
"""The limit of a full name or a process key, in UTF-8 bytes: indexes of PostgreSQL and DB2 accept it easily."""


class RunState(StrEnum):
    """NEW: only named so far; the last three are final."""

    NEW = "NEW"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    ABORTED = "ABORTED"

    @property
    def ended(self) -> bool:
        return self in (RunState.COMPLETED, RunState.FAILED, RunState.ABORTED)


class EventType(StrEnum):
    """OpenLineage's run states; OTHER also if an event names none. JOB and DATASET are events without a run."""

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
    """PRODUCES is from process to dataset, CONSUMES from dataset to process, both in the direction of the data.

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
"""State changes without data: they make no version and no arrival, and trigger nothing."""


class LinkKind(StrEnum):
    """How two names belong to one dataset: at the same time, or one after the other."""

    SYMLINK = "SYMLINK"
    RENAME = "RENAME"


class DatasetRole(StrEnum):
    INPUT = "INPUT"
    OUTPUT = "OUTPUT"


@dataclass(frozen=True, order=True)
class Name:
    """The name of a job or a dataset: its namespace, and its name within it.

    A dataset is identified by the pair, exactly as written: case, slashes and empty parts count. ``full`` is the joined
    text that people read; two datasets may share it (``s3://a/b`` + ``c`` and ``s3://a`` + ``b/c``). ``reference`` is a
    text that is unique to this pair.
    """

    namespace: str
    name: str

    @property
    def full(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def reference(self) -> str:
        """``full`` if that text splits back into this pair; else ``pair:`` with each slash of a part as ``~1``."""
        if Name.split(self.full) == self:
            return self.full
        return f"{_PAIR}{_escaped(self.namespace)}/{_escaped(self.name)}"

    @classmethod
    def split(cls, full: str) -> Name | None:
        """The pair that ``full`` means by OpenLineage's naming: the namespace is ``scheme://authority``, or else the
        text before the first slash; it is ``file`` for an absolute path. None if the text has no such form."""
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
    """Escapes as in a JSON Pointer (RFC 6901): the result has no slash, and needs no escape in a URL's path."""
    return part.replace("~", "~0").replace("/", "~1")


def _unescaped(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")


@dataclass(frozen=True, kw_only=True)
class SchemaField:
    """A column; a field of a struct is named by its path, ``address.street``."""

    name: str
    type: str = ""
    nullable: bool = True
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, order=True)
class ColumnLink:
    """The ``source`` column of another dataset is an input of the ``target`` column of the dataset that reports it.

    An empty ``target_column`` is the whole dataset: each of its columns depends on the source.
    """

    source: Name
    source_column: str
    target_column: str
    transformation: str = ""


@dataclass(frozen=True, kw_only=True)
class Assertion:
    """A check that the producer made on a dataset; ``success`` and ``severity`` are independent."""

    name: str
    success: bool
    severity: str = "error"
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class DatasetMention:
    """A dataset as one event names it. None means: not reported.

    ``symlinks`` are its other names, ``renamed_from`` is its earlier one. ``state_change`` is a change to the dataset
    as a whole, in OpenLineage's terms: CREATE, OVERWRITE, RENAME, ALTER, TRUNCATE or DROP.
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
    """``digest`` covers the event's content: equal events have the same digest, however their JSON is formatted.

    ``payload`` is the JSON text; ``warnings`` are defects that were not serious enough to refuse the event.
    ``deploy_ref`` names the code that ran, as its deployment does.
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
    deploy_ref: str | None = None
    technology: str | None = None
    job_description: str = ""
    job_team: str | None = None
    job_email: str | None = None
    run_facets: dict[str, Any] = field(default_factory=dict)
    job_facets: dict[str, Any] = field(default_factory=dict)
    datasets: tuple[DatasetMention, ...] = ()
    historical: bool = False
    warnings: tuple[str, ...] = ()
