"""Derives lifecycle events from an OpenLineage event: a start, an end, and the writes of a run that completed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.model.lifecycle import (
    DatasetWriteCommitted,
    JobRunCompleted,
    JobRunFailed,
    JobRunStarted,
    LifecycleKind,
)
from data_platform.model.lineage import DatasetRole, EventType
from data_platform.model.partition_key import PartitionKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from data_platform.model.lineage import DatasetMention, LineageEvent

Record = tuple[LifecycleKind, JobRunStarted | JobRunCompleted | JobRunFailed | DatasetWriteCommitted]

_FAILED = (EventType.FAIL, EventType.ABORT)
_OWN = "dataPlatform_run"


def lifecycle_of(
    event: LineageEvent, document: Mapping[str, Any], *, job: str | None, started_at: datetime | None
) -> Iterator[Record]:
    """``document`` is the event as it was sent; ``started_at`` is the start of its run, if it is known."""
    if event.type is EventType.START:
        yield LifecycleKind.JOB_RUN_STARTED, _started(event, job)
    elif event.type is EventType.COMPLETE:
        yield LifecycleKind.JOB_RUN_COMPLETED, _completed(event, document, started_at)
    elif event.type in _FAILED:
        yield LifecycleKind.JOB_RUN_FAILED, _failed(event)
    if event.type in (EventType.COMPLETE, EventType.DATASET):
        documents = [*_listed(document, "outputs"), _mapping(document.get("dataset"))]
        by_name = {(one.get("namespace"), one.get("name")): one for one in documents}
        outputs = [one for one in event.datasets if one.role is DatasetRole.OUTPUT]
        for mention in outputs:
            found = by_name.get((mention.name.namespace, mention.name.name), {})
            yield LifecycleKind.DATASET_WRITE_COMMITTED, _committed(event, mention, found)


def _started(event: LineageEvent, job: str | None) -> JobRunStarted:
    code = _mapping(event.job_facets.get("sourceCodeLocation"))
    revision = code.get("version") or code.get("tag")
    return JobRunStarted(
        producer_urn=f"urn:job:{job or ''}",
        run_id=event.run_uuid or "",
        scheduled_time=event.nominal_start,
        code_ref=revision if isinstance(revision, str) else None,
    )


def _completed(event: LineageEvent, document: Mapping[str, Any], started_at: datetime | None) -> JobRunCompleted:
    own = _mapping(event.run_facets.get(_OWN))
    read = _statistics(_listed(document, "inputs"), "inputFacets", "inputStatistics", "rowCount")
    written = [one.row_count for one in event.datasets if one.role is DatasetRole.OUTPUT and one.row_count is not None]
    return JobRunCompleted(
        duration=(event.time - started_at).total_seconds() if started_at and started_at <= event.time else None,
        rows_read=_number(own.get("rowsRead")) if own else read,
        rows_written=_number(own.get("rowsAccepted")) if own else sum(written) if written else None,
        resource_summary=_resources(event, document),
    )


def _resources(event: LineageEvent, document: Mapping[str, Any]) -> dict[str, Any] | None:
    engine = _mapping(event.run_facets.get("processing_engine"))
    written = [
        one.byte_count for one in event.datasets if one.role is DatasetRole.OUTPUT and one.byte_count is not None
    ]
    summary = {
        "engine": engine.get("name"),
        "engine_version": engine.get("version"),
        "bytes_read": _statistics(_listed(document, "inputs"), "inputFacets", "inputStatistics", "size"),
        "bytes_written": sum(written) if written else None,
    }
    found = {name: value for name, value in summary.items() if isinstance(value, (str, int))}
    return found or None


def _failed(event: LineageEvent) -> JobRunFailed:
    trace = _mapping(event.run_facets.get("errorMessage")).get("stackTrace")
    missing = "aborted" if event.type is EventType.ABORT else "no reason was reported"
    return JobRunFailed(
        failure_reason=event.error_message or missing,
        retry_count=event.attempt - 1,
        stack_trace=trace if isinstance(trace, str) and trace else None,
    )


def _committed(event: LineageEvent, mention: DatasetMention, found: Mapping[str, Any]) -> DatasetWriteCommitted:
    return DatasetWriteCommitted(
        dataset_urn=f"{mention.name.namespace.rstrip('/')}/{mention.name.name.lstrip('/')}",
        commit_version=mention.version_tag,
        rows_written=mention.row_count,
        files_added=_statistics([found], "outputFacets", "outputStatistics", "fileCount"),
        partition_key=PartitionKey.of_nominal_start(event.nominal_start, "UTC") if event.nominal_start else None,
    )


def _statistics(datasets: Iterable[Mapping[str, Any]], group: str, facet: str, name: str) -> int | None:
    """The sum over the datasets; None if none of them has it. Some producers put the facet among the common ones."""
    facets = [
        _mapping(_mapping(one.get(group)).get(facet)) or _mapping(_mapping(one.get("facets")).get(facet))
        for one in datasets
    ]
    numbers = [number for one in facets if (number := _number(one.get(name))) is not None]
    return sum(numbers) if numbers else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _listed(document: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    listed = document.get(key)
    return [_mapping(one) for one in listed] if isinstance(listed, list) else []
