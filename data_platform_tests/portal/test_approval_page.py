"""The page of approvals: what waits for a second person, who may decide, and what was decided."""

import re
from typing import Any

import pytest

from data_platform.model.access import Role
from data_platform.model.dataset_page import DatasetCard
from data_platform.model.registration import Actor, RegistrationRequest
from data_platform.portal.approval import Change
from data_platform.portal.approval_registration import changes_of
from data_platform_tests.portal.portal_client import PortalClient
from data_platform_tests.portal.shop import NOW, quarantine

HOSTILE = "<img src=x onerror=alert(1)>\"'&{{7*7}}"
ANN = Actor(name="ann", role="DATA_OWNER")


def ask(portal: PortalClient, name: str = "clicks", by: Actor = ANN, **given: Any) -> int:
    """A request for a dataset that no policy declares."""
    values = {"description": "Clicks of the web shop", "owner_team": "sales", **given}
    request = RegistrationRequest(namespace="ds://web", name=name, **values)
    return portal.catalog.registry.request_registration(request, by=by, now=NOW).id


def sections(portal: PortalClient, query: str = "", **given: Any) -> dict[str, list[Any]]:
    return {one["title"]: one["rows"] for one in portal.json(f"/approvals{query}", **given)["sections"] if one["rows"]}


def send(portal: PortalClient, path: str, **fields: str) -> int:
    """Sends a form as the person who is signed in, and returns the status of the answer."""
    found = re.search(r'name="form_token" value="([^"]+)"', portal.page("/approvals", as_=None).text)
    fields["form_token"] = found[1] if found else ""
    return int(portal.page(path, as_=None, method="POST", data=fields).status_code)


def test_requests_wait_with_what_they_change(portal: PortalClient) -> None:
    number = ask(portal, tags=("daily", "web"), sla_window_seconds=7_200, description=HOSTILE)

    [row] = sections(portal)["Registrations"]
    page = portal.page("/approvals").text
    assert (row["label"], row["asked_by"], row["state"]) == (f"registration {number}", "ann", "PENDING")
    assert {one["field"]: one["after"] for one in row["changes"]} == {
        "description": HOSTILE, "owner team": "sales", "tags": "daily, web", "sla window": "2 h",
    }  # fmt: skip
    assert f'action="/approvals/registrations/{number}/approve"' in page
    assert HOSTILE not in page


def test_a_change_is_compared_with_what_the_dataset_has() -> None:
    present = DatasetCard(
        id=1, full_name="ds://web/clicks", reference="x", namespace="ds://web", name="clicks", status="ACTIVE",
        owner_team="sales", tags=("daily",), created_at=NOW, updated_at=NOW,
    )  # fmt: skip

    changes = changes_of({"owner_team": "stock", "tags": ["daily"], "category": "web"}, present)

    assert changes == (
        Change(field="owner team", before="sales", after="stock"),
        Change(field="tags", before="daily", after="daily"),
        Change(field="category", before=None, after="web"),
    )


def test_a_steward_approves_and_rejects_with_a_reason(portal: PortalClient) -> None:
    first, second = ask(portal), ask(portal, "views")
    portal.sign_in(Role.DATA_STEWARD)

    assert send(portal, f"/approvals/registrations/{first}/approve") == 303
    assert send(portal, f"/approvals/registrations/{first}/approve") == 409
    assert send(portal, "/approvals/registrations/77/approve") == 404
    assert send(portal, f"/approvals/registrations/{second}/reject") == 422, "no reason"
    assert send(portal, f"/approvals/registrations/{second}/reject", comment="x" * 4001) == 422
    assert send(portal, f"/approvals/registrations/{second}/reject", comment="ask anna@example.com") == 303

    assert portal.catalog.lineage.dataset("ds://web/clicks").status == "ACTIVE"
    assert sections(portal) == {}
    [approved] = sections(portal, "?state=APPROVED")["Registrations"]
    [rejected] = sections(portal, "?state=REJECTED")["Registrations"]
    assert (approved["decided_by"], approved["approve"]) == ("data_steward", "")
    assert rejected["comment"] == "ask [REDACTED:EMAIL]"
    assert "anna@example.com" not in portal.page("/approvals?state=REJECTED", as_=None).text


def test_nobody_approves_their_own_request_but_may_withdraw_it(portal: PortalClient) -> None:
    number = ask(portal, by=Actor(name="Data_Steward ", role="DATA_STEWARD"))
    portal.sign_in(Role.DATA_STEWARD)

    page = portal.page("/approvals", as_=None).text
    assert "own request" in page
    assert f"/approvals/registrations/{number}/approve" not in page
    assert send(portal, f"/approvals/registrations/{number}/approve") == 400
    assert send(portal, f"/approvals/registrations/{number}/reject", comment="a mistake") == 303


def test_a_steward_of_other_teams_may_not_decide(portal: PortalClient) -> None:
    number = ask(portal)
    portal.tokens[Role.DATA_STEWARD] = portal.token("stock steward", Role.DATA_STEWARD, teams=("stock",))

    [row] = sections(portal, as_=Role.DATA_STEWARD)["Registrations"]
    assert (row["approve"], row["reject"]) == ("", "")
    for verb in ("approve", "reject"):
        sent = portal.page(
            f"/approvals/registrations/{number}/{verb}", as_=Role.DATA_STEWARD, method="POST", data={"comment": "x"}
        )
        assert sent.status_code == 403


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_owners_see_requests_and_do_not_decide(portal: PortalClient, verb: str) -> None:
    number = ask(portal)

    page = portal.page("/approvals", as_=Role.DATA_OWNER)
    sent = portal.page(f"/approvals/registrations/{number}/{verb}", as_=Role.DATA_OWNER, method="POST", data={})
    assert page.status_code == 200
    assert "<form" not in page.text.split("<main")[1]
    assert sent.status_code == 403


def test_consumers_see_no_requests(portal: PortalClient) -> None:
    assert portal.page("/approvals", as_=Role.DATA_CONSUMER).status_code == 403
    assert 'href="/approvals"' not in portal.page("/", as_=Role.DATA_CONSUMER).text


def test_a_release_waits_beside_registrations(portal: PortalClient) -> None:
    name = quarantine(portal.catalog)
    rules = ["UNKNOWN_ENUM:status:C1"]
    portal.catalog.quarantine.request_release(name, HOSTILE, rules=rules, by=ANN, now=NOW)
    portal.sign_in(Role.DATA_STEWARD)

    [row] = sections(portal)["Releases of quarantined rows"]
    assert (row["detail"], row["approve"]) == (f"/quarantine/{name}", f"/quarantine/{name}/release/approve")
    assert row["changes"] == [{"field": rules[0], "before": None, "after": "2 rows of 2026-02-15"}]
    assert HOSTILE not in portal.page("/approvals", as_=None).text
    assert send(portal, row["approve"]) == 303
    assert sections(portal) == {}
    [approved] = sections(portal, "?state=APPROVED")["Releases of quarantined rows"]
    assert approved["decided_by"] == "data_steward"


def test_decided_requests_are_in_pages_newest_first(portal: PortalClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data_platform.portal.approval_registration.ROWS", 2)
    by = Actor(name="bob", role="DATA_STEWARD")
    for number in [ask(portal, f"d{number}") for number in range(3)]:
        portal.catalog.registry.reject_registration(number, by=by, now=NOW)

    first = portal.json("/approvals?state=REJECTED")["sections"][0]
    second = portal.json(f"/approvals?state=REJECTED&cursor={first['cursor']}")["sections"][0]
    assert [row["label"] for row in first["rows"] + second["rows"]] == [
        "registration 3", "registration 2", "registration 1"
    ]  # fmt: skip
    assert second["cursor"] is None
    assert portal.page("/approvals?cursor=x").status_code == 422


def test_an_empty_page_says_where_requests_come_from(empty_portal: PortalClient) -> None:
    assert "Nothing waits for an approval" in empty_portal.page("/approvals").text
    assert "Nothing was rejected yet" in empty_portal.page("/approvals?state=REJECTED").text
    assert empty_portal.page("/approvals?state=OPEN").status_code == 422


def test_the_policy_of_an_onboarding_is_approved_here_too(portal: PortalClient) -> None:
    asked = RegistrationRequest(namespace="ds://web", name="clicks", policy_fingerprint="0123456789abcdef")
    number = portal.catalog.onboardings.request_approval(asked, by=ANN, now=NOW).id
    portal.sign_in(Role.DATA_STEWARD)

    [row] = sections(portal)["Registrations"]
    assert (row["detail"], row["changes"][0]["after"]) == ("/onboarding/ds%3A%2F%2Fweb%2Fclicks", "0123456789abcdef")
    assert send(portal, f"/approvals/registrations/{number}/approve") == 303
    approval = portal.catalog.onboardings.approval("ds://web/clicks")
    assert approval is not None
    assert approval.approved == {"0123456789abcdef"}
