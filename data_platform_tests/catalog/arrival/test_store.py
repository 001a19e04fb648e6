"""A version has arrived once its run has completed, once, in any order of its events."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from data_platform.catalog import Catalog
from data_platform.model.arrival import REPORT_FACET, ArrivedAgain, ArrivedVersion
from data_platform.openlineage.event import read_event
from data_platform_tests.catalog.arrival.example import REPORT, WAITING
from data_platform_tests.catalog.lineage.example import NOW, RUN, dataset, event, run_id, send

OUT = "s3://lake/out"
START = event("START", minute=0, outputs=[dataset("out")])
TOLD = event("OTHER", minute=1, outputs=[dataset("out", version={"datasetVersion": "v7"})])
END = event("COMPLETE", minute=2)


def arrived(catalog: Catalog, after: int = 0) -> tuple[ArrivedVersion, ...]:
    return catalog.arrivals.versions([number for number, _ in catalog.arrivals.names(after)])


def tags(catalog: Catalog, after: int = 0) -> list[str]:
    return [version.tag for version in arrived(catalog, after) if not version.gone]


def test_a_version_waits_for_its_run_to_complete(catalog: Catalog) -> None:
    send(catalog, START, TOLD)
    before = tags(catalog)

    send(catalog, END, END, event("RUNNING", minute=1.5))

    (version,) = arrived(catalog)
    assert before == []
    assert (version.urn, version.tag, version.run_uuid, version.process) == (OUT, "v7", RUN, "etl/load")
    assert version.arrived_at == NOW


@pytest.mark.parametrize("order", list(permutations([START, TOLD, END])))
def test_any_order_of_events_ends_with_the_same_version(catalog: Catalog, order: tuple[dict[str, object], ...]) -> None:
    send(catalog, *order)

    assert tags(catalog) == ["v7"]


@pytest.mark.parametrize("end", ["FAIL", "ABORT", "RUNNING"])
def test_a_run_that_did_not_complete_brings_nothing(catalog: Catalog, end: str) -> None:
    send(catalog, START, TOLD, event(end, minute=2))

    assert arrived(catalog) == ()


def test_history_brings_nothing(catalog: Catalog) -> None:
    alone = {"eventTime": NOW.isoformat(), "producer": "https://example.net/p", "schemaURL": "https://example.net/s"}
    send(catalog, START, TOLD, END, historical=True)
    send(catalog, {**alone, "dataset": dataset("out", version={"datasetVersion": "v8"})}, historical=True)

    assert arrived(catalog) == ()


def test_a_dataset_s_own_event_brings_the_version_that_it_names(catalog: Catalog) -> None:
    alone = {"eventTime": NOW.isoformat(), "producer": "https://example.net/p", "schemaURL": "https://example.net/s"}
    send(catalog, {**alone, "dataset": dataset("out", version={"datasetVersion": "v8"})})
    send(catalog, {**alone, "dataset": dataset("out")})

    (version,) = arrived(catalog)
    assert (version.tag, version.run_uuid, version.process) == ("v8", None, None)


def test_a_tag_that_is_reported_late_renames_the_untagged_arrival(catalog: Catalog) -> None:
    send(catalog, START, END)
    (first,) = arrived(catalog)

    send(catalog, TOLD)

    (after,) = arrived(catalog)
    assert (first.tag, after.tag, after.number) == (RUN, "v7", first.number)


def test_a_version_of_a_run_that_is_another_job_s_is_gone(catalog: Catalog) -> None:
    send(catalog, START, TOLD, END)

    send(catalog, event("START", minute=-5, job="earlier"))

    assert [version.gone for version in arrived(catalog)] == [True]


def test_what_is_delivered_again_arrives_again(catalog: Catalog) -> None:
    """A, then B, then A: the last is news, though its content is not."""

    def deliver(tag: str, occasion: int) -> None:
        told = event("COMPLETE", run=run_id(len(tag)), outputs=[dataset("out", version={"datasetVersion": tag})])
        again = ArrivedAgain(urn=OUT, tag=tag, occasion=occasion)
        catalog.arrivals.take_markers([], [read_event(told)], [again], now=NOW)

    deliver("A", 1)
    deliver("BB", 2)
    deliver("A", 3)
    deliver("A", 3)

    assert tags(catalog) == ["A", "BB", "A"]


def test_a_reader_that_keeps_the_last_number_misses_none(catalog: Catalog) -> None:
    for number in range(1, 4):
        tagged = dataset("out", version={"datasetVersion": f"v{number}"})
        send(catalog, event("COMPLETE", run=run_id(number), outputs=[tagged]))
    (first, urn), (second, _) = catalog.arrivals.names(0, limit=2)

    assert tags(catalog, second) == ["v3"]
    assert ([one.tag for one in catalog.arrivals.versions([first])], urn) == (["v1"], OUT)


def test_what_was_reported_beside_it_comes_with_it(catalog: Catalog) -> None:
    said = {"partition": "2026-02-14", "metadata": {"rows": 20, "ratio": 0.5, "ok": True, "extra": {"a": [1, 2]}}}
    output = dataset("out", version={"datasetVersion": "v1"}, **{REPORT_FACET: {"_producer": "x", **said}})
    send(catalog, event("COMPLETE", outputs=[{**output, "outputFacets": {"outputStatistics": {"rowCount": 20}}}]))

    (version,) = arrived(catalog)

    assert {key: version.report[key] for key in said} == said
    assert version.row_count == 20


def test_a_run_that_named_no_version_is_found_by_its_process_and_output(catalog: Catalog) -> None:
    send(catalog, START, END, event("COMPLETE", run=run_id(2), minute=5, job="other", outputs=[dataset("out")]))
    tagged = dataset("out", version={"datasetVersion": "v7"})
    send(catalog, event("COMPLETE", run=run_id(3), minute=9, outputs=[tagged]))

    early = datetime(2026, 2, 15, tzinfo=UTC)
    assert catalog.arrivals.untagged_run(OUT, "etl/load", since=early) == RUN
    assert catalog.arrivals.untagged_run(OUT, "etl/load", since=early + timedelta(days=1)) is None
    assert catalog.arrivals.untagged_run("s3://lake/else", "etl/load", since=early) is None


def test_a_marker_is_what_was_seen_last(catalog: Catalog) -> None:
    catalog.arrivals.take_markers([WAITING], [], now=NOW)
    whole = replace(WAITING, stamp="b", waits_for="", delivery_id="d1", deliveries=1)
    catalog.arrivals.take_markers([whole], [], now=NOW)

    assert catalog.arrivals.markers() == (whole,)
    assert catalog.arrivals.markers("ds://legacy/other") == ()


def test_a_report_is_kept_once(catalog: Catalog) -> None:
    assert [catalog.arrivals.add_report(REPORT), catalog.arrivals.add_report(REPORT)] == [True, False]
    (kept,) = catalog.arrivals.reports(0)
    assert replace(kept, number=0) == REPORT
    assert catalog.arrivals.reports(kept.number) == ()
