"""Tokens are opened for stewards only, with a reason; the audit log has which, and no personal value at all."""

from datetime import timedelta

import pytest

from data_platform.catalog import Catalog
from data_platform.errors import DataPlatformError, RateError, RoleError
from data_platform.model import detokenize
from data_platform.model.access import AccessToken, AuditEntry, Role
from data_platform.model.detokenize import OpenedToken
from data_platform.model.key_ring import KeyVersion
from data_platform_tests.catalog.example import NOW
from data_platform_tests.model.test_token_secret import KNOWN, SECRET, VALUE, sealed

KEYS = (KeyVersion(SECRET), KeyVersion(SECRET[::-1], 2))
SHORT = KNOWN[: len("tok_v1_email_") + 32]


def caller(role: Role = Role.DATA_STEWARD, *teams: str) -> AccessToken:
    return AccessToken(token_id=1, name="ann", role=role, teams=teams, created_by="root", created_at=NOW)


def opened(catalog: Catalog, *texts: str, reason: str = "case", by: AccessToken | None = None) -> list[OpenedToken]:
    found = catalog.access.detokenize(texts, reason, caller=by or caller(), keys=KEYS, now=NOW)
    return list(found)


def logged(catalog: Catalog) -> list[AuditEntry]:
    return list(catalog.access.audit(subject=detokenize.SUBJECT).items)


def test_a_steward_gets_the_values_and_the_log_has_who_when_which_and_why(catalog: Catalog) -> None:
    found = opened(catalog, f" {KNOWN}\n", "bob@example.org", SHORT)

    assert [(item.token, item.value) for item in found] == [(SHORT, VALUE), (None, None), (SHORT, None)]
    (entry,) = logged(catalog)
    assert (entry.at, entry.actor, entry.role, entry.action) == (NOW, "ann", "DATA_STEWARD", "pii.detokenize")
    assert entry.detail == {
        "reason": "case", "count": 3, "opened": 1, "not_tokens": 1, "tokens": [SHORT, SHORT],
    }  # fmt: skip
    assert not any(text in str(entry) for text in (VALUE, "bob@example.org", KNOWN))


def test_a_personal_value_in_the_reason_is_not_logged(catalog: Catalog) -> None:
    opened(catalog, KNOWN, reason="asked by cy@example.net")

    assert logged(catalog)[0].detail["reason"] == "asked by [REDACTED:EMAIL]"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("", "not a token", id="empty"),
        pytest.param("tok_v1_email_0123", "not a token", id="cut off"),
        pytest.param(SHORT, "without `reversible`", id="not reversible"),
        pytest.param(KNOWN.replace("_v1_", "_v3_"), "v3 of the key is not here", id="of a version that is not here"),
        pytest.param(KNOWN.replace("_v1_", "_v2_"), "another key than v2 of this", id="of another installation"),
        pytest.param(KNOWN[:-1] + "0", "changed", id="changed"),
    ],
)
def test_what_cannot_be_opened_has_a_problem_and_is_recorded(catalog: Catalog, text: str, problem: str) -> None:
    (found,) = opened(catalog, text)

    assert found.value is None
    assert problem in found.problem
    assert logged(catalog)[0].detail["opened"] == 0


@pytest.mark.parametrize(
    "by",
    [
        pytest.param(caller(Role.PLATFORM_ADMIN), id="an administrator"),
        pytest.param(caller(Role.DATA_OWNER, "sales"), id="an owner"),
        pytest.param(caller(Role.DATA_CONSUMER), id="a consumer"),
        pytest.param(caller(Role.DATA_STEWARD, "sales"), id="a steward of one team"),
    ],
)
def test_nobody_else_gets_a_value_and_the_refusal_is_recorded(catalog: Catalog, by: AccessToken) -> None:
    with pytest.raises(RoleError, match="DATA_STEWARD") as told:
        opened(catalog, KNOWN, by=by)

    assert VALUE not in str(told.value)
    (entry,) = logged(catalog)
    assert (entry.action, entry.role, entry.detail["why"]) == ("pii.detokenize.refused", by.role, "role")


@pytest.mark.parametrize(
    ("texts", "reason", "message"),
    [
        pytest.param([KNOWN], "  ", "reason is empty", id="no reason"),
        pytest.param([], "case 4711", "found 0", id="no token"),
        pytest.param([KNOWN] * 1001, "case 4711", "found 1001", id="too many"),
    ],
)
def test_a_request_without_reason_or_of_a_wrong_size_opens_nothing(
    catalog: Catalog, texts: list[str], reason: str, message: str
) -> None:
    with pytest.raises(DataPlatformError, match=message):
        opened(catalog, *texts, reason=reason)
    assert logged(catalog) == []


def test_one_user_may_open_so_many_in_an_hour_and_others_are_not_concerned(catalog: Catalog) -> None:
    for _ in range(10):
        opened(catalog, *[KNOWN] * 1000)

    with pytest.raises(RateError, match="has asked for 10000 tokens"):
        opened(catalog, KNOWN)
    assert logged(catalog)[0].detail == {"why": "rate", "count": 1, "reason": "case"}
    other = AccessToken(token_id=2, name="bob", role=Role.DATA_STEWARD, teams=(), created_by="root", created_at=NOW)
    assert opened(catalog, KNOWN, by=other)[0].value == VALUE
    later = catalog.access.detokenize([KNOWN], "case", caller=caller(), keys=KEYS, now=NOW + timedelta(minutes=61))
    assert later[0].value == VALUE


def test_if_it_cannot_be_recorded_nothing_is_opened(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("data_platform.catalog.access.detokenize.add_audit", full)

    with pytest.raises(OSError, match="disk is full"):
        opened(catalog, KNOWN)


def test_a_value_is_in_no_repr() -> None:
    assert VALUE not in repr(detokenize.opened_tokens([KNOWN], KEYS))
    assert sealed(VALUE).short == SHORT
