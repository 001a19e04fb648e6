"""The page of waivers: what is accepted until when, what it let through, and who may request and decide."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest

from data_platform.model.access import Role
from data_platform.model.registration import Actor
from data_platform.model.verdict import Gate
from data_platform.model.waiver import WaiverRequest
from data_platform_tests.portal.portal_client import PortalClient
from data_platform_tests.portal.shop import NOW, ORDERS, TODAY, register, waive

HOSTILE = "<img src=x onerror=alert(1)>\"'&{{7*7}}"
SIGNATURE = "INVARIANT:total"
ANN, BOB = Actor(name="ann", role="DATA_OWNER"), Actor(name="bob", role="DATA_STEWARD")
FORM = {
    "dataset": "shop/orders", "gate": "G4_CONTRACT", "signature": SIGNATURE, "first": str(TODAY), "last": "",
    "until": str(TODAY.shifted(5)), "reason": "a holiday",
}  # fmt: skip


@pytest.fixture
def portal(portal: PortalClient) -> PortalClient:
    """Orders belong to the team shop, as does the owner who signs in."""
    portal.tokens[Role.DATA_OWNER] = portal.token("shop owner", Role.DATA_OWNER, teams=("shop",))
    with portal.catalog._database.writing() as connection:
        connection.exec_driver_sql("UPDATE dataset SET partitioning = 'day'")
    return portal


def ask(portal: PortalClient, *, by: Actor = ANN, approve: bool = False, now: datetime = NOW, **changes: Any) -> int:
    values: dict[str, Any] = {
        "dataset_urn": ORDERS, "gate": Gate.G4_CONTRACT, "signature": SIGNATURE, "first": TODAY, "last": TODAY,
        "reason": "a holiday", "expires_at": now + timedelta(days=5),
    }  # fmt: skip
    number = portal.catalog.waivers.request(WaiverRequest(**{**values, **changes}), by=by, now=now).number
    if approve:
        portal.catalog.waivers.approve(number, by=BOB, comment="agreed", now=now)
    return number


def cards(portal: PortalClient, query: str = "", **given: Any) -> dict[str, list[Any]]:
    return {one["phase"]: one["cards"] for one in portal.json(f"/waivers{query}", **given)["sections"]}


def send(portal: PortalClient, path: str, **fields: str) -> int:
    """Sends a form as the person who is signed in, and returns the status of the answer."""
    found = re.search(r'name="form_token" value="([^"]+)"', portal.page("/waivers", as_=None).text)
    fields["form_token"] = found[1] if found else ""
    return int(portal.page(path, as_=None, method="POST", data=fields).status_code)


def test_waivers_are_listed_by_what_they_do_now(portal: PortalClient) -> None:
    tomorrow, long_ago = TODAY.shifted(1), NOW - timedelta(days=40)
    waiting, active = ask(portal, reason=HOSTILE), ask(portal, approve=True, signature="MISSING_FIELD:id")
    upcoming = ask(portal, approve=True, first=tomorrow, last=tomorrow)
    too_short = ask(portal, approve=True, first=TODAY.shifted(9), last=TODAY.shifted(9))
    expired = ask(portal, approve=True, now=long_ago, signature="FORMAT:id")
    revoked = ask(portal, signature="FORMAT:day")
    portal.catalog.waivers.revoke(revoked, by=BOB, comment="no", now=NOW)

    now, ended = cards(portal), cards(portal, "?ended=true")

    assert {phase: [one["waiver"]["number"] for one in found] for phase, found in now.items()} == {
        "waiting": [waiting], "active": [active], "upcoming": [too_short, upcoming],
    }  # fmt: skip
    assert {phase: [one["waiver"]["number"] for one in found] for phase, found in ended.items()} == {
        "expired": [expired], "revoked": [revoked],
    }  # fmt: skip
    assert [one["is_too_short"] for one in now["upcoming"]] == [True, False]
    page = portal.page("/waivers").text
    assert "expires in 5 days" in page
    assert HOSTILE not in page
    assert cards(portal, "?dataset=shop/customers") == {}
    assert portal.page("/waivers?ended=true").status_code == 200


def test_a_waiver_says_what_it_let_through_also_after_its_end(portal: PortalClient) -> None:
    number = ask(portal, approve=True)
    [before] = cards(portal)["active"]
    waive(portal.catalog, number, day=TODAY, version=11)

    [card] = cards(portal)["active"]
    page = portal.page("/waivers").text
    assert (before["is_used"], before["command"]) == (False, f"data-platform run -s {ORDERS} -p {TODAY}")
    assert (card["is_used"], card["waived"], card["command"]) == (True, [str(TODAY)], "")
    assert "Consumers see rows that depend on it" in page

    portal.catalog.waivers.revoke(number, by=BOB, comment="", now=NOW)
    [ended] = cards(portal, "?ended=true")["revoked"]
    assert ended["is_used"]
    assert "although it has ended" in portal.page("/waivers?ended=true").text


def test_a_failure_that_no_run_has_is_pointed_out(portal: PortalClient) -> None:
    ask(portal, signature="INVARIANT:totl")
    ask(portal)

    assert [one["is_unknown"] for one in cards(portal)["waiting"]] == [False, True]
    assert "check its spelling" in portal.page("/waivers").text


@pytest.mark.parametrize("role", [Role.DATA_OWNER, Role.DATA_STEWARD, Role.PLATFORM_ADMIN])
def test_producers_request_a_waiver_until_the_end_of_a_day(portal: PortalClient, role: Role) -> None:
    portal.sign_in(role)

    assert send(portal, "/waivers", **FORM) == 303
    [card] = cards(portal, as_=role)["waiting"]
    waiver = card["waiver"]
    assert (waiver["dataset_urn"], waiver["first"], waiver["last"]) == (ORDERS, str(TODAY), str(TODAY))
    assert waiver["expires_at"] == "2026-02-21T00:00:00+00:00"
    assert (card["is_own"], card["may_approve"]) == (True, False)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"dataset": "none/none"}, 404),
        ({"dataset": ""}, 404),
        ({"gate": "G5_PII"}, 422),
        ({"gate": "NONE"}, 422),
        ({"signature": " "}, 422),
        ({"signature": "RECORD_COUNT:3≠4"}, 422),
        ({"first": "soon"}, 422),
        ({"first": ""}, 422),
        ({"last": "2026-01-01"}, 422),
        ({"until": ""}, 422),
        ({"until": "2035-01-01"}, 422),
        ({"until": "9999-12-31"}, 422),
        ({"reason": ""}, 422),
    ],
)
def test_a_wrong_field_is_refused(portal: PortalClient, changes: dict[str, str], status: int) -> None:
    portal.sign_in()

    assert send(portal, "/waivers", **{**FORM, **changes}) == status
    assert cards(portal) == {}


def test_owners_request_for_their_teams_only_and_decide_nothing(portal: PortalClient) -> None:
    number = ask(portal)
    portal.tokens[Role.DATA_OWNER] = portal.token("sales owner", Role.DATA_OWNER, teams=("sales",))

    for path in ("/waivers", f"/waivers/{number}/approve", f"/waivers/{number}/revoke"):
        assert portal.page(path, as_=Role.DATA_OWNER, method="POST", data=FORM).status_code == 403
    page = portal.page("/waivers", as_=Role.DATA_OWNER).text
    assert f"/waivers/{number}/" not in page
    assert "Request a waiver" in page


def test_a_steward_approves_and_revokes(portal: PortalClient) -> None:
    number = ask(portal)
    portal.sign_in(Role.DATA_STEWARD)

    assert send(portal, f"/waivers/{number}/approve", comment="of anna@example.com") == 303
    [card] = cards(portal)["active"]
    assert (card["waiver"]["approver"], card["waiver"]["comment"]) == ("data_steward", "of [REDACTED:EMAIL]")
    assert send(portal, f"/waivers/{number}/approve") == 409
    assert send(portal, f"/waivers/{number}/revoke", comment="x" * 4001) == 422
    assert send(portal, f"/waivers/{number}/revoke") == 303
    assert send(portal, f"/waivers/{number}/revoke") == 409
    assert send(portal, "/waivers/77/revoke") == 404


def test_nobody_approves_their_own_waiver_but_may_withdraw_it(portal: PortalClient) -> None:
    number = ask(portal, by=Actor(name="data_steward", role="DATA_STEWARD"))
    portal.sign_in(Role.DATA_STEWARD)

    assert "other than you" in portal.page("/waivers", as_=None).text
    assert send(portal, f"/waivers/{number}/approve") == 400
    assert send(portal, f"/waivers/{number}/revoke", comment="a mistake") == 303


def test_consumers_read_waivers_and_request_none(portal: PortalClient) -> None:
    number = ask(portal, approve=True)

    page = portal.page("/waivers", as_=Role.DATA_CONSUMER)
    twin = portal.json("/waivers", as_=Role.DATA_CONSUMER)
    assert page.status_code == 200
    assert '<form method="post"' not in page.text.split("<main")[1]
    assert twin["form"] is None
    for path in ("/waivers", f"/waivers/{number}/revoke"):
        assert portal.page(path, as_=Role.DATA_CONSUMER, method="POST", data=FORM).status_code == 403


def test_a_held_day_leads_to_the_form(portal: PortalClient) -> None:
    path = f"/why/ds%3A%2F%2Fshop%2Forders?partition={TODAY}"
    found = re.search(r'href="(/waivers\?[^"]+)#request"', portal.page(path).text)
    assert found
    form = portal.json(found[1].replace("&amp;", "&"))["form"]

    assert (form["dataset"], form["gate"], form["signature"], form["first"]) == (
        ORDERS, "G4_CONTRACT", SIGNATURE, str(TODAY)
    )  # fmt: skip
    assert "/waivers?" not in portal.page(path, as_=Role.DATA_CONSUMER).text


def test_a_waiver_is_approved_on_the_page_of_approvals_too(portal: PortalClient) -> None:
    number = ask(portal, reason=HOSTILE)
    portal.sign_in(Role.DATA_STEWARD)

    [section] = [one for one in portal.json("/approvals")["sections"] if one["rows"]]
    [row] = section["rows"]
    assert (section["title"], row["label"], row["approve"]) == (
        "Waivers", f"waiver {number}", f"/waivers/{number}/approve"
    )  # fmt: skip
    assert HOSTILE not in portal.page("/approvals", as_=None).text
    assert send(portal, row["approve"]) == 303
    assert [one["rows"] for one in portal.json("/approvals")["sections"]] == [[], [], []]
    decided = portal.json("/approvals?state=APPROVED")["sections"]
    assert [row["decided_by"] for one in decided for row in one["rows"]] == ["data_steward"]


def test_ended_waivers_are_in_pages(portal: PortalClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data_platform.portal.waivers_reader.PAGE_ROWS", 2)
    for number in [ask(portal, signature=f"FORMAT:{letter}") for letter in "abc"]:
        portal.catalog.waivers.revoke(number, by=BOB, comment="", now=NOW)

    pages = [cards(portal, f"?ended=true&page={page}")["revoked"] for page in (1, 2)]
    assert [[one["waiver"]["number"] for one in page] for page in pages] == [[3, 2], [1]]


def test_a_dataset_without_days_is_waived_as_a_whole(portal: PortalClient) -> None:
    register(portal.catalog, "ds://shop/rates")
    portal.sign_in()

    assert send(portal, "/waivers", **{**FORM, "dataset": "ds://shop/rates", "first": ""}) == 303
    [card] = cards(portal)["waiting"]
    assert (card["waiver"]["days"], card["waived"]) == ("", [])
    assert portal.page("/waivers").status_code == 200


def test_an_empty_page_says_what_to_do(empty_portal: PortalClient) -> None:
    assert "No waiver waits or counts" in empty_portal.page("/waivers").text
    assert "No waiver has ended" in empty_portal.page("/waivers?ended=true").text
    assert empty_portal.json("/waivers")["form"]["latest"] == "2026-05-15"
