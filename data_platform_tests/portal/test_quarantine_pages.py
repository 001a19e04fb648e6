"""The pages of quarantine: what is open and why, what people did, and the forms with which its owners act."""

import json
import re
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from data_platform.api.quarantine_command import QuarantineCommand
from data_platform.model.access import Role
from data_platform.model.dataset import Stage
from data_platform.model.registration import Actor
from data_platform_tests.catalog.incident.example_finding import finding, group, look
from data_platform_tests.portal.portal_client import PortalClient
from data_platform_tests.portal.quarantine_sample import printing
from data_platform_tests.portal.shop import CUSTOMERS, NOW, ORDERS, TODAY, fill, quarantine, shop_policies

HOSTILE = "<img src=x onerror=alert(1)>\"'&{{7*7}}"
NAME = "orders_run_bad"
ONE = f"/quarantine/{NAME}"
PRODUCERS = [role for role in Role if role is not Role.DATA_CONSUMER]


@pytest.fixture
def portal(portal: PortalClient) -> PortalClient:
    """Two rows of orders, which belong to the team shop, are in quarantine for an hour."""
    quarantine(portal.catalog)
    portal.tokens[Role.DATA_OWNER] = portal.token("shop owner", Role.DATA_OWNER, teams=("shop",))
    return portal


def actor(name: str = "ann") -> Actor:
    return Actor(name=name, role="LOCAL")


def send(portal: PortalClient, path: str, **fields: str) -> int:
    """Sends a form as the person who is signed in, and returns the status of the answer."""
    found = re.search(r'name="form_token" value="([^"]+)"', portal.page(ONE, as_=None).text)
    fields["form_token"] = found[1] if found else ""
    return int(portal.page(path, as_=None, method="POST", data=fields).status_code)


def test_the_list_has_owner_age_reasons_and_what_to_do(portal: PortalClient) -> None:
    page = portal.page("/quarantine")
    twin = portal.json("/quarantine")

    assert f'href="{ONE}"' in page.text
    assert "add the value to the column&#39;s enum and replay" in page.text
    [card] = twin["cards"]
    assert (card["owner"], card["age_hours"], card["stale"]) == ("shop", 1.0, False)
    assert [(one["owner"], one["batches"], one["rows"]) for one in twin["owners"]] == [("shop", 1, 2)]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["customers_run_old", NAME]),
        ("order=oldest", [NAME, "customers_run_old"]),
        ("owner=shop", [NAME]),
        ("owner=carla", ["customers_run_old"]),
        ("owner=", []),
        (f"dataset={ORDERS}", [NAME]),
        (f"partition={TODAY}", [NAME]),
        ("older=7", ["customers_run_old"]),
        ("state=DISCARDED", ["orders_run_test"]),
        ("state=ANY", ["orders_run_test", "customers_run_old", NAME]),
        ("state=ANY&cursor=customers_run_old", [NAME]),
    ],
)
def test_the_list_is_filtered(portal: PortalClient, query: str, names: list[str]) -> None:
    old = quarantine(portal.catalog, CUSTOMERS, "run_old", day=TODAY.shifted(-30), age=timedelta(days=30))
    portal.catalog.quarantine.assign(old, "carla", by=actor(), now=NOW)
    portal.catalog.quarantine.discard(
        quarantine(portal.catalog, run_id="run_test", day=TODAY.shifted(-1)), "test", by=actor(), now=NOW
    )

    assert [card["entry"]["name"] for card in portal.json(f"/quarantine?{query}")["cards"]] == names
    assert portal.page(f"/quarantine?{query}").status_code == 200


@pytest.mark.parametrize("query", ["state=NONE", "older=-1", "partition=soon", "cursor=none", "order=x"])
def test_a_filter_that_does_not_exist_is_an_error_page(portal: PortalClient, query: str) -> None:
    assert portal.page(f"/quarantine?{query}").status_code == 422


def test_an_empty_list_says_what_to_do(empty_portal: PortalClient) -> None:
    assert "Nothing is in quarantine" in empty_portal.page("/quarantine").text
    assert "No batch in quarantine matches" in empty_portal.page("/quarantine?owner=x").text
    assert empty_portal.page(ONE).status_code == 404


def test_consumers_see_neither_the_list_nor_its_links(portal: PortalClient) -> None:
    dataset = portal.page("/datasets/ds%3A%2F%2Fshop%2Forders", as_=Role.DATA_CONSUMER).text
    why = portal.page(f"/why/ds%3A%2F%2Fshop%2Forders?partition={TODAY}", as_=Role.DATA_CONSUMER).text

    for path in ("/quarantine", ONE, f"{ONE}/rows", f"{ONE}/diff"):
        assert portal.page(path, as_=Role.DATA_CONSUMER).status_code == 403
    assert "2 rows in 1 batch" in dataset
    assert "/quarantine" not in dataset + why


def test_pages_link_to_the_batch_and_back(portal: PortalClient) -> None:
    look(portal.catalog, group(finding(ORDERS, partition=TODAY), owner_team="shop"), at=NOW)

    assert (
        'href="/quarantine?dataset=ds%3A%2F%2Fshop%2Forders"' in portal.page("/datasets/ds%3A%2F%2Fshop%2Forders").text
    )
    assert f'href="{ONE}"' in portal.page(f"/why/ds%3A%2F%2Fshop%2Forders?partition={TODAY}").text
    assert f'href="{ONE}"' in portal.page("/incidents/1").text
    assert portal.json("/incidents/1", as_=Role.DATA_CONSUMER)["quarantine"] == []
    batch = portal.page(ONE).text
    assert 'href="/incidents/1"' in batch
    assert f'href="/why/ds%3A%2F%2Fshop%2Forders?partition={TODAY}"' in batch


@pytest.mark.parametrize("role", PRODUCERS)
def test_a_batch_shows_its_reasons_and_where_they_are(portal: PortalClient, role: Role) -> None:
    twin = portal.json(ONE, as_=role)

    first, second = twin["reasons"]
    assert (first["rows"], first["is_releasable"], first["places"]) == (2, True, ["orders.csv line 7"])
    assert not second["is_releasable"]
    assert twin["may_act"]
    assert "Request a replay" in portal.page(ONE, as_=role).text


def test_an_owner_of_another_team_sees_the_batch_without_rows_and_forms(portal: PortalClient) -> None:
    portal.tokens[Role.DATA_OWNER] = portal.token("sales owner", Role.DATA_OWNER, teams=("sales",))

    page = portal.page(ONE, as_=Role.DATA_OWNER).text.split("<main")[1]
    assert "<form method" not in page
    assert "/rows" not in page
    assert "The team <bdi>shop</bdi>" in page
    assert portal.page(f"{ONE}/rows", as_=Role.DATA_OWNER).status_code == 403
    for verb in ("assign", "discard", "replay", "release", "release/withdraw"):
        assert portal.page(f"{ONE}/{verb}", as_=Role.DATA_OWNER, method="POST", data={}).status_code == 403
    assert portal.catalog.quarantine.actions(NAME) == ()


def test_its_owner_assigns_and_discards_it(portal: PortalClient) -> None:
    portal.sign_in(Role.DATA_OWNER)

    assert send(portal, f"{ONE}/assign", to=" ") == 422
    assert send(portal, f"{ONE}/assign", to=HOSTILE) == 303
    assert portal.json(ONE)["card"]["owner"] == HOSTILE
    assert HOSTILE not in portal.page(ONE, as_=None).text + portal.page("/quarantine", as_=None).text
    assert send(portal, f"{ONE}/discard", reason="") == 422
    assert send(portal, f"{ONE}/discard", reason="test records of anna@example.com") == 303

    twin = portal.json(ONE)
    assert [(one["what"], one["by"]) for one in twin["history"]] == [
        ("discarded", "shop owner"), ("assigned", "shop owner"), ("quarantined", "run_bad"),
    ]  # fmt: skip
    page = portal.page(ONE, as_=None).text
    assert "<form method" not in page.split("<main")[1]
    assert "anna@example.com" not in page + json.dumps(twin)
    audited = portal.get("/api/v1/audit", params={"subject": NAME}).json()["items"]
    assert [one["action"] for one in audited] == ["quarantine.discard", "quarantine.assign"]


def test_a_release_takes_a_second_person(portal: PortalClient) -> None:
    portal.sign_in(Role.DATA_STEWARD)
    assert send(portal, f"{ONE}/release", reason="agreed") == 422, "no rule was chosen"
    assert send(portal, f"{ONE}/release", reason="agreed", **{"rule.1": "TYPE_MISMATCH:total"}) == 400
    assert send(portal, f"{ONE}/release", reason="agreed", **{"rule.1": "UNKNOWN_ENUM:status:C1"}) == 303
    own = portal.page(ONE, as_=None).text
    assert "other than you" in own
    assert "release/approve" not in own
    assert send(portal, f"{ONE}/release/approve") == 400

    portal.client.cookies.clear()
    portal.sign_in(Role.PLATFORM_ADMIN)
    assert send(portal, f"{ONE}/release/approve") == 303
    assert portal.json(ONE)["release"]["status"] == "APPROVED"
    assert send(portal, f"{ONE}/release/withdraw") == 303
    assert portal.json(ONE)["release"] is None
    assert send(portal, f"{ONE}/release/withdraw") == 303, "the same step by the same person changes nothing"
    assert portal.json(ONE)["release"] is None


def test_an_owner_cannot_approve_a_release(portal: PortalClient) -> None:
    portal.catalog.quarantine.request_release(NAME, "agreed", rules=["UNKNOWN_ENUM:status:C1"], by=actor(), now=NOW)

    assert "It waits for a steward" in portal.page(ONE, as_=Role.DATA_OWNER).text
    sent = portal.page(f"{ONE}/release/approve", as_=Role.DATA_OWNER, method="POST", data={})
    assert sent.status_code == 403


def test_what_no_delivery_brought_cannot_be_released(portal: PortalClient) -> None:
    name = quarantine(portal.catalog, run_id="run_bronze", day=TODAY.shifted(-3), stage=Stage.BRONZE, delivery_id="")

    assert not portal.json(f"/quarantine/{name}")["can_release"]
    assert "Request a release" not in portal.page(f"/quarantine/{name}").text


def test_a_requested_replay_is_shown_with_its_command_while_no_daemon_runs(portal: PortalClient) -> None:
    portal.sign_in(Role.DATA_OWNER)
    assert send(portal, f"{ONE}/replay") == 303

    page = portal.page(ONE, as_=None).text
    assert portal.json(ONE)["replay"]["progress"] == "waiting"
    assert f"data-platform quarantine replay {NAME}" in page
    [request] = portal.catalog.quarantine.requested_replays(after=0, limit=9)
    assert (request.entry, request.actor) == (NAME, "shop owner")

    portal.catalog.scheduler.record((), now=NOW)
    assert portal.json(ONE)["replay"]["trouble"] == ""

    quarantine(portal.catalog, run_id="run_again", age=-timedelta(hours=1))
    replay = portal.json(ONE)["replay"]
    assert (replay["progress"], replay["run_id"], replay["stage"]) == ("judged", "run_again", "silver")
    assert "Run run_again judged the day" in portal.page(ONE, as_=None).text


def test_a_form_of_another_page_is_refused(portal: PortalClient) -> None:
    portal.sign_in()

    assert portal.page(f"{ONE}/discard", as_=None, method="POST", data={"reason": "x"}).status_code == 403
    assert portal.catalog.quarantine.actions(NAME) == ()


@pytest.fixture
def sampled(tmp_path: Path) -> Iterator[PortalClient]:
    """A portal whose commands print one row, which has values that look personal, and a difference."""
    row = {
        "id": "1", "note": f"{HOSTILE} anna@example.com", "_file": "orders.csv", "_line": 7,
        "_raw": "1;anna@example.com",
        "_violations": ["UNKNOWN_ENUM:status:C1"], "_resolved": False, "_run_id": "run_bad",
    }  # fmt: skip
    answer = {"rows": [row], "would_pass": 1, "would_not": 1, "still_broken": {"TYPE_MISMATCH:total": 1}}
    url = f"sqlite:///{tmp_path / 'catalog.db'}"
    command = printing(answer)
    with PortalClient(url, policies=shop_policies(tmp_path), moment=NOW, samples=command, diff=command) as opened:
        fill(url, tmp_path)
        quarantine(opened.catalog)
        yield opened


def test_rows_are_shown_without_what_looks_personal(sampled: PortalClient) -> None:
    page = sampled.page(f"{ONE}/rows")
    twin = sampled.json(f"{ONE}/rows")

    assert page.status_code == 200, page.text
    assert twin["columns"] == ["id", "note", "record"]
    assert twin["lines"][0]["cells"][2] == "1;[REDACTED:EMAIL]"
    assert "anna@example.com" not in page.text + json.dumps(twin)
    assert HOSTILE not in page.text
    assert "orders.csv line 7" in page.text


def test_the_difference_is_that_of_the_command(sampled: PortalClient) -> None:
    assert sampled.json(f"{ONE}/diff")["still_broken"] == [["TYPE_MISMATCH:total", 1]]
    assert "would pass" in sampled.page(f"{ONE}/diff").text
    assert sampled.page("/quarantine/none/diff").status_code == 404


def test_a_machine_without_the_lake_shows_the_command(tmp_path: Path) -> None:
    failing = QuarantineCommand("show", (sys.executable, "-c", "import sys\nsys.exit('no lake here')"))
    url = f"sqlite:///{tmp_path / 'catalog.db'}"
    with PortalClient(url, policies=shop_policies(tmp_path), moment=NOW, samples=failing, diff=failing) as opened:
        fill(url, tmp_path)
        quarantine(opened.catalog)
        answers = [opened.page(f"{ONE}/{part}") for part in ("rows", "diff")]

    assert [one.status_code for one in answers] == [503, 503]
    assert all("no lake here" in one.text and f"quarantine show {NAME}" in one.text for one in answers)
