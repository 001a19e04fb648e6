"""Lifecycle events have exactly the required fields, whoever reported the run."""

from dataclasses import asdict, fields
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from data_platform.catalog import Catalog
from data_platform.errors import InputError
from data_platform.model.lifecycle import (
    DatasetWriteCommitted,
    JobRunCompleted,
    JobRunFailed,
    JobRunStarted,
    LifecycleEvent,
)
from data_platform.openlineage.event import read_event
from data_platform_tests.catalog.example import NOW, later
from data_platform_tests.catalog.query_plan import plan_of_query
from data_platform_tests.catalog.template import new_catalog

RUN = "0195f6a0-0000-7000-8000-000000000001"
TOTALS, RAW = "ds://sales/totals", "ds://sales/raw"


def facet(**content: Any) -> dict[str, Any]:
    return {"_producer": "https://example.com", "_schemaURL": "https://example.com/schema", **content}


def dataset(urn: str, **parts: Any) -> dict[str, Any]:
    namespace, _, name = urn.rpartition("/")
    return {"namespace": namespace, "name": name, **parts}


def report(catalog: Catalog, kind: str, at: datetime, *, run: str = RUN, job: str = "totals", **parts: Any) -> None:
    document = {
        "eventType": kind, "eventTime": at.isoformat(), "producer": "https://example.com",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run, "facets": parts.pop("run_facets", {})},
        "job": {"namespace": "SPARK", "name": job, "facets": parts.pop("job_facets", {})}, **parts,
    }  # fmt: skip
    catalog.events.ingest([read_event(document)], now=at)


def complete(catalog: Catalog, at: datetime, *, run: str = RUN, job: str = "totals") -> None:
    statistics = facet(rowCount=7, size=900, fileCount=2)
    report(
        catalog, "COMPLETE", at, run=run, job=job,
        run_facets={"nominalTime": facet(nominalStartTime="2026-02-14T00:00:00Z"),
                    "processing_engine": facet(name="spark", version="4.0")},
        inputs=[dataset(RAW, inputFacets={"inputStatistics": facet(rowCount=9, size=1000)}), dataset("ds://sales/x")],
        outputs=[dataset(TOTALS, facets={"version": facet(datasetVersion="12")},
                         outputFacets={"outputStatistics": statistics})],
    )  # fmt: skip


def listed(catalog: Catalog, urn: str | None = None, **page: Any) -> list[LifecycleEvent]:
    return list(catalog.events.lifecycle(urn, **page).items)


def test_the_fields_are_exactly_those_that_are_required() -> None:
    assert [tuple(field.name for field in fields(kind)) for kind in (
        JobRunStarted, JobRunCompleted, JobRunFailed, DatasetWriteCommitted
    )] == [
        ("producer_urn", "run_id", "scheduled_time", "code_ref"),
        ("duration", "rows_read", "rows_written", "resource_summary"),
        ("failure_reason", "retry_count", "stack_trace"),
        ("dataset_urn", "commit_version", "rows_written", "files_added", "partition_key"),
    ]  # fmt: skip


def test_a_run_that_completed_has_a_start_an_end_and_its_writes(catalog: Catalog) -> None:
    report(
        catalog, "START", NOW, job_facets={"sourceCodeLocation": facet(type="git", url="x", version="3f2a9c1")},
        run_facets={"nominalTime": facet(nominalStartTime="2026-02-14T00:00:00Z")},
    )  # fmt: skip
    complete(catalog, later(5))

    written, completed, started = listed(catalog)

    assert asdict(started.record) == {
        "producer_urn": "urn:job:SPARK/totals", "run_id": RUN,
        "scheduled_time": datetime.fromisoformat("2026-02-14T00:00:00Z"), "code_ref": "3f2a9c1",
    }  # fmt: skip
    assert asdict(completed.record) == {
        "duration": timedelta(minutes=5).total_seconds(), "rows_read": 9, "rows_written": 7,
        "resource_summary": {"engine": "spark", "engine_version": "4.0", "bytes_read": 1000, "bytes_written": 900},
    }  # fmt: skip
    assert asdict(written.record) == {
        "dataset_urn": TOTALS, "commit_version": "12", "rows_written": 7, "files_added": 2,
        "partition_key": "2026-02-14",
    }  # fmt: skip
    assert {(one.job, one.run_id) for one in (started, completed, written)} == {("SPARK/totals", RUN)}
    assert [one.event.value for one in (started, completed, written)] == [
        "JobRunStarted", "JobRunCompleted", "DatasetWriteCommitted",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "facets", "record"),
    [
        pytest.param(
            "FAIL",
            {"errorMessage": facet(message="the disk is full", programmingLanguage="JAVA", stackTrace="at Main.java:1"),
             "attempt": facet(attempt=3)},
            JobRunFailed(failure_reason="the disk is full", retry_count=2, stack_trace="at Main.java:1"),
            id="with all that can be reported",
        ),
        pytest.param(
            "FAIL", {}, JobRunFailed(failure_reason="no reason was reported", retry_count=0, stack_trace=None),
            id="without facets",
        ),
        pytest.param("ABORT", {}, JobRunFailed(failure_reason="aborted", retry_count=0, stack_trace=None), id="abort"),
    ],
)  # fmt: skip
def test_a_run_that_failed(catalog: Catalog, kind: str, facets: dict[str, Any], record: JobRunFailed) -> None:
    report(catalog, kind, NOW, run_facets=facets, outputs=[dataset(TOTALS)])

    [failed] = listed(catalog)

    assert failed.record == record


def test_what_was_not_reported_is_none(catalog: Catalog) -> None:
    report(catalog, "COMPLETE", NOW, outputs=[dataset(TOTALS)])

    written, completed = listed(catalog)

    assert set(asdict(completed.record).values()) == {None}
    assert asdict(written.record) == {
        "dataset_urn": TOTALS, "commit_version": None, "rows_written": None, "files_added": None, "partition_key": None,
    }  # fmt: skip


def test_the_events_of_a_dataset_are_those_of_what_writes_it(catalog: Catalog) -> None:
    complete(catalog, NOW)
    report(catalog, "COMPLETE", later(1), run=str(uuid4()), job="reader", inputs=[dataset(TOTALS)])
    report(catalog, "FAIL", later(2), run=str(uuid4()))  # of its job, without a word on datasets

    kinds = [(one.event.value, one.job) for one in listed(catalog, TOTALS)]

    assert kinds == [
        ("JobRunFailed", "SPARK/totals"), ("DatasetWriteCommitted", "SPARK/totals"),
        ("JobRunCompleted", "SPARK/totals"),
    ]  # fmt: skip
    assert listed(catalog, "ds://sales/tot") == []


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 100])
def test_pages_have_each_event_once(catalog: Catalog, size: int) -> None:
    for number in range(3):
        complete(catalog, later(number), run=str(uuid4()))

    cursor, pages = None, []
    while True:
        page = catalog.events.lifecycle(cursor=cursor, limit=size)
        pages.append(list(page.items))
        cursor = page.cursor
        if cursor is None:
            break

    assert [event for page in pages for event in page] == listed(catalog)
    assert all(len(page) == size for page in pages[:-1])
    assert len(listed(catalog)) == 6


def test_a_cursor_of_another_listing_is_refused(catalog: Catalog) -> None:
    with pytest.raises(InputError, match="cursor"):
        catalog.events.lifecycle(cursor="nonsense")


def test_the_events_of_a_dataset_are_read_by_their_indexes(tmp_path: Path) -> None:
    with new_catalog(tmp_path / "catalog.db") as catalog:
        for job in ("totals", "sums"):
            complete(catalog, NOW, run=str(uuid4()), job=job)
        plan = plan_of_query(catalog, lambda: catalog.events.lifecycle(TOTALS))

    reads = [step for step in plan if "run_event" in step]
    assert [step.rpartition("INDEX ")[2] for step in reads] == [
        "run_event_by_process (process_key=?)",
        "run_event_by_process (process_key=?)",
        "run_event_by_run (run_uuid=?)",
        "run_event_by_dataset",
    ]
