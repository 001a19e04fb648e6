"""What is answered of datasets, processes and runs; and what of it a consumer does not see."""

from typing import Any

import pytest

from data_platform.model.access import Role
from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.plain_json import plain
from data_platform_tests.api.service_client import NOW, RUN, ServiceClient, event

URN = "ds://sales/orders"
ENCODED = "ds%3A%2F%2Fsales%2Forders"
MAIL, PLACE, SQL = "ann@example.com", "s3://lake/orders", "SELECT secret FROM orders"


def columns(*names: str) -> dict[str, Any]:
    return {"fields": [{"name": name, "type": "string"} for name in names]}


def written(version: str, *names: str) -> list[dict[str, Any]]:
    """The output, with everything that a producer may report about it."""
    links = {
        name: {
            "inputFields": [
                {
                    "namespace": "raw",
                    "name": "orders",
                    "field": name,
                    "transformations": [{"type": "DIRECT", "subtype": SQL}],
                }
            ]
        }
        for name in names
    }
    facets = {
        "schema": columns(*names),
        "version": {"datasetVersion": version},
        "dataSource": {"uri": PLACE},
        "ownership": {"owners": [{"name": "team:sales"}, {"name": MAIL}]},
        "columnLineage": {"fields": links},
        "custom": {"query": SQL},
    }
    return [{"namespace": "ds://sales", "name": "orders", "facets": facets}]


@pytest.fixture
def told(service: ServiceClient) -> ServiceClient:
    """Two versions, the second with another column; a report reads them; and a run that failed."""
    second, failed = "00000000-0000-4000-8000-000000000002", "00000000-0000-4000-8000-000000000003"
    report = {"job": {"namespace": "etl", "name": "report"}, "outputs": [{"namespace": "ds://sales", "name": "report"}]}
    events = [
        event(outputs=written("v1", "id", "total")),
        event(outputs=written("v2", "id", "price"), run={"runId": second}, eventTime="2026-02-15T07:05:00Z"),
        event(
            "FAIL",
            run={
                "runId": failed,
                "facets": {"errorMessage": {"message": f"cannot run {SQL}"}, "custom": {"query": SQL}},
            },
            eventTime="2026-02-15T07:10:00Z",
            inputs=[{"namespace": "ds://sales", "name": "orders"}],
            **report,
        ),
    ]
    assert service.post("/api/v1/lineage/batch", json=events).status_code == 201
    return service


@pytest.mark.parametrize(
    "path", [f"/api/v1/dataset/{ENCODED}", f"/api/v1/dataset/{URN}", "/api/v1/dataset/2", f"/api/v1/dataset?urn={URN}"]
)
def test_a_dataset_is_found_by_urn_name_and_id(told: ServiceClient, path: str) -> None:
    wanted = told.catalog.lineage.dataset(URN).id

    page = told.get(path.replace("/2", f"/{wanted}")).json()

    assert page["dataset"]["full_name"] == URN
    assert page["latest"]["tag"] == "v2"
    assert [column["name"] for column in page["columns"]] == ["id", "price"]


def test_a_dataset_is_found_by_namespace_and_name(told: ServiceClient) -> None:
    found = told.get("/api/v1/dataset", params={"namespace": "ds://sales", "name": "orders"})

    assert found.json()["dataset"]["full_name"] == URN


def test_versions_are_paged_newest_first(told: ServiceClient) -> None:
    first = told.get(f"/api/v1/dataset/{ENCODED}/versions", params={"limit": 1}).json()
    second = told.get(f"/api/v1/dataset/{ENCODED}/versions", params={"limit": 1, "cursor": first["cursor"]}).json()

    assert [item["tag"] for item in first["items"] + second["items"]] == ["v2", "v1"]
    assert second["cursor"] is None


def test_a_schema_and_its_changes_are_returned(told: ServiceClient) -> None:
    schema = told.get(f"/api/v1/dataset/{ENCODED}/schema", params={"version": "v1"}).json()
    diff = told.get(f"/api/v1/dataset/{ENCODED}/schema", params={"diff_from": "v1"}).json()

    assert [column["name"] for column in schema["columns"]] == ["id", "total"]
    assert {(change["kind"], change["column"]) for change in diff["changes"]} == {
        ("REMOVED", "total"),
        ("ADDED", "price"),
    }


def test_the_graph_around_a_dataset_has_both_sides(told: ServiceClient) -> None:
    graph = told.get(f"/api/v1/dataset/{ENCODED}/lineage", params={"direction": "both", "depth": 5}).json()

    names = {node["name"] for node in graph["nodes"]} | {graph["start"]["name"]}
    assert names == {"raw/orders", "etl/load", URN, "etl/report", "ds://sales/report"}


def test_impact_explains_each_hit_by_its_path(told: ServiceClient) -> None:
    page = told.get("/api/v1/dataset/raw/orders/impact", params={"only": "DATASET"}).json()

    assert {hit["node"]["name"]: hit["path"] for hit in page["hits"]["items"]} == {
        URN: ["raw/orders", "etl/load", URN],
        "ds://sales/report": ["raw/orders", "etl/load", URN, "etl/report", "ds://sales/report"],
    }
    assert page["total"] == 2


def test_impact_of_a_column_is_by_column(told: ServiceClient) -> None:
    hits = told.get("/api/v1/dataset/raw/orders/impact", params={"column": "price"}).json()["hits"]

    assert [(hit["dataset"], hit["column"]) for hit in hits] == [(URN, "price")]


def test_consumers_read_it_directly(told: ServiceClient) -> None:
    assert [node["name"] for node in told.get(f"/api/v1/dataset/{ENCODED}/consumers").json()] == ["etl/report"]


def test_the_last_successful_run_is_no_failed_one(told: ServiceClient) -> None:
    found = told.get(f"/api/v1/dataset/{ENCODED}/last_successful_run")
    none = told.get("/api/v1/dataset/ds://sales/report/last_successful_run")

    assert found.json()["run_uuid"] == "00000000-0000-4000-8000-000000000002"
    assert none.status_code == 404


def test_the_certified_version_is_returned_once_there_is_one(told: ServiceClient) -> None:
    path = f"/api/v1/dataset/{ENCODED}/certified"
    before = told.get(path)
    pointer = Certification(
        dataset_urn=URN, status=CertificationStatus.CERTIFIED, version=7, path=PLACE, certified_at=NOW, run_id="run_1"
    )
    told.catalog.certifications.certify(pointer, expected=None, evidence=[])

    assert before.status_code == 404
    assert (told.get(path).json()["version"], told.get(path).json()["path"]) == (7, PLACE)
    assert told.get(path, as_=Role.DATA_CONSUMER).json()["path"] is None


def test_the_version_at_a_time_and_each_change_are_returned(told: ServiceClient) -> None:
    path = f"/api/v1/dataset/{ENCODED}/certified"
    pointer = Certification(
        dataset_urn=URN, status=CertificationStatus.CERTIFIED, version=7, path=PLACE, certified_at=NOW, run_id="run_1"
    )
    told.catalog.certifications.certify(pointer, expected=None, evidence=[])

    then = told.get(path, params={"as_of": NOW.isoformat()}).json()
    before = told.get(path, params={"as_of": "2013-01-31T18:00:00-05:00"})
    changes = told.get(f"/api/v1/dataset/{ENCODED}/certifications").json()

    assert (then["version"], then["seen_from"]) == (7, NOW.isoformat())
    assert told.get(path, params={"as_of": NOW.isoformat()}, as_=Role.DATA_CONSUMER).json()["path"] is None
    assert (before.status_code, "had no certified version at" in before.json()["detail"]) == (404, True)
    assert [(change["event"], change["version"]) for change in changes["items"]] == [("CERTIFIED", 7)]


def test_why_explains_the_current_or_a_named_version_or_a_day_as_the_command_does(told: ServiceClient) -> None:
    path = f"/api/v1/dataset/{ENCODED}/why"
    pointer = Certification(
        dataset_urn=URN, status=CertificationStatus.CERTIFIED, version=7, path=PLACE, certified_at=NOW, run_id="run_1"
    )
    none = told.get(path)
    told.catalog.certifications.certify(pointer, expected=None, evidence=[])
    certified = told.catalog.certifications.explain(URN, None, None)

    current, named, consumer = (
        told.get(path),
        told.get(path, params={"version": "v7"}),
        told.get(path, as_=Role.DATA_CONSUMER),
    )

    assert (none.status_code, current.json()["state"], current.json()["version"]) == (404, "CERTIFIED", 7)
    assert current.json() == named.json() == consumer.json() == plain(certified)
    assert "v8 of" in told.get(path, params={"version": "8"}).json()["detail"]
    assert told.get(path, params={"partition": "2013-01-01"}).status_code == 404
    assert [told.get(path, params=bad).status_code for bad in ({"version": "x"}, {"partition": "soon"})] == [422, 422]


@pytest.mark.parametrize("as_of", ["2013-01-31", "2013-01-31T18:00:00", "9999-01-01T00:00:00Z", "now", "", "\u0661"])
def test_a_time_that_is_no_past_instant_names_the_parameter(told: ServiceClient, as_of: str) -> None:
    refused = told.get(f"/api/v1/dataset/{ENCODED}/certified", params={"as_of": as_of})

    assert refused.status_code == 422
    assert [problem["field"] for problem in refused.json()["errors"]] == ["as_of"]


def test_a_process_is_found_by_its_key_with_its_runs(told: ServiceClient) -> None:
    page = told.get("/api/v1/process/etl/load").json()
    runs = told.get("/api/v1/process/etl%2Fload/runs", params={"limit": 1}).json()

    assert (page["process"]["key"], page["inputs"], page["outputs"]) == ("etl/load", ["raw/orders"], [URN])
    assert [run["run_uuid"] for run in runs["items"]] == ["00000000-0000-4000-8000-000000000002"]
    assert runs["cursor"]


def test_a_run_is_returned_with_what_it_wrote(told: ServiceClient) -> None:
    run = told.get(f"/api/v1/run/{RUN}").json()

    assert (run["status"], run["process_key"]) == ("COMPLETED", "etl/load")
    assert {(use["full_name"], use["role"]) for use in run["datasets"]} == {("raw/orders", "INPUT"), (URN, "OUTPUT")}


def test_search_finds_by_text_and_by_filters(told: ServiceClient) -> None:
    by_words = told.get("/api/v1/search", params={"q": "ordrs", "kind": "DATASET"}).json()
    by_column = told.get("/api/v1/search", params={"column": "price"}).json()

    assert URN in [hit["full_name"] for hit in by_words["hits"]]
    assert by_words["read_as"]["ordrs"]
    assert [hit["full_name"] for hit in by_column["hits"]] == [URN]
    assert told.get("/api/v1/search").json()["errors"][0]["field"] == "q"


def test_no_dataset_has_a_service_level_yet(told: ServiceClient) -> None:
    assert told.get("/api/v1/sla/status").json() == []


SENSITIVE = [
    f"/api/v1/dataset/{ENCODED}",
    f"/api/v1/dataset/{ENCODED}/versions",
    "/api/v1/dataset/raw/orders/impact?column=price",
    "/api/v1/process/etl/report",
    "/api/v1/process/etl/report/runs",
    "/api/v1/run/00000000-0000-4000-8000-000000000003",
]


@pytest.mark.parametrize("path", SENSITIVE)
def test_a_consumer_sees_nothing_that_is_sensitive_and_an_owner_does(told: ServiceClient, path: str) -> None:
    sensitive = (MAIL, PLACE, "SELECT secret")
    shown = told.get(path, as_=Role.DATA_OWNER).text
    masked = told.get(path, as_=Role.DATA_CONSUMER)

    assert masked.status_code == 200
    assert [word for word in sensitive if word in masked.text] == []
    assert [word for word in sensitive if word in shown]


def test_what_is_masked_has_its_place_and_is_null(told: ServiceClient) -> None:
    shown = told.get(f"/api/v1/dataset/{ENCODED}", as_=Role.DATA_OWNER).json()
    masked = told.get(f"/api/v1/dataset/{ENCODED}", as_=Role.DATA_CONSUMER).json()

    assert set(shown) == set(masked)
    assert (shown["dataset"]["owner_email"], masked["dataset"]["owner_email"]) == (MAIL, None)
    assert masked["facets"] is None
    assert masked["dataset"]["owner_team"] == "sales"
