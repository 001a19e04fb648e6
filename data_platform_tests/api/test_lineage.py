"""Lineage over HTTP: other names are followed, one pair is addressed without doubt, long names cost no event."""

import json
from typing import Any
from urllib.parse import quote

from data_platform_tests.api.service_client import ServiceClient
from data_platform_tests.case import case_file

HIVE = "hive://metastore.example.com:9083"
LONG = "C55_streams_long_names_and_parents"


def lines(case: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in case_file(case, "events.jsonl").read_text().splitlines()]


def reached(service: ServiceClient, name: str, **query: str) -> list[str]:
    page = service.get(f"/api/v1/dataset/{quote(name, safe='')}/impact", params=query)
    assert page.status_code == 200, page.text
    return [hit["node"]["name"] for hit in page.json()["hits"]["items"]]


def test_case_c54_is_followed_from_the_event_route_to_the_response(service: ServiceClient) -> None:
    for document in reversed(lines("C54")):
        assert service.post("/api/v1/lineage", json=document).status_code == 201

    columns = service.get(
        f"/api/v1/dataset/{quote(HIVE + '/shop.orders', safe='')}/impact", params={"column": "status"}
    ).json()["hits"]

    assert f"{HIVE}/mart.daily" in reached(service, "postgres://db.example.com:5432/app.public.orders")
    assert "etl/a_load" in reached(service, f"{HIVE}/mart.b", direction="upstream")
    assert (f"{HIVE}/mart.cols", "*") in {(hit["dataset"], hit["column"]) for hit in columns}
    page = service.get("/api/v1/dataset", params={"namespace": HIVE, "name": "shop.b"}).json()
    assert page["other_names"] == [{"dataset": f"{HIVE}/shop.a", "kind": "renamed from"}]


def test_case_c55_a_long_name_costs_no_event_and_is_found_by_its_whole_text(service: ServiceClient) -> None:
    answers = [service.post("/api/v1/lineage", json=document) for document in lines("C55")]

    assert {answer.status_code for answer in answers} == {201}
    warned = [answer.json()["warnings"] for answer in answers if answer.json()["warnings"]]
    assert [said[0].split(":")[0] for said in warned] == ["inputs[0].name", "job.name"]
    long = next(d for event in lines("C55") for d in event["inputs"] if len(d["name"]) > 5000)
    page = service.get("/api/v1/dataset", params={"namespace": long["namespace"], "name": long["name"]})
    assert page.status_code == 200
    assert page.json()["facets"]["dataPlatform_wholeName"]["name"] == long["name"]


def test_one_of_two_datasets_with_the_same_text_is_addressed_by_its_pair(service: ServiceClient) -> None:
    for number, (namespace, name) in enumerate((("s3://a/b", "c"), ("s3://a", "b/c"))):
        document = lines("C54")[2]
        document["run"]["runId"] = f"019b0000-0000-7000-8000-00000000010{number}"
        document["outputs"] = [{"namespace": namespace, "name": name}]
        assert service.post("/api/v1/lineage", json=document).status_code == 201

    one = service.get("/api/v1/dataset", params={"namespace": "s3://a/b", "name": "c"}).json()
    other = service.get("/api/v1/dataset", params={"urn": "s3://a/b/c"}).json()
    again = service.get(f"/api/v1/dataset/{quote(one['dataset']['reference'], safe='')}/versions")

    assert (one["dataset"]["name"], other["dataset"]["name"]) == ("c", "b/c")
    assert one["dataset"]["id"] != other["dataset"]["id"]
    assert again.status_code == 200
    assert [alike["differs_by"] for alike in one["look_alikes"]] == [["split"]]
