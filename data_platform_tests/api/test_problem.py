"""Every error is a problem document of RFC 9457; an unexpected one contains only an id."""

import logging
from typing import Any

import pytest

from data_platform.catalog.access.store import Access
from data_platform.errors import ConflictError, EnvironmentProblem, SourceUnavailableError
from data_platform_tests.api.service_client import ServiceClient

SECRET = "postgres://user:hunter2@db"  # noqa: S105 - stands for what must not get out


def raising(error: Exception) -> Any:
    def fail(*given: object, **named: object) -> Any:  # noqa: ARG001 - any signature
        raise error

    return fail


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        pytest.param("GET", "/nothing", 404, id="no such path"),
        pytest.param("GET", "/api/v1/nothing", 404, id="no such route"),
        pytest.param("GET", "/api/v1/run_event", 405, id="wrong method"),
        pytest.param("DELETE", "/healthz", 405, id="method that nothing has"),
        pytest.param("GET", "/api/v1/audit?limit=0", 422, id="value out of range"),
        pytest.param("GET", "/api/v1/audit?limit=x", 422, id="no number"),
        pytest.param("GET", "/api/v1/dataset/none", 404, id="no such dataset"),
        pytest.param("GET", "/api/v1/dataset", 422, id="missing parameter"),
        pytest.param("GET", "/api/v1/process/none", 404, id="no such process"),
        pytest.param("GET", "/api/v1/run/none", 404, id="no such run"),
    ],
)
def test_errors_have_one_shape(service: ServiceClient, method: str, path: str, status: int) -> None:
    answer = service.call(method, path)

    told = answer.json()
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(told) == {"type", "title", "status", "detail", "errors"}
    assert told["status"] == status
    assert told["type"].startswith("urn:data-platform:problem:")
    assert told["detail"]


def test_a_method_that_is_not_allowed_is_answered_with_those_that_are(service: ServiceClient) -> None:
    assert service.get("/api/v1/run_event").headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        pytest.param(KeyError(SECRET), 500, id="of a library"),
        pytest.param(EnvironmentProblem(SECRET), 500, id="of the machine"),
        pytest.param(RecursionError(SECRET), 500, id="of the interpreter"),
        pytest.param(SourceUnavailableError(SECRET), 503, id="catalog away"),
    ],
)
def test_an_internal_error_shows_no_details(
    service: ServiceClient,
    error: Exception,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(Access, "audit", raising(error))

    with caplog.at_level(logging.WARNING, "data_platform.api"):
        answer = service.get("/api/v1/audit")

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert "hunter2" not in answer.text
    assert "hunter2" in caplog.text
    if status == 500:
        assert answer.json()["id"] in caplog.text
    else:
        assert int(answer.headers["retry-after"]) > 0


def test_a_conflict_keeps_its_message(service: ServiceClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Access, "audit", raising(ConflictError("another was first")))

    answer = service.get("/api/v1/audit")

    assert (answer.status_code, answer.json()["detail"]) == (409, "another was first")


def test_a_document_that_is_too_large_is_refused_with_the_limit(service: ServiceClient) -> None:
    answer = service.post("/api/v1/token", content=b'{"name": "' + b"x" * 1_100_000 + b'"}')

    assert answer.status_code == 413
    assert "1048576" in answer.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"null", id="null"),
        pytest.param(b"[]", id="list"),
        pytest.param(b"{", id="cut off"),
        pytest.param(b"\xff", id="not UTF-8"),
        pytest.param(b"[" * 100_000, id="too deep"),
        pytest.param(b'{"name": "\\ud800", "role": "DATA_OWNER"}', id="half a surrogate pair"),
        pytest.param(b'{"name": "a\\u0000b", "role": "DATA_OWNER"}', id="control character"),
    ],
)
def test_a_document_that_cannot_be_read_is_the_clients_error(service: ServiceClient, body: bytes) -> None:
    answer = service.post("/api/v1/token", content=body, headers={"Content-Type": "application/json"})

    assert 400 <= answer.status_code < 500
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/nothing/ann.lee@example.com", id="a path"),
        pytest.param("/api/v1/dataset/ann.lee@example.com", id="a name"),
        pytest.param("/api/v1/audit?limit=ann.lee@example.com", id="a parameter"),
    ],
)
def test_an_error_does_not_repeat_a_personal_value(service: ServiceClient, path: str) -> None:
    answer = service.call("GET", path)

    assert answer.status_code >= 400
    assert "ann.lee" not in answer.text
