"""The pages of the portal: what they show of a shop, to whom, and that nothing in a name or a text breaks them."""

import pytest

from data_platform.model.access import Role
from data_platform.model.partition_key import PartitionKey
from data_platform_tests.api.service_client import event
from data_platform_tests.catalog.incident.example_finding import finding, group, look
from data_platform_tests.portal.portal_client import PortalClient
from data_platform_tests.portal.shop import CUSTOMERS, ORDERS, TODAY, certify

DATASET = "/datasets/ds%3A%2F%2Fshop%2Forders"
HELD = f"/why/ds%3A%2F%2Fshop%2Forders?partition={TODAY}"
POLICY = "/policy/ds%3A%2F%2Fshop%2Forders"
PAGES = ("/", "/datasets", DATASET, HELD, POLICY)
HOSTILE = "<img src=x onerror=alert(1)>\"'&{{7*7}}\u202e/..?#%" + "ü" * 450


def quoted(name: str) -> str:
    from data_platform.portal.link import dataset_link

    return dataset_link(name)


@pytest.mark.parametrize("path", PAGES)
def test_each_page_has_a_json_twin_of_the_same_value(portal: PortalClient, path: str) -> None:
    page = portal.page(path)

    assert page.status_code == 200, page.text
    assert page.headers["content-type"].startswith("text/html")
    assert portal.json(path)
    joined = f"{path}{'&' if '?' in path else '?'}format=json"
    assert portal.page(joined).json() == portal.json(path)


@pytest.mark.parametrize("path", PAGES)
def test_each_page_may_load_only_files_of_this_service(portal: PortalClient, path: str) -> None:
    page = portal.page(path)

    policy = page.headers["content-security-policy"]
    assert "default-src 'self'; script-src 'self'; style-src 'self'" in policy
    assert "unsafe" not in policy
    assert "http://" not in page.text.replace("http://www.w3.org", "")
    assert page.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/", "/datasets", "/datasets?q=anything"])
def test_pages_of_an_empty_catalog_say_what_to_do(empty_portal: PortalClient, path: str) -> None:
    page = empty_portal.page(path)

    assert page.status_code == 200
    assert 'class="empty"' in page.text


def test_today_shows_what_is_late_and_held_before_what_is_due(portal: PortalClient) -> None:
    board = portal.json("/")

    assert [row["dataset"] for row in board["late"]["rows"]] == ["ds://market/rates", CUSTOMERS]
    assert [(row["dataset"], row["partition"]) for row in board["held"]["rows"]] == [(ORDERS, TODAY)]
    assert {row["dataset"] for row in board["certified"]["rows"]} == {ORDERS}
    assert board["certified"]["rows"][0]["there_since"] < board["certified"]["rows"][0]["late_since"]
    text = portal.page("/").text
    assert text.index('id="late"') < text.index('id="held"') < text.index('id="due"') < text.index('id="certified"')


def test_a_late_day_leads_to_its_own_incident_and_not_to_the_newest(portal: PortalClient) -> None:
    [late] = [row for row in portal.json("/")["late"]["rows"] if row["dataset"] == CUSTOMERS]
    own, other = PartitionKey(late["partition"]), PartitionKey(late["partition"]).shifted(5)
    look(portal.catalog, group(finding(CUSTOMERS, partition=own)))
    look(portal.catalog, *(group(finding(CUSTOMERS, partition=day)) for day in (own, other)))

    [late] = [row for row in portal.json("/")["late"]["rows"] if row["dataset"] == CUSTOMERS]

    assert {one.number for one in portal.catalog.incidents.active()} == {1, 2}
    assert late["incident"] == 1


def test_today_can_be_filtered_and_shown_as_of_a_time(portal: PortalClient) -> None:
    filtered = portal.json("/?owner=market")
    earlier = portal.json("/?at=2026-02-15T05:45:00-05:00")

    assert [row["owner_team"] for row in filtered["late"]["rows"]] == ["market"]
    assert filtered["held"]["total"] == 0
    assert CUSTOMERS not in [row["dataset"] for row in earlier["late"]["rows"]]
    assert portal.page("/?at=yesterday").status_code == 422


def test_datasets_are_found_by_facets_and_words(portal: PortalClient) -> None:
    everything = portal.json("/datasets")
    held = portal.json("/datasets?zone=shop&state=held")
    found = portal.json("/datasets?q=customer")

    assert everything["rows"][0]["state"] == "late"
    assert {facet["name"]: len(facet["choices"]) for facet in everything["facets"]}["zone"] == 2
    assert [row["urn"] for row in held["rows"]] == [ORDERS]
    assert [row["urn"] for row in found["rows"]] == [CUSTOMERS]


def test_a_dataset_shows_what_consumers_see_and_why_not_more(portal: PortalClient) -> None:
    page = portal.json(DATASET)

    assert page["certification"]["version"] == 10
    assert page["line"]["state"] == "held"
    newest = page["matrix"]["days"][0]
    assert (newest["partition"], newest["is_held"]) == (TODAY, True)
    assert [day["is_held"] for day in page["matrix"]["days"][1:]] == [False] * 10
    volume = next(chart for chart in page["charts"] if chart["name"] == "volume")
    assert volume["series"][0]["numbers"] == [100 + number for number in range(1, 11)]
    assert [change["event"] for change in page["changes"]][:2] == ["HELD", "CERTIFIED"]


def test_the_page_of_a_held_day_names_the_rule_and_what_to_do(portal: PortalClient) -> None:
    text = portal.page(HELD).text

    assert "INVARIANT:total" in text
    assert "What to do" in text


def test_a_consumer_sees_neither_policies_nor_addresses(portal: PortalClient) -> None:
    for_owner, for_consumer = portal.page(DATASET), portal.page(DATASET, as_=Role.DATA_CONSUMER)

    assert portal.page(POLICY, as_=Role.DATA_CONSUMER).status_code == 403
    assert "shop@example.com" in for_owner.text
    assert "shop@example.com" not in for_consumer.text
    assert portal.json(DATASET, as_=Role.DATA_CONSUMER)["dataset"]["owner_email"] is None


def test_a_hostile_name_is_shown_as_text(portal: PortalClient) -> None:
    portal.post("/api/v1/run_event", json=event(outputs=[{"namespace": "s3://lake", "name": HOSTILE}]))

    [other] = portal.json("/datasets?q=onerror")["others"]
    page = portal.page(quoted(other["reference"]))
    search = portal.page("/datasets", params={"q": "onerror"})

    assert page.status_code == search.status_code == 200
    for text in (page.text, search.text):
        assert "<img" not in text
        assert "&lt;img src=x" in text
        assert "{{7*7}}" in text


@pytest.mark.parametrize(
    "words",
    ["<script>alert(1)</script>", "%00", "''\"", "*", "a" * 2_000, "\u202e\u0645\u0631\u062d\u0628\u0627"],
    ids=["HTML", "NUL", "quotes", "no letter", "2,000 letters", "right to left"],
)
def test_any_words_may_be_searched(portal: PortalClient, words: str) -> None:
    page = portal.page("/datasets", params={"q": words})

    assert page.status_code == 200
    assert "<script>alert" not in page.text


def test_texts_of_policies_are_escaped(portal: PortalClient) -> None:
    assert "All &lt;b&gt;of them&lt;/b&gt;." in portal.page(DATASET).text


@pytest.mark.parametrize(
    ("path", "status"),
    [("/nothing", 404), ("/datasets/nobody", 404), ("/datasets?page=x", 422), (f"{HELD}0", 422)],
)
def test_an_error_is_a_page_for_people_and_a_document_for_programs(
    portal: PortalClient, path: str, status: int
) -> None:
    page, document = portal.page(path), portal.get(path, headers={"Accept": "application/json"})

    assert (page.status_code, document.status_code) == (status, status)
    assert page.headers["content-type"].startswith("text/html")
    assert 'class="card error"' in page.text
    assert document.headers["content-type"] == "application/problem+json"


def test_the_api_answers_a_browser_with_documents_as_before(portal: PortalClient) -> None:
    answer = portal.page("/api/v1/dataset/nobody")

    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


def test_an_unexpected_error_is_a_page_with_an_id(portal: PortalClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("data_platform.portal.dataset.read_dataset", fail)
    page = portal.page(DATASET)

    assert page.status_code == 500
    assert 'class="card error"' in page.text
    assert "secret detail" not in page.text


def test_a_large_page_is_compressed(portal: PortalClient) -> None:
    page = portal.page(DATASET, headers={"Accept-Encoding": "gzip"})

    assert page.headers["content-encoding"] == "gzip"
    assert "Days and gates" in page.text


def test_a_dataset_with_a_newer_certified_day_still_shows_its_held_days(portal: PortalClient) -> None:
    later = TODAY.shifted(1)
    certify(portal.catalog, ORDERS, later, 11)

    page = portal.page("/datasets?state=held")
    [line] = portal.json("/datasets?state=held")["rows"]

    assert (line["state"], line["held_days"], line["held"]) == ("certified", 1, TODAY)
    assert line["partition"] == later
    assert line["states"] == ["certified", "held"]
    assert "1 held day" in page.text
    assert "1 held day" in portal.page(DATASET).text
    [states] = [facet["choices"] for facet in portal.json("/datasets")["facets"] if facet["name"] == "state"]
    assert {one["value"]: one["count"] for one in states} == {"late": 2, "certified": 1, "held": 1}


def test_a_dataset_shows_the_parts_of_its_health_and_where_to_look(portal: PortalClient) -> None:
    twin, page = portal.json(DATASET), portal.page(DATASET).text

    parts = {one["part"]: one for one in twin["health"]["parts"]}
    assert 0 < twin["health"]["score"] < 100
    assert parts["certified"]["good"] < parts["certified"]["of"]
    assert 'href="#gates"' in page
    assert 'href="#history"' in page
    assert portal.json(quoted("ds://market/rates"))["health"] is None  # nothing judges it
