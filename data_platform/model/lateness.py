"""A partition that is late, and the cause. Source of the causes: FR-2, with two that say which gate or which input."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from data_platform.model.legacy_start import last_start
from data_platform.model.scheduler_state import SchedulerState

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.dataset import Stage
    from data_platform.model.group_waiting import Waiting
    from data_platform.model.legacy import LegacySchedule
    from data_platform.model.lineage import RunState
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.source import Arrival
    from data_platform.model.verdict import Outcome


class LateCause(StrEnum):
    """``JOB_RUNNING_SLOW`` is a warning, since the data may still come by itself; all others are critical."""

    JOB_NOT_TRIGGERED = "JOB_NOT_TRIGGERED"
    JOB_FAILED = "JOB_FAILED"
    JOB_RUNNING_SLOW = "JOB_RUNNING_SLOW"
    PARTIAL_WRITE = "PARTIAL_WRITE"
    HELD_BY_GATE = "HELD_BY_GATE"
    UPSTREAM_LATE = "UPSTREAM_LATE"

    @property
    def severity(self) -> str:
        return "WARNING" if self is LateCause.JOB_RUNNING_SLOW else "CRITICAL"


@dataclass(frozen=True, kw_only=True)
class LatePartition:
    """``due`` is the deadline, ``late_since`` the end of its grace, both in UTC. ``partition`` is None if it has none.

    ``watermark`` is the newest partition that is certified, or that arrived of an external dataset. ``upstream`` leads
    from the input that is late to the first one in the chain, each as ``ds://zone/name``; empty for other causes.
    ``without`` are the declared parts that are missing of a partition that is certified. ``marker`` is the completion
    marker that never came, of the first dataset in the chain; empty if nobody watched for it.
    """

    dataset: str
    partition: PartitionKey | None
    owner_team: str
    tier: str
    due: datetime
    late_since: datetime
    watermark: PartitionKey | None
    cause: LateCause
    reason: str
    upstream: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    marker: str = ""

    @property
    def severity(self) -> str:
        return self.cause.severity


@dataclass(frozen=True, kw_only=True)
class StageEnd:
    """The last result of a stage for a partition."""

    stage: Stage
    outcome: Outcome
    finished_at: datetime
    reason: str


@dataclass(frozen=True, kw_only=True)
class StageBegin:
    """A stage that writes now. ``usual_seconds`` is the 95th percentile of earlier runs, None if there are too few.

    ``is_alive`` is False if the run has lost its lease, so it is dead. ``stage`` is None for a job of others.
    """

    stage: Stage | None
    run_id: str
    started_at: datetime
    usual_seconds: float | None
    is_alive: bool


@dataclass(frozen=True, kw_only=True)
class JobRun:
    """A run of a job that failed or has not ended. ``process`` is its key, ``seen_at`` its end or last event."""

    process: str
    state: RunState
    started_at: datetime
    seen_at: datetime
    nominal_start: datetime | None
    error: str


@dataclass(frozen=True, kw_only=True)
class LegacyJob:
    """``schedule`` is that of the last scan, ``last_started`` the start of its newest run; None: none is known."""

    process: str
    schedule: LegacySchedule | None
    last_started: datetime | None

    @property
    def starts(self) -> str:
        return self.schedule.starts if self.schedule else ""

    def last_scheduled(self, before: datetime) -> datetime | None:
        """The last start by its schedule before a time, in UTC; None if only its scheduler knows."""
        return last_start(self.schedule, before) if self.schedule else None


@dataclass(frozen=True, kw_only=True)
class SliceFacts:
    """What the catalog knows of one partition of a dataset. ``failed_at`` is the newest error of a stage's job.

    ``in_group`` is a version that passed, and waits for the other members of its publish group. ``without`` are the
    declared parts of which the certified version has no rows.
    """

    last: StageEnd | None = None
    running: StageBegin | None = None
    failed_at: datetime | None = None
    failure: str = ""
    waits_for: str = ""
    in_group: Waiting | None = None
    without: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Progress:
    """``present`` maps a dataset to its partitions that are certified, or that arrived of an external one.

    A partition that is certified without one of its declared parts is not there. ``legacy`` maps an external dataset
    to the job that makes it. ``arrivals`` are the datasets whose deliveries have a completion marker, and ``delivered``
    the partitions of which it was seen, with a complete delivery.
    """

    present: dict[str, frozenset[PartitionKey]] = field(default_factory=dict)
    scheduler: SchedulerState = field(default_factory=SchedulerState)
    legacy: dict[str, LegacyJob] = field(default_factory=dict)
    slices: dict[tuple[str, PartitionKey], SliceFacts] = field(default_factory=dict)
    arrivals: dict[str, Arrival] = field(default_factory=dict)
    delivered: frozenset[tuple[str, PartitionKey | None]] = frozenset()

    def has(self, urn: str, partition: PartitionKey) -> bool:
        return partition in self.present.get(urn, ())

    def watermark(self, urn: str) -> PartitionKey | None:
        return max(self.present.get(urn, ()), default=None)
