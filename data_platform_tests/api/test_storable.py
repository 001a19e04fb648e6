"""For any parameter or body the response names the field and is never a 5xx, on either store."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from data_platform_tests.api.service_client import ServiceClient, event
from data_platform_tests.api.test_access import MATRIX
from data_platform_tests.api.test_report import SAID, declare

HALF = "\ud800"
JUNK = {
    "NUL": "a\0b",
    "half a surrogate pair": HALF,
    "64 bits and one": str(2**63),
    "less than 64 bits": str(-(2**63) - 1),
    "a number of a thousand digits": "9" * 1000,
    "infinity": "inf",
    "nothing": "",
    "a blank": " ",
    "a wildcard": "%_*?[",
    "quotes": "'\";--",
    "a traversal": "../../etc/passwd",
    "a private character": "\U0010ffff",
    "a right-to-left mark": "\u202e",
    "a very long text": "x" * 1_999,
}
VALUES: list[Any] = [*JUNK.values(), 2**63, -(2**63) - 1, 10**400, 1e308, None, True, [], {}, [HALF], {HALF: "\0"}]
BODIES: dict[str, dict[str, Any]] = {
    "/api/v1/dataset/register": {"urn": "ds://sales/orders", "owner_team": "sales", "columns": [{"name": "id"}]},
    "/api/v1/dataset/deprecate": {"full_name": "ds://sales/orders", "comment": "old"},
    "/api/v1/registrations/{number}/approve": {"comment": "good"},
    "/api/v1/registrations/{number}/reject": {"comment": "bad"},
    "/api/v1/token": {"name": "new", "role": "DATA_OWNER", "teams": ["sales"], "days": 3},
    "/report_asset_materialization/{key}": {"data_version": "1", "partition": "2026-01-01", "metadata": {"rows": 1}},
    "/report_asset_check/{key}": {"check_name": "row_count", "passed": True, "severity": "WARN", "metadata": {"a": 1}},
    "/report_asset_observation/{key}": {"data_version": "1", "description": "seen", "metadata": {"a": 1}},
}


@pytest.fixture
def service(catalog_url: str, tmp_path: Path) -> Iterator[ServiceClient]:
    with ServiceClient(catalog_url, policies=declare(tmp_path, SAID)) as opened:
        opened.post("/api/v1/lineage", json=event())
        yield opened


def escaped(document: Any) -> bytes:
    """JSON with half a surrogate pair as an escape, as a careless producer writes it."""
    return json.dumps(document).encode()


def parameters(document: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Method, path, where the parameter is, and its name."""
    for route in sorted(MATRIX):
        method, path = route.split(" ")
        for parameter in document["paths"][path][method.lower()].get("parameters", ()):
            yield method, path, parameter["in"], parameter["name"]


def refused_or_answered(service: ServiceClient, method: str, path: str, **given: Any) -> list[str]:
    """Empty if the answer is no 5xx and shows nothing of what happened inside."""
    answer = service.call(method, path, headers={"Content-Type": "application/json"}, **given)
    if answer.status_code >= 500 or "Traceback" in answer.text:
        return [f"{method} {path[:80]} {str(given)[:120]}: {answer.status_code} {answer.text[:200]}"]
    return []


def test_no_parameter_can_make_the_service_fail(service: ServiceClient) -> None:
    document = service.get("/openapi.json", as_=None).json()
    probes, failures = 0, []
    for method, path, place, name in parameters(document):
        for junk in JUNK.values():
            text = quote(junk, safe="", errors="surrogatepass")
            target = path.replace(f"{{{name}}}", text) if place == "path" else f"{path}?{name}={text}"
            target = target.replace("{reference}", "1").replace("{key}", "etl/load").replace("{name}", "nobody")
            target = target.replace("{number}", "1").replace("{run_uuid}", "1")
            failures += refused_or_answered(service, method, target, content=b"" if method == "GET" else b"{}")
            probes += 1

    assert probes > 500
    assert failures == []


@pytest.mark.parametrize("path", BODIES)
def test_no_field_of_a_body_can_make_the_service_fail(service: ServiceClient, path: str) -> None:
    body, failures = BODIES[path], []
    target = path.replace("{number}", "1").replace("{key}", "legacy/positions")
    for name in (*body, "something else", f"key {HALF}"):
        for value in VALUES:
            content = escaped({**body, name: value})
            failures += refused_or_answered(service, "POST", target, content=content)

    assert failures == []


def fields(document: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if place:
        yield place
    inner = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in inner:
        yield from fields(value, (*place, key))


def replaced(document: Any, place: tuple[str | int, ...], value: Any) -> Any:
    copy: Any = json.loads(json.dumps(document))
    inner = copy
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return copy


def rich_event() -> dict[str, Any]:
    """Every facet that the catalog reads."""
    columns = {"fields": [{"name": "id", "type": "string", "description": "the id"}]}
    source = {"namespace": "raw", "name": "orders", "field": "id", "transformations": [{"type": "DIRECT"}]}
    facets = {
        "schema": columns,
        "ownership": {"owners": [{"name": "team:sales"}]},
        "documentation": {"description": "orders"},
        "version": {"datasetVersion": "v1"},
        "columnLineage": {"fields": {"id": {"inputFields": [source]}}},
        "dataQualityAssertions": {"assertions": [{"assertion": "not_null", "success": True, "column": "id"}]},
        "lifecycleStateChange": {"lifecycleStateChange": "CREATE"},
        "symlinks": {"identifiers": [{"namespace": "hive", "name": "shop.orders", "type": "TABLE"}]},
    }
    statistics = {"outputStatistics": {"rowCount": 1, "size": 2, "fileCount": 3}}
    run = {
        "runId": "019ad3e2-5b1c-7a55-8f30-6d1c2b3a4e5f",
        "facets": {
            "errorMessage": {"message": "failed", "stackTrace": "at"},
            "nominalTime": {"nominalStartTime": "2026-02-15T00:00:00Z"},
            "parent": {
                "run": {"runId": "019ad3e2-5b1c-7a55-8f30-6d1c2b3a4e50"},
                "job": {"namespace": "a", "name": "b"},
            },
            "processing_engine": {"name": "spark", "version": "4"},
        },
    }
    output = {"namespace": "ds://sales", "name": "orders", "facets": facets, "outputFacets": statistics}
    job = {"namespace": "etl", "name": "load", "facets": {"jobType": {"integration": "SPARK"}, "sql": {"query": "x"}}}
    return event(run=run, outputs=[output], job=job)


def test_no_value_anywhere_in_an_event_can_make_the_service_fail(service: ServiceClient) -> None:
    whole, failures = rich_event(), []
    assert service.post("/api/v1/lineage", json=whole).status_code == 201
    for place in fields(whole):
        for value in ("a\0b", HALF, 2**64, "9" * 1000, None, [HALF], {"\0": HALF}, 1e308, True):
            failures += refused_or_answered(
                service, "POST", "/api/v1/lineage", content=escaped(replaced(whole, place, value))
            )

    assert failures == []


def test_the_answer_names_the_field_and_not_the_value(service: ServiceClient) -> None:
    asked = service.get("/api/v1/search?q=secret%00word")
    posted = service.post(
        "/api/v1/dataset/deprecate",
        content=escaped({"full_name": "ds://sales/orders", "comment": f"secret {HALF}"}),
        headers={"Content-Type": "application/json"},
    )

    assert [(answer.status_code, answer.json()["errors"][0]["field"]) for answer in (asked, posted)] == [
        (422, "q"),
        (422, "comment"),
    ]
    assert "secret" not in asked.text + posted.text
