"""Lifecycle events of jobs and of writes, with exactly the fields that requirement FR-1 names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey


class LifecycleKind(StrEnum):
    JOB_RUN_STARTED = "JobRunStarted"
    JOB_RUN_COMPLETED = "JobRunCompleted"
    JOB_RUN_FAILED = "JobRunFailed"
    DATASET_WRITE_COMMITTED = "DatasetWriteCommitted"


@dataclass(frozen=True, kw_only=True)
class JobRunStarted:
    """``producer_urn`` is ``urn:job:`` and the key of the job's process. ``code_ref`` is the revision of its code."""

    producer_urn: str
    run_id: str
    scheduled_time: datetime | None
    code_ref: str | None


@dataclass(frozen=True, kw_only=True)
class JobRunCompleted:
    """``duration`` is in seconds, None if the start was not reported. ``resource_summary`` is what was reported."""

    duration: float | None
    rows_read: int | None
    rows_written: int | None
    resource_summary: Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class JobRunFailed:
    """``retry_count`` is 0 for the first attempt."""

    failure_reason: str
    retry_count: int
    stack_trace: str | None


@dataclass(frozen=True, kw_only=True)
class DatasetWriteCommitted:
    """``dataset_urn`` names the table of a stage as ``ds://zone/name/stage``, and a file by its namespace and path."""

    dataset_urn: str
    commit_version: str | None
    rows_written: int | None
    files_added: int | None
    partition_key: PartitionKey | None


@dataclass(frozen=True, kw_only=True)
class LifecycleEvent:
    """One event with what it belongs to. ``run_id`` and ``job`` are None if a dataset was reported without a run.

    ``event_id`` is the number of the stored OpenLineage event from which it is derived.
    """

    event_id: int
    event: LifecycleKind
    time: datetime
    job: str | None
    run_id: str | None
    record: JobRunStarted | JobRunCompleted | JobRunFailed | DatasetWriteCommitted
