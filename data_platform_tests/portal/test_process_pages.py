"""The pages of processes and runs: what failed comes first, and errors, logs and definitions are for producers."""

from dataclasses import replace
from typing import Any

import pytest

from data_platform.model.access import Role
from data_platform.portal.link import process_link, run_link, stage_run_link
from data_platform_tests.catalog.legacy.estate import Estate
from data_platform_tests.catalog.lineage.example import dataset, event, run_id, send
from data_platform_tests.portal.portal_client import PortalClient
from data_platform_tests.portal.shop import ORDERS, TODAY
from data_platform_tests.portal.test_pages import HOSTILE

JIL = """\
insert_job: NIGHT job_type: b
date_conditions: 1
days_of_week: all
start_times: "21:30"
timezone: America/New_York
insert_job: LOAD job_type: c
box_name: NIGHT
command: /opt/load.sh --day today
condition: s(EXTRACT)
machine: host1
"""
LOAD = "AUTOSYS/NIGHT/LOAD"
ERROR = "the disk of host17 is full"


def report(portal: PortalClient, job: str, number: int, kind: str = "COMPLETE", minute: int = 5, **parts: Any) -> None:
    """A run that began ``minute`` minutes before it ended."""
    start = event("START", run=run_id(number), job=job)
    send(portal.catalog, start, {**event(kind, minute=minute, run=run_id(number), job=job), **parts})


def failed(number: int, **facets: Any) -> dict[str, Any]:
    error = {"message": ERROR, "programmingLanguage": "PYTHON"}
    return {"run": {"runId": run_id(number), "facets": {"errorMessage": error, **facets}}}


@pytest.fixture
def jobs(portal: PortalClient) -> PortalClient:
    """Six good runs of ``etl/load`` and a failed one of ``etl/export``."""
    for number in range(1, 7):
        outputs = [dataset("orders", version={"datasetVersion": f"v{number}"})]
        report(portal, "load", number, minute=number, inputs=[dataset("raw")], outputs=outputs)
    report(portal, "export", 9, "FAIL", **failed(9))
    return portal


def test_what_failed_comes_first_with_times_beside_the_usual(jobs: PortalClient) -> None:
    twin = jobs.json("/processes")
    load = next(row for row in twin["rows"] if row["key"] == "etl/load")

    assert [row["key"] for row in twin["rows"]] == ["etl/export", "etl/load"]
    assert twin["states"] == {"FAILED": 1, "COMPLETED": 1}
    assert (load["state"], load["seconds"], load["long_seconds"], load["is_slow"]) == ("COMPLETED", 360.0, 300.0, True)
    assert "longer than usual" in jobs.page("/processes").text


def test_filters_and_words_narrow_the_list_and_keep_each_other(jobs: PortalClient) -> None:
    assert [row["key"] for row in jobs.json("/processes?state=FAILED")["rows"]] == ["etl/export"]
    assert [row["key"] for row in jobs.json("/processes?q=LOAD+etl")["rows"]] == ["etl/load"]
    assert jobs.json("/processes?state=FAILED&q=load")["rows"] == []
    assert jobs.json("/processes?q=100%25")["rows"] == [], "a percent sign is a percent sign"
    page = jobs.page("/processes?q=load&state=COMPLETED").text
    assert 'href="/processes?q=load"' in page, "a filter is removed, and the words stay"
    assert "No process matches" in jobs.page("/processes?team=nobody").text
    assert "No process has these words" in jobs.page("/processes?q=zzz").text


def test_jobs_of_single_stages_are_left_out_until_asked_for(portal: PortalClient) -> None:
    for number, name in enumerate(("shop/orders/gold", "run", "daily/step", "daily")):
        own = event(run=run_id(number))
        send(portal.catalog, {**own, "job": {"namespace": "DATA_PLATFORM", "name": name}})

    assert [row["key"] for row in portal.json("/processes")["rows"]] == ["DATA_PLATFORM/daily"]
    assert portal.json("/processes?internal=true")["total"] == 4


def test_an_empty_list_says_how_processes_come_to_be_known(empty_portal: PortalClient) -> None:
    assert "data-platform legacy scan" in empty_portal.page("/processes").text


def test_a_process_shows_its_data_its_runs_and_how_long_they_take(jobs: PortalClient) -> None:
    twin, page = jobs.json(process_link("etl/load")), jobs.page(process_link("etl/load")).text

    assert (twin["inputs"], twin["outputs"]) == (["s3://lake/raw"], ["s3://lake/orders"])
    assert (twin["usual_seconds"], twin["long_seconds"], len(twin["runs"])) == (180.0, 300.0, 6)
    assert twin["duration"]["series"][0]["numbers"] == [360.0]
    assert f'href="{run_link(run_id(6))}"' in page
    assert 'href="/lineage/etl%2Fload?kind=PROCESS"' in page
    assert jobs.page(process_link("etl/nothing")).status_code == 404


def test_a_legacy_job_shows_its_definition_to_producers(portal: PortalClient) -> None:
    Estate(portal.catalog).apply(JIL)
    page, twin = portal.page(process_link(LOAD)).text, portal.json(process_link(LOAD))

    assert "/opt/load.sh --day today" in page
    assert "s(EXTRACT)" in page
    assert twin["next"] == {"at": "2026-02-16T02:30:00+00:00", "text": "all 21:30 America/New_York"}
    assert "No run of it is reported" in page
    consumer = portal.page(process_link(LOAD), as_=Role.DATA_CONSUMER).text
    assert "/opt/load.sh" not in consumer
    assert "shown to producers" in consumer
    assert portal.json(process_link(LOAD), as_=Role.DATA_CONSUMER)["known"]["facets"] is None


def test_a_run_shows_states_versions_parent_children_and_attempts(portal: PortalClient) -> None:
    day = {"nominalTime": {"nominalStartTime": "2026-02-14T00:00:00Z"}}
    parent = {"parent": {"run": {"runId": run_id(1)}, "job": {"namespace": "etl", "name": "box"}}}
    report(portal, "box", 1)
    report(portal, "load", 2, "FAIL", **failed(2, **day, **parent))
    second = {"run": {"runId": run_id(3), "facets": {**day, **parent}}}
    output = dataset("orders", version={"datasetVersion": "v3"})
    report(portal, "load", 3, outputs=[output], **second)
    box, load = portal.json(run_link(run_id(1))), portal.json(run_link(run_id(3)))

    assert [one["run_uuid"] for one in box["around"]["children"]] == [run_id(2), run_id(3)]
    assert [one["run_uuid"] for one in load["around"]["attempts"]] == [run_id(2), run_id(3)]
    assert load["around"]["parent"]["process_key"] == "etl/box"
    assert [one["type"] for one in load["around"]["changes"]] == ["START", "COMPLETE"]
    page = portal.page(run_link(run_id(3))).text
    assert "version v3" in page
    assert "Attempts at the same work" in page
    assert portal.page(run_link(run_id(77))).status_code == 404


def test_errors_logs_and_facets_of_runs_are_for_producers(jobs: PortalClient) -> None:
    for path in (run_link(run_id(9)), process_link("etl/export")):
        assert ERROR in jobs.page(path, as_=Role.DATA_OWNER).text
        assert ERROR not in jobs.page(path, as_=Role.DATA_CONSUMER).text
        assert ERROR not in str(jobs.json(path, as_=Role.DATA_CONSUMER))
    assert "shown to producers" in jobs.page(run_link(run_id(9)), as_=Role.DATA_CONSUMER).text


@pytest.mark.parametrize(
    ("location", "is_link"), [("https://logs.example.com/7", True), ("javascript:alert(1)", False)]
)
def test_only_a_web_address_of_a_log_is_a_link(portal: PortalClient, location: str, is_link: bool) -> None:
    report(portal, "load", 1, run={"runId": run_id(1), "facets": {"log": {"location": location}}})
    page = portal.page(run_link(run_id(1))).text

    assert location in page
    assert (f'href="{location}"' in page) is is_link
    assert location not in portal.page(run_link(run_id(1)), as_=Role.DATA_CONSUMER).text


def test_a_run_of_dagster_is_linked_where_its_address_is_known(portal: PortalClient) -> None:
    for number, own in enumerate(("0b7d5c3a-1111-4222-8333-944455566677", "../../x?y", 7), 1):
        facets = {"dataPlatform_run": {"runId": "run_1", "dagsterRun": own}}
        report(portal, "load", number, run={"runId": run_id(number), "facets": facets})
    assert portal.json(run_link(run_id(1)))["dagster"] is None
    portal.app.state.portal = replace(portal.app.state.portal, dagster_url="https://dagster.example.com")

    found = [portal.json(run_link(run_id(number)))["dagster"] for number in (1, 2, 3)]

    assert found == ["https://dagster.example.com/runs/0b7d5c3a-1111-4222-8333-944455566677", None, None]


def test_hostile_names_and_facets_are_text(portal: PortalClient) -> None:
    facets = {"dataPlatform_run": "no mapping", "items": {"<b>": HOSTILE}, "own": {"x": [None, 1.5, HOSTILE]}}
    report(portal, HOSTILE, 1, run={"runId": run_id(1), "facets": facets}, outputs=[dataset(HOSTILE)])
    for path in ("/processes", process_link(f"etl/{HOSTILE}"), run_link(run_id(1))):
        page = portal.page(path)
        assert page.status_code == 200, page.text
        assert "<img src=x" not in page.text
        assert "style=" not in page.text


@pytest.mark.parametrize("role", list(Role))
def test_everybody_sees_the_pages(jobs: PortalClient, role: Role) -> None:
    for path in ("/processes", process_link("etl/load"), run_link(run_id(1))):
        assert jobs.page(path, as_=role).status_code == 200
        assert jobs.page(path, as_=None).headers["location"].startswith("/sign-in?next=")


def test_other_pages_link_to_processes_and_runs(jobs: PortalClient) -> None:
    report(jobs, "reader", 20, inputs=[{"namespace": "ds://shop", "name": "orders"}])

    assert 'href="/processes/etl%2Freader"' in jobs.page("/datasets/ds%3A%2F%2Fshop%2Forders").text
    why = jobs.page(f"/why/ds%3A%2F%2Fshop%2Forders?partition={TODAY}").text
    assert f'href="{stage_run_link("run_held", ORDERS, "silver")}"' in why
