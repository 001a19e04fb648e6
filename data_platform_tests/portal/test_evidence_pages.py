"""The pages of evidence: the records, one of them with what it is about, and the proof that nobody changed them."""

# ruff: noqa: S608 - the statement is the test's own

from datetime import timedelta
from pathlib import Path

import pytest

from data_platform.catalog import open_catalog
from data_platform.model.access import Role
from data_platform.model.evidence import Evidence
from data_platform.model.evidence_key import EvidenceKeys
from data_platform.portal.seal import Seal
from data_platform_tests.catalog.evidence.tampering import tamper
from data_platform_tests.portal.portal_client import KEY, PortalClient
from data_platform_tests.portal.shop import CUSTOMERS, NOW, ORDERS, TODAY

HOSTILE = "<img src=x onerror=alert(1)>\"'&{{7*7}}\u202e/..?#%" + "ü" * 450


def record(urn: str = ORDERS, gate: str = "G4_CONTRACT", result: str = "FAIL", **more: str) -> Evidence:
    return Evidence(
        run_id="run_held", dataset_urn=urn, gate=gate, result=result, timestamp=NOW, stage="silver",
        partition=TODAY, **more,
    )  # fmt: skip


def edit(portal: PortalClient, position: int) -> None:
    """Somebody with the database's password changes a verdict about customers."""
    tamper(
        portal.url, f"UPDATE evidence SET result = 'FAIL' WHERE dataset_urn = '{CUSTOMERS}' AND position = {position}"
    )


@pytest.fixture
def portal(portal: PortalClient) -> PortalClient:
    """Orders were certified ten times, customers nine times; today's contract of orders failed."""
    portal.catalog.evidence.add([record(failure_signature="INVARIANT:total")])
    return portal


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part of a verification ends after one record."""
    monkeypatch.setattr("data_platform.catalog.evidence.verification.LOOKED_AT_ONCE", 1)
    monkeypatch.setattr("data_platform.portal.evidence.SECONDS", -1)


def newest(portal: PortalClient) -> str:
    return str(portal.json("/evidence")["rows"][0]["evidence_id"])


def test_records_are_found_by_dataset_day_gate_and_verdict(portal: PortalClient) -> None:
    def found(query: str) -> list[tuple[str, str]]:
        return [(row["dataset_urn"], row["gate"]) for row in portal.json(f"/evidence?{query}")["rows"]]

    assert len(found("")) == 20
    assert found("dataset=orders&gate=G4_CONTRACT&day=&result=") == [(ORDERS, "G4_CONTRACT")]
    assert found(f"day={TODAY}") == found("result=FAIL") == found("run=run_held") == [(ORDERS, "G4_CONTRACT")]
    assert found("dataset=nobody") == []
    assert "No record matches" in portal.page("/evidence?dataset=nobody").text


def test_a_wrong_filter_is_an_error_that_names_it(portal: PortalClient) -> None:
    for query in ("gate=G9", "result=MAYBE", "day=yesterday", "cursor=x"):
        page = portal.page(f"/evidence?{query}")

        assert page.status_code == 422
        assert query.partition("=")[0] in page.text


def test_many_records_are_shown_page_by_page(portal: PortalClient) -> None:
    portal.catalog.evidence.add([record(gate="DQ", result="PASS") for _ in range(60)])

    first = portal.json("/evidence?gate=DQ")
    second = portal.json(f"/evidence?gate=DQ&cursor={first['cursor']}")

    assert (len(first["rows"]), len(second["rows"]), second["cursor"]) == (50, 10, None)
    assert not {row["evidence_id"] for row in first["rows"]} & {row["evidence_id"] for row in second["rows"]}
    assert 'rel="next"' in portal.page("/evidence?gate=DQ").text


def test_a_record_shows_its_rules_counts_and_place_in_the_chain(portal: PortalClient) -> None:
    path = f"/evidence/{newest(portal)}"
    page, twin = portal.page(path, as_=Role.DATA_CONSUMER), portal.json(path)

    assert page.status_code == 200
    assert (twin["record"]["position"], twin["is_sealed"], twin["run"]["rows"]["read"]) == (11, True, 100)
    assert twin["verdict"]["results"][0]["signature"] == "INVARIANT:total"
    for text in ("INVARIANT:total", "the MAC matches", twin["record"]["mac"], twin["record"]["previous_mac"]):
        assert text in page.text
    assert portal.page(f"/evidence/{twin['before']}").status_code == 200


def test_a_record_that_was_changed_is_marked(portal: PortalClient) -> None:
    path = f"/evidence/{newest(portal)}"
    tamper(portal.url, "UPDATE evidence SET failure_signature = 'X' WHERE gate = 'G4_CONTRACT'")

    assert portal.json(path)["is_sealed"] is False
    assert "somebody changed the record" in portal.page(path).text


def test_a_record_that_is_not_there_is_an_error_page(portal: PortalClient) -> None:
    assert portal.page("/evidence/unchained-99999999").status_code == 404
    assert portal.page("/evidence/nothing").status_code == 404


def test_a_whole_log_is_shown_as_whole(portal: PortalClient) -> None:
    twin = portal.json("/evidence/verify")["verification"]

    assert (twin["is_whole"], twin["records"], twin["chains"], twin["checkpoints"]) == (True, 20, 2, 1)
    assert portal.json("/evidence/verify?dataset=customers")["verification"]["records"] == 9
    assert 'class="big">whole' in portal.page("/evidence/verify", as_=Role.DATA_CONSUMER).text


def test_a_break_is_named_with_what_to_do(portal: PortalClient) -> None:
    edit(portal, 3)

    page = portal.page("/evidence/verify?dataset=customers")

    [found] = portal.json("/evidence/verify")["verification"]["breaks"]
    assert (found["kind"], found["position"]) == ("edited", 3)
    assert "What to do" in page.text
    assert portal.json("/evidence/verify?dataset=orders")["verification"]["is_whole"]


@pytest.mark.usefixtures("brief")
def test_a_long_verification_goes_on_part_by_part(portal: PortalClient) -> None:
    page = portal.page("/evidence/verify")
    part, checked = portal.json("/evidence/verify"), []
    while part["continuation"]:
        checked.append(part["verification"]["checked"])
        assert not part["verification"]["is_whole"]
        part = portal.json(f"/evidence/verify?continuation={part['continuation']}")

    assert checked == list(range(1, 10)) + list(range(10, 21))
    assert part["verification"]["is_whole"]
    assert part["verification"]["records"] == part["verification"]["expected"] == 20
    assert ">Go on</a>" in page.text
    assert 'hx-trigger="load' in page.text
    assert 'class="big">whole' not in page.text


@pytest.mark.usefixtures("brief")
def test_a_verification_ends_at_the_first_break(portal: PortalClient) -> None:
    edit(portal, 2)
    first = portal.json("/evidence/verify")

    second = portal.json(f"/evidence/verify?continuation={first['continuation']}")

    assert second["continuation"] is None
    assert [found["kind"] for found in second["verification"]["breaks"]] == ["edited"]
    page = portal.page(f"/evidence/verify?continuation={first['continuation']}").text
    assert "The rest was not checked" in page


def test_a_forged_continuation_is_refused() -> None:
    seal = Seal(KEY, "verification")
    text = seal.sealed({"a": 1})

    assert seal.opened(text) == {"a": 1}
    for forged in (Seal(b"x", "verification").sealed(1), Seal(KEY, "other").sealed(1), text[:-1], "", "a.b", "ü.ü"):
        assert seal.opened(forged) is None


def test_a_continuation_of_another_service_is_an_error(portal: PortalClient) -> None:
    assert portal.page("/evidence/verify?continuation=abc").status_code == 422


def test_the_topic_shows_what_was_sent_and_what_waits(portal: PortalClient) -> None:
    [(third, _)] = portal.catalog.evidence_relay.unsent("audit", 3)[2:]
    portal.catalog.evidence_relay.claim("audit", "me", now=NOW, ttl=timedelta(seconds=6))
    portal.catalog.evidence_relay.confirm("audit", "me", third, now=NOW, release=True)

    [topic] = portal.json("/evidence")["topics"]

    assert (topic["topic"], topic["sent"], topic["waiting"]) == ("audit", 3, 17)
    assert "17 records" in portal.page("/evidence").text


def test_an_empty_log_says_what_to_do(empty_portal: PortalClient) -> None:
    assert "data-platform run" in empty_portal.page("/evidence").text
    assert "nothing could be changed" in empty_portal.page("/evidence/verify").text


def test_hostile_texts_are_shown_as_texts(portal: PortalClient) -> None:
    portal.catalog.evidence.add([record(urn=HOSTILE, failure_signature=HOSTILE)])
    asked = {"dataset": HOSTILE[:190], "run": HOSTILE[:190]}
    pages = [
        portal.page("/evidence"), portal.page(f"/evidence/{newest(portal)}"), portal.page("/evidence", params=asked),
        portal.page("/evidence/verify", params={"dataset": HOSTILE[:190]}),
    ]  # fmt: skip

    for page in pages:
        assert page.status_code == 200, page.text
        assert "&lt;img" in page.text
        assert "<img" not in page.text


def test_without_the_key_a_seal_is_not_judged(portal: PortalClient, tmp_path: Path) -> None:
    with open_catalog(portal.url, EvidenceKeys(tmp_path / "no.key")) as catalog:
        found = catalog.evidence.record(newest(portal))

        assert found is not None
        assert catalog.evidence.is_sealed(found) is None
