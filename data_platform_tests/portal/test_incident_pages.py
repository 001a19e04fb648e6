"""The pages of incidents: what happened and why, and the forms with which its owners act."""

import re

import pytest

from data_platform.model.access import Role
from data_platform_tests.catalog.incident.example_finding import CUSTOMERS, ORDERS, finding, group, look
from data_platform_tests.portal.portal_client import PortalClient
from data_platform_tests.portal.shop import NOW

HOSTILE = "<img src=x onerror=alert(1)>\"'&{{7*7}}\u202e"


@pytest.fixture
def portal(portal: PortalClient) -> PortalClient:
    """Incident 1 is of orders and team sales, incident 2 of customers and team risk."""
    groups = (group(finding(ORDERS), owner_team="sales"), group(finding(CUSTOMERS), owner_team="risk"))
    look(portal.catalog, *groups, at=NOW)
    return portal


def form_token(portal: PortalClient, path: str) -> str:
    found = re.search(r'name="form_token" value="([^"]+)"', portal.page(path, as_=None).text)
    assert found, "the page has no form"
    return found[1]


def send(portal: PortalClient, path: str, **fields: str) -> int:
    """Sends a form of incident 1 as the person who is signed in, and returns the status of the answer."""
    fields["form_token"] = form_token(portal, "/incidents/1")
    return int(portal.page(path, as_=None, method="POST", data=fields).status_code)


def test_active_incidents_are_listed_newest_first_and_by_state(portal: PortalClient) -> None:
    assert [row["number"] for row in portal.json("/incidents")["rows"]] == [2, 1]
    assert portal.json("/incidents?state=RESOLVED")["rows"] == []
    text = portal.page("/incidents").text
    assert text.index('href="/incidents/2"') < text.index('href="/incidents/1"')
    assert "No incident is in this state" in portal.page("/incidents?state=MERGED").text
    assert portal.page("/incidents?state=NONSENSE").status_code == 422


@pytest.mark.parametrize("role", list(Role))
def test_an_incident_shows_its_root_cause_to_everybody(portal: PortalClient, role: Role) -> None:
    page = portal.page("/incidents/1", as_=role)
    twin = portal.json("/incidents/1", as_=role)

    assert page.status_code == 200, page.text
    assert twin["root_cause"]["summary"]
    assert twin["history"][0]["what"] == "OPENED"
    assert ("Acknowledge" in page.text) == twin["may_act"] == (role is not Role.DATA_CONSUMER)


def test_an_owner_of_another_team_sees_no_form_and_may_not_act(portal: PortalClient) -> None:
    assert not portal.json("/incidents/2", as_=Role.DATA_OWNER)["may_act"]
    sent = portal.page("/incidents/2/acknowledge", as_=Role.DATA_OWNER, method="POST", data={})
    assert sent.status_code == 403


def test_a_consumer_may_not_act(portal: PortalClient) -> None:
    portal.sign_in(Role.DATA_CONSUMER)

    assert portal.page("/incidents/1/resolve", as_=None, method="POST", data={"reason": "FIXED"}).status_code == 403
    assert portal.json("/incidents/1")["incident"]["state"] == "OPEN"


def test_its_owner_acknowledges_and_resolves_it(portal: PortalClient) -> None:
    portal.sign_in(Role.DATA_OWNER)

    assert send(portal, "/incidents/1/acknowledge", comment=HOSTILE) == 303
    page = portal.page("/incidents/1", as_=None)
    assert HOSTILE in portal.json("/incidents/1")["history"][-1]["text"]
    assert HOSTILE not in page.text
    assert 'action="/incidents/1/acknowledge"' not in page.text

    assert send(portal, "/incidents/1/resolve", reason="FIXED") == 409, "it is still found"
    assert send(portal, "/incidents/1/resolve", reason="nonsense") == 422
    assert send(portal, "/incidents/1/resolve", reason="ACCEPTED", comment="x" * 2001) == 422
    assert send(portal, "/incidents/1/resolve", reason="ACCEPTED") == 303
    assert portal.json("/incidents/1")["incident"]["resolution"] == "ACCEPTED"
    assert "<form method" not in portal.page("/incidents/1", as_=None).text.split("<main")[1]


def test_a_form_of_another_page_is_refused(portal: PortalClient) -> None:
    portal.sign_in()

    assert portal.page("/incidents/1/acknowledge", as_=None, method="POST", data={}).status_code == 403
    assert portal.json("/incidents/1")["incident"]["state"] == "OPEN"


@pytest.mark.parametrize(("path", "status"), [("77", 404), ("0", 422), ("x", 422), ("9" * 30, 422)])
def test_an_incident_that_does_not_exist_is_an_error_page(portal: PortalClient, path: str, status: int) -> None:
    assert portal.page(f"/incidents/{path}").status_code == status
