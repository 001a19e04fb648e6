"""Over HTTP a steward opens tokens; the answer is stored by nobody, and each call is in the audit log."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from data_platform.model.access import Role
from data_platform.model.key_ring import KeyRing
from data_platform_tests.api.service_client import NOW, ServiceClient
from data_platform_tests.model.test_token_secret import KNOWN, SECRET, VALUE

PATH = "/api/v1/pii/detokenize"


@pytest.fixture
def with_keys(service: ServiceClient, tmp_path: Path) -> Iterator[ServiceClient]:
    file = tmp_path / "pii.key"
    file.write_bytes(SECRET)
    object.__setattr__(service.app.state.service, "pii_keys", KeyRing(file))
    return service


def actions(service: ServiceClient) -> list[tuple[str, str]]:
    items = service.get("/api/v1/audit", params={"subject": "pii tokens"}).json()["items"]
    return [(item["actor"], item["action"]) for item in items]


def test_a_steward_gets_the_value_in_an_answer_that_nobody_stores(with_keys: ServiceClient) -> None:
    answer = with_keys.post(PATH, as_=Role.DATA_STEWARD, json={"tokens": [KNOWN, "junk"], "reason": "case 4711"})

    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    document = answer.json()
    assert document["opened"] == 1
    assert [row["value"] for row in document["results"]] == [VALUE, None]
    assert [row["token"] for row in document["results"]] == [KNOWN[:45], None]
    assert actions(with_keys) == [("data_steward", "pii.detokenize")]


@pytest.mark.parametrize("role", [Role.PLATFORM_ADMIN, Role.DATA_OWNER, Role.DATA_CONSUMER])
def test_another_role_is_refused_and_recorded(with_keys: ServiceClient, role: Role) -> None:
    answer = with_keys.post(PATH, as_=role, json={"tokens": [KNOWN], "reason": "case 4711"})

    assert (answer.status_code, VALUE in answer.text) == (403, False)
    assert actions(with_keys) == [(role.lower(), "pii.detokenize.refused")]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        pytest.param({"tokens": [KNOWN]}, 422, id="no reason"),
        pytest.param({"tokens": [KNOWN], "reason": " "}, 400, id="a blank reason"),
        pytest.param({"tokens": [], "reason": "case"}, 422, id="no token"),
        pytest.param({"tokens": ["ann@example.com"] * 1001, "reason": "case"}, 422, id="too many"),
        pytest.param({"tokens": ["ann@example.com" * 1000], "reason": "case"}, 422, id="longer than any token"),
    ],
)
def test_a_wrong_request_is_refused_and_its_texts_are_not_repeated(
    with_keys: ServiceClient, body: dict[str, object], status: int
) -> None:
    answer = with_keys.post(PATH, as_=Role.DATA_STEWARD, json=body)

    assert answer.status_code == status
    assert "ann@example.com" not in answer.text
    assert KNOWN not in answer.text


def test_after_too_many_tokens_the_service_says_when_to_ask_again(
    with_keys: ServiceClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("data_platform.catalog.access.detokenize.MOST_AN_HOUR", 1)
    body = {"tokens": [KNOWN], "reason": "case 4711"}
    assert with_keys.post(PATH, as_=Role.DATA_STEWARD, json=body).status_code == 200

    answer = with_keys.post(PATH, as_=Role.DATA_STEWARD, json=body)

    assert (answer.status_code, answer.headers["retry-after"]) == (429, "600")


def test_a_service_without_keys_opens_nothing(service: ServiceClient) -> None:
    answer = service.post(PATH, as_=Role.DATA_STEWARD, json={"tokens": [KNOWN], "reason": "case 4711"})

    assert answer.status_code == 404
    assert service.moment == NOW
