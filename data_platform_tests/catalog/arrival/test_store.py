"""A version has arrived when its run has completed, once, in whatever order its events come."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from data_platform.catalog import Catalog
from data_platform.model.arrival import REPORT_FACET, AssetReport, MarkerState, ReportKind
from data_platform_tests.catalog.lineage.example import NOW, RUN, dataset, event, run_id, send

OUT = "s3://lake/out"
START = event("START", minute=0, outputs=[dataset("out")])
TOLD = event("OTHER", minute=1, outputs=[dataset("out", version={"datasetVersion": "v7"})])
END = event("COMPLETE", minute=2)


def tags(catalog: Catalog, after: int = 0) -> list[str]:
    return [arrived.tag for arrived in catalog.arrivals(after) if not arrived.renamed]


def test_a_version_waits_for_its_run_to_complete(catalog: Catalog) -> None:
    send(catalog, START, TOLD)
    before = tags(catalog)

    send(catalog, END, END, event("RUNNING", minute=1.5))

    (arrived,) = catalog.arrivals(0)
    assert before == []
    assert (arrived.urn, arrived.tag, arrived.run_uuid, arrived.process) == (OUT, "v7", RUN, "etl/load")
    assert arrived.arrived_at == NOW


@pytest.mark.parametrize("order", list(permutations([START, TOLD, END])))
def test_any_order_of_events_ends_with_the_same_version(catalog: Catalog, order: tuple[dict[str, object], ...]) -> None:
    send(catalog, *order)

    assert tags(catalog) == ["v7"]


@pytest.mark.parametrize("end", ["FAIL", "ABORT", "RUNNING"])
def test_a_run_that_did_not_complete_brings_nothing(catalog: Catalog, end: str) -> None:
    send(catalog, START, TOLD, event(end, minute=2))

    assert catalog.arrivals(0) == ()


def test_history_brings_nothing(catalog: Catalog) -> None:
    alone = {"eventTime": NOW.isoformat(), "producer": "https://example.net/p", "schemaURL": "https://example.net/s"}
    send(catalog, START, TOLD, END, historical=True)
    send(catalog, {**alone, "dataset": dataset("out", version={"datasetVersion": "v8"})}, historical=True)

    assert catalog.arrivals(0) == ()


def test_a_dataset_s_own_event_brings_the_version_that_it_names(catalog: Catalog) -> None:
    alone = {"eventTime": NOW.isoformat(), "producer": "https://example.net/p", "schemaURL": "https://example.net/s"}
    send(catalog, {**alone, "dataset": dataset("out", version={"datasetVersion": "v8"})})
    send(catalog, {**alone, "dataset": dataset("out")})

    (arrived,) = catalog.arrivals(0)
    assert (arrived.tag, arrived.run_uuid, arrived.process) == ("v8", None, None)


def test_a_tag_that_is_said_late_renames_what_arrived_without_one(catalog: Catalog) -> None:
    send(catalog, START, END)
    (first,) = catalog.arrivals(0)

    send(catalog, TOLD)

    assert (first.tag, first.renamed) == (RUN, False)
    assert [(one.tag, one.renamed) for one in catalog.arrivals(0)] == [(RUN, True), ("v7", False)]


def test_whoever_remembers_the_last_one_misses_none(catalog: Catalog) -> None:
    for number in range(1, 4):
        tagged = dataset("out", version={"datasetVersion": f"v{number}"})
        send(catalog, event("COMPLETE", run=run_id(number), outputs=[tagged]))
    first, second = catalog.arrivals(0, limit=2)

    assert tags(catalog, second.number) == ["v3"]
    assert [one.tag for one in catalog.arrivals_numbered([first.number])] == ["v1"]


def test_what_was_reported_beside_it_comes_with_it(catalog: Catalog) -> None:
    said = {"partition": "2026-02-14", "metadata": {"rows": 20, "ratio": 0.5, "ok": True, "extra": {"a": [1, 2]}}}
    output = dataset("out", version={"datasetVersion": "v1"}, **{REPORT_FACET: {"_producer": "x", **said}})
    send(catalog, event("COMPLETE", outputs=[{**output, "outputFacets": {"outputStatistics": {"rowCount": 20}}}]))

    (arrived,) = catalog.arrivals(0)

    assert {key: arrived.report[key] for key in said} == said
    assert arrived.row_count == 20


def test_a_run_that_named_no_version_is_found_by_its_process_and_output(catalog: Catalog) -> None:
    send(catalog, START, END, event("COMPLETE", run=run_id(2), minute=5, job="other", outputs=[dataset("out")]))
    tagged = dataset("out", version={"datasetVersion": "v7"})
    send(catalog, event("COMPLETE", run=run_id(3), minute=9, outputs=[tagged]))

    early = datetime(2026, 2, 15, tzinfo=UTC)
    assert catalog.untagged_run(OUT, "etl/load", since=early) == RUN
    assert catalog.untagged_run(OUT, "etl/load", since=early + timedelta(days=1)) is None
    assert catalog.untagged_run("s3://lake/else", "etl/load", since=early) is None


def test_a_marker_is_what_was_seen_last(catalog: Catalog) -> None:
    waiting = MarkerState(
        urn="ds://legacy/positions",
        marker="positions/2026-02-14/_SUCCESS",
        partition="2026-02-14",
        stamp="a",
        waits_for="positions.csv",
        delivery_id=None,
        deliveries=0,
        changed_at=NOW,
    )
    catalog.take_markers([waiting], [], now=NOW)
    whole = MarkerState(**{**waiting.__dict__, "stamp": "b", "waits_for": "", "delivery_id": "d1", "deliveries": 1})
    catalog.take_markers([whole], [], now=NOW)

    assert catalog.markers() == (whole,)
    assert catalog.markers("ds://legacy/other") == ()


def test_a_report_is_kept_once(catalog: Catalog) -> None:
    report = AssetReport(
        kind=ReportKind.CHECK,
        urn="ds://legacy/positions",
        partition="2026-02-14",
        digest="d",
        reported_by="night",
        reported_at=NOW,
        check="row_count",
        passed=False,
        severity="ERROR",
        metadata={"n": 0},
    )

    assert [catalog.add_report(report), catalog.add_report(report)] == [True, False]
    (kept,) = catalog.reports(0)
    assert AssetReport(**{**kept.__dict__, "number": 0}) == report
    assert catalog.reports(kept.number) == ()
