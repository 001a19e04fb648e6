"""A dataset is found by its name with any ending and any encoded slashes."""

from urllib.parse import quote

import pytest

from data_platform_tests.api.service_client import ServiceClient, event

ROUTES = ["versions", "schema", "lineage", "impact", "consumers", "last_successful_run", "certified", "certifications"]


def tell(service: ServiceClient, *names: str) -> None:
    outputs = [{"namespace": "s3://lake", "name": name} for name in names]
    assert service.post("/api/v1/lineage", json=event(outputs=outputs)).status_code == 201


def name_of(service: ServiceClient, path: str) -> str:
    answer = service.get(f"/api/v1/dataset/{path}")
    assert answer.status_code == 200, answer.text
    return str(answer.json()["dataset"]["full_name"])


@pytest.mark.parametrize("last", ROUTES)
def test_a_name_that_ends_like_a_route_is_found_plain_and_encoded(service: ServiceClient, last: str) -> None:
    tell(service, f"sales/{last}")

    for path in (f"s3://lake/sales/{last}", quote(f"s3://lake/sales/{last}", safe="")):
        assert name_of(service, path) == f"s3://lake/sales/{last}"


def test_where_both_exist_a_plain_path_is_the_route_and_an_encoded_one_the_name(service: ServiceClient) -> None:
    tell(service, "sales", "sales/versions")

    plain = service.get("/api/v1/dataset/s3://lake/sales/versions").json()
    route_of_the_encoded = service.get(f"/api/v1/dataset/{quote('s3://lake/sales', safe='')}/versions").json()

    assert "items" in plain
    assert plain == route_of_the_encoded
    assert name_of(service, quote("s3://lake/sales/versions", safe="")) == "s3://lake/sales/versions"
    assert "items" in service.get(f"/api/v1/dataset/{quote('s3://lake/sales/versions', safe='')}/versions").json()


def test_the_error_of_an_unknown_dataset_has_its_name(service: ServiceClient) -> None:
    answer = service.get("/api/v1/dataset/s3://lake/nothing/versions")

    assert answer.status_code == 404
    assert "s3://lake/nothing" in answer.json()["detail"]
    assert "nothing/versions" not in answer.json()["detail"]


def test_a_process_is_found_by_its_encoded_key(service: ServiceClient) -> None:
    assert service.post("/api/v1/lineage", json=event(job={"namespace": "etl", "name": "load/runs"})).status_code == 201

    assert service.get(f"/api/v1/process/{quote('etl/load/runs', safe='')}").json()["process"]["key"] == "etl/load/runs"
