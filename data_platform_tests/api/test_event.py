"""Events over HTTP: kept and receipted, or refused with the field that is wrong; never half of either."""

import gzip
import json
import zlib
from typing import Any

import pytest
from sqlalchemy import func, select

from data_platform.catalog.lineage_table import RUN_EVENT
from data_platform_tests.api.service_client import RUN, ServiceClient, event
from data_platform_tests.case import case_file, expected

PATHS = ("/api/v1/run_event", "/api/v1/lineage")
BATCH = "/api/v1/lineage/batch"


def stored(service: ServiceClient) -> int:
    with service.catalog._database.reading() as connection:
        count: int = connection.execute(select(func.count()).select_from(RUN_EVENT)).scalar_one()
    return count


def another(number: int, **changes: Any) -> dict[str, Any]:
    return event(run={"runId": f"00000000-0000-4000-8000-{number:012d}"}, **changes)


@pytest.mark.parametrize("path", PATHS)
def test_an_event_is_stored_and_its_receipt_confirms_it(service: ServiceClient, path: str) -> None:
    answer = service.post(path, json=event())

    assert answer.status_code == 201
    assert answer.json() == {"digest": answer.json()["digest"], "run_uuid": RUN, "stored": True, "warnings": []}
    assert service.catalog.lineage.run(RUN).process_key == "etl/load"


def test_an_event_that_is_sent_again_is_receipted_and_not_kept_twice(service: ServiceClient) -> None:
    first, again = service.post(PATHS[0], json=event()), service.post(PATHS[1], json=event())

    assert (first.json()["stored"], again.json()["stored"]) == (True, False)
    assert first.json()["digest"] == again.json()["digest"]
    assert stored(service) == 1


def test_a_historical_event_is_kept_as_one(service: ServiceClient) -> None:
    service.post(PATHS[0], json=event(), params={"historical": "true"})

    assert service.catalog.lineage.run(RUN).historical
    assert service.catalog.lineage.dataset_page("ds://sales/orders").latest is None


@pytest.mark.parametrize("number", range(1, 22))
def test_case_35_each_odd_payload_has_the_status_that_is_right(service: ServiceClient, number: int) -> None:
    payload = next(item for item in json.loads(case_file("C35", "payloads.json").read_text()) if item["n"] == number)
    allowed = next(item for item in expected("C35") if item["n"] == number)["expected"]
    raw = payload["raw_body"] if "raw_body" in payload else json.dumps(payload["body"])

    answer = service.post(PATHS[1], content=raw.encode(), headers={"Content-Type": "application/json"})

    assert f"{answer.status_code // 100}xx" in allowed.split(", never")[0]
    if answer.status_code >= 400:
        assert answer.json()["detail"]
        assert stored(service) == 0
    else:
        assert stored(service) == 1  # also of number 16, which is one event twice


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        pytest.param(b"", 400, "the body is empty", id="empty"),
        pytest.param(b"   \n", 400, "the body is empty", id="blank"),
        pytest.param(b"null", 422, "a JSON object", id="null"),
        pytest.param(b'"text"', 422, "a JSON object", id="text"),
        pytest.param(b"{", 400, "line 1, column 2", id="cut off"),
        pytest.param(b'{"a": NaN}', 400, "NaN is not JSON", id="NaN"),
        pytest.param(b'{"a": 1e999}', 400, "too large for a float", id="infinite"),
        pytest.param(b'{"a": ' + b"9" * 5_000 + b"}", 400, "too many digits", id="long number"),
        pytest.param(b'{"a": "\xff"}', 400, "byte 7 is not UTF-8", id="not UTF-8"),
        pytest.param(b"[" * 50_000, 400, "deeper than 254 levels", id="far too deep"),
        pytest.param(b"[" * 255 + b"]" * 255, 400, "deeper than 254 levels", id="too deep"),
        pytest.param(b'{"run": ' + b'{"a":' * 300 + b"1" + b"}" * 301, 400, "deeper than", id="too deep within"),
        pytest.param(b"[]", 422, "a batch of 0 events", id="empty batch"),
    ],
)
def test_a_body_that_is_not_an_event_is_rejected(service: ServiceClient, body: bytes, status: int, said: str) -> None:
    answer = service.post(PATHS[0], content=body)

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert said in answer.json()["detail"]


def test_as_deep_as_is_allowed_is_kept(service: ServiceClient) -> None:
    facet: dict[str, Any] = {}
    for _ in range(250):
        facet = {"inner": facet}

    answer = service.post(PATHS[0], json=event(run={"runId": RUN, "facets": {"deep": facet}}))

    assert answer.status_code == 201


def test_a_number_of_many_digits_is_kept_as_it_came(service: ServiceClient) -> None:
    number = 12345678901234567890123

    service.post(PATHS[0], json=event(run={"runId": RUN, "facets": {"custom": {"checksum": number}}}))

    assert service.catalog.lineage.run(RUN).facets["custom"] == {"checksum": number}


def test_half_a_surrogate_pair_in_a_facet_costs_nothing(service: ServiceClient) -> None:
    facets = {"custom": {"text": "cut \ud83d"}}

    raw = json.dumps(event(run={"runId": RUN, "facets": facets})).encode()

    assert service.post(PATHS[0], content=raw).status_code == 201


def test_a_byte_order_mark_is_passed_over(service: ServiceClient) -> None:
    assert service.post(PATHS[0], content=b"\xef\xbb\xbf" + json.dumps(event()).encode()).status_code == 201


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        pytest.param({"Content-Type": "text/plain"}, "Content-Type", id="text"),
        pytest.param({"Content-Type": "multipart/form-data; boundary=x"}, "Content-Type", id="form"),
        pytest.param({"Content-Encoding": "br"}, "Content-Encoding", id="brotli"),
    ],
)
def test_what_cannot_be_read_by_its_headers_is_refused(
    service: ServiceClient, headers: dict[str, str], said: str
) -> None:
    answer = service.post(PATHS[0], content=json.dumps(event()).encode(), headers=headers)

    assert answer.status_code == 415
    assert said in answer.json()["detail"]


def test_a_wrong_field_is_named(service: ServiceClient) -> None:
    answer = service.post(PATHS[0], json=event(run={"runId": "no uuid"}))

    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert error["field"] == "run.runId"
    assert "no uuid" not in answer.text


@pytest.mark.parametrize("path", [*PATHS, BATCH])
def test_in_a_batch_good_events_are_kept_and_bad_ones_are_named(service: ServiceClient, path: str) -> None:
    batch = [another(1), event(run={}), another(2), event(eventType="NO_SUCH"), another(1)]

    answer = service.post(path, json=batch)

    told = answer.json()
    assert answer.status_code == 207
    assert (told["received"], told["kept"], told["refused"]) == (5, 3, 2)
    assert [result["status"] for result in told["results"]] == [201, 422, 201, 422, 201]
    assert [result.get("stored") for result in told["results"]] == [True, None, True, None, False]
    assert told["results"][1]["errors"][0]["field"] == "[1].run.runId"
    assert told["results"][3]["errors"][0]["field"] == "[3].eventType"
    assert stored(service) == 2


def test_a_batch_of_good_events_is_201_and_of_bad_ones_422(service: ServiceClient) -> None:
    good = service.post(BATCH, json=[another(1), another(2)])
    bad = service.post(BATCH, json=[{}, 1, None, []])

    assert good.status_code == 201
    assert bad.status_code == 422
    assert bad.headers["content-type"] == "application/problem+json"
    assert [error["field"] for error in bad.json()["errors"]] == ["[0].run", "[1]", "[2]", "[3]"]


def test_a_batch_is_an_array(service: ServiceClient) -> None:
    assert service.post(BATCH, json=event()).status_code == 422


def sized(size: int) -> bytes:
    """An event of exactly ``size`` bytes."""
    rest = size - len(json.dumps(event(producer="")).encode())
    return json.dumps(event(producer="x" * rest)).encode()


def packed(raw: bytes) -> dict[str, Any]:
    return {"content": gzip.compress(raw), "headers": {"Content-Encoding": "gzip"}}


def test_an_event_may_be_as_large_as_the_limit_and_not_a_byte_larger(service: ServiceClient) -> None:
    limit = service.limits.event_bytes

    assert service.post(PATHS[0], content=sized(limit)).status_code == 201
    refused = service.post(PATHS[0], content=sized(limit + 1))

    assert refused.status_code == 413
    assert refused.json()["limit"] == limit
    assert f"{limit} bytes" in refused.json()["detail"]
    assert "DATA_PLATFORM_MAX_EVENT_BYTES" in refused.json()["detail"]


def test_a_body_without_a_length_is_read_no_further_than_the_limit(service: ServiceClient) -> None:
    pieces = iter([b" " * 60_000] * 3)

    assert service.post(PATHS[0], content=pieces).status_code == 413


def test_a_batch_has_a_limit_of_its_own(service: ServiceClient) -> None:
    raw = b"[" + sized(service.limits.event_bytes) + b"]"

    assert service.post(PATHS[0], content=raw).status_code == 413
    assert service.post(BATCH, content=raw).status_code == 201


def test_gzip_is_unpacked_and_its_limit_is_on_the_unpacked_size(service: ServiceClient) -> None:
    limit = service.limits.event_bytes

    assert service.post(PATHS[0], **packed(sized(limit))).status_code == 201
    assert service.post(PATHS[0], **packed(sized(limit + 1))).status_code == 413
    assert service.post(PATHS[0], **packed(b" " * 50_000_000)).status_code == 413


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"no gzip", id="not gzip"),
        pytest.param(zlib.compress(b"{}"), id="zlib"),
        pytest.param(gzip.compress(b"{}")[:-4], id="cut off"),
        pytest.param(gzip.compress(b"{}") + b"more", id="something behind it"),
    ],
)
def test_what_is_not_gzip_is_refused(service: ServiceClient, raw: bytes) -> None:
    answer = service.post(PATHS[0], content=raw, headers={"Content-Encoding": "gzip"})

    assert answer.status_code == 400
    assert "gzip" in answer.json()["detail"]
