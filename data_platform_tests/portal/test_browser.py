"""The pages in a real browser, in both themes and on a phone: nothing keeps people from using them.

One server and one browser serve the whole file.
"""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple

import pytest

from data_platform.catalog import Catalog, open_catalog
from data_platform.model.access import Role
from data_platform.model.evidence_key import EvidenceKeys
from data_platform.model.registration import Actor, RegistrationRequest
from data_platform.model.verdict import Gate
from data_platform.model.waiver import WaiverRequest
from data_platform_tests.catalog.incident.example_finding import finding, group, look
from data_platform_tests.catalog.lineage.example import event, run_id, send
from data_platform_tests.catalog.template import copy_template
from data_platform_tests.portal.quarantine_sample import printing
from data_platform_tests.portal.shop import CUSTOMERS, NOW, RATES, TODAY, fill, quarantine, shop_policies
from data_platform_tests.portal.test_onboarding_page import ENTRY

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("chromium"), reason="no Chromium: .ci/run installs Debian's"),
]

DATASET = "/datasets/ds%3A%2F%2Fshop%2Forders"
PATHS = (
    "/",
    "/datasets",
    DATASET,
    f"/why/ds%3A%2F%2Fshop%2Forders?partition={TODAY}",
    "/policy/ds%3A%2F%2Fshop%2Forders",
    "/lineage/ds%3A%2F%2Fshop%2Forders",
    "/lineage/ds%3A%2F%2Fshop%2Forders?incident=1",
    "/processes",
    "/processes/etl%2Fmart",
    f"/runs/{run_id(1)}",
    "/incidents",
    "/incidents/1",
    "/kpis",
    "/backtest/ds%3A%2F%2Fshop%2Forders",
    "/evidence",
    f"/evidence?day={TODAY}",
    "/evidence/verify",
    "/approvals",
    "/waivers",
    "/quarantine",
    "/quarantine/orders_run_bad",
    "/quarantine/orders_run_bad/rows",
    "/onboarding",
    "/onboarding/ds%3A%2F%2Fops%2Fflights",
    "/nothing",
)


class Site(NamedTuple):
    """A portal at ``url``, the token of an administrator, the browser, and the token of a steward."""

    url: str
    token: str
    browser: object
    steward: str


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    from data_platform_tests.portal.browser import chromium
    from data_platform_tests.portal.served_portal import served_portal

    folder = tmp_path_factory.mktemp("portal")
    copy_template(folder / "catalog.db")
    url = f"sqlite:///{folder / 'catalog.db'}"
    fill(url, folder)
    with open_catalog(url, EvidenceKeys(folder / "evidence.key")) as catalog:
        report(catalog)
        catalog.onboardings.save(ENTRY, now=NOW)
        late = group(finding(CUSTOMERS, partition=TODAY.shifted(-1)), title="customers are late")
        look(catalog, group(finding(), title="orders are late"), late, at=NOW)
        quarantine(catalog, day=TODAY.shifted(-2))
        failure = WaiverRequest(
            dataset_urn=RATES, gate=Gate.DQ, signature="EMPTY_BATCH", first=None, last=None, reason="a holiday",
            expires_at=NOW + timedelta(days=5),
        )  # fmt: skip
        catalog.waivers.request(failure, by=Actor(name="bob", role="DATA_OWNER"), now=NOW)
        asked = RegistrationRequest(namespace="ds://web", name="clicks", description="Clicks", owner_team="shop")
        catalog.registry.request_registration(asked, by=Actor(name="bob", role="DATA_OWNER"), now=NOW)
        quarantine(catalog, run_id="run_test", day=TODAY.shifted(-1))
        token = catalog.access.create_token("ann", Role.PLATFORM_ADMIN, actor="test", actor_role="LOCAL", now=NOW)[1]
        steward = catalog.access.create_token("bob", Role.DATA_STEWARD, actor="test", actor_role="LOCAL", now=NOW)[1]
        row = {"id": "1", "_file": "orders.csv", "_line": 7, "_violations": ["UNKNOWN_ENUM:status:C1"]}
        samples = printing({"rows": [row]})
        with served_portal(catalog, shop_policies(folder), now=NOW, samples=samples) as address, chromium() as browser:
            yield Site(address, token, browser, steward)


def report(catalog: Catalog) -> None:
    """A job makes a mart of the orders, and two others read the mart."""
    mart = {"namespace": "s3://lake", "name": "mart"}
    orders = {"namespace": "ds://shop", "name": "orders"}
    send(catalog, event(run=run_id(1), job="mart", inputs=[orders], outputs=[mart]))
    send(catalog, *(event(run=run_id(2 + place), job=f"reader {place}", inputs=[mart]) for place in range(2)))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_keeps_people_from_using_a_page(site: Site, theme: str) -> None:
    from data_platform_tests.portal.browser import serious_findings, sign_in, viewer

    problems: list[str] = []
    with viewer(site.browser, color_scheme=theme, bypass_csp=True) as context:
        page = context.new_page()
        page.goto(f"{site.url}/sign-in")
        found = {"/sign-in": serious_findings(page)}
        sign_in(page, site.url, site.token)
        page.on("pageerror", lambda error: problems.append(str(error)))
        for path in PATHS:
            page.goto(site.url + path)
            found[path] = serious_findings(page)

    assert {path: one for path, one in found.items() if one} == {}
    assert problems == []


def test_a_late_dataset_leads_to_its_held_day(site: Site) -> None:
    from data_platform_tests.portal.browser import PHONE, sign_in, viewer

    refused: list[str] = []
    with viewer(site.browser, viewport=PHONE) as context:
        page = context.new_page()
        page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
        sign_in(page, site.url, site.token)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than a phone"
        page.locator("#held").get_by_role("link", name="why").click()
        page.get_by_role("heading", name=f"Why {TODAY} is held").wait_for()
        page.get_by_role("link", name="shop/orders").first.click()
        page.get_by_role("heading", name="Days and gates").wait_for()
        page.locator("figure.chart canvas").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than a phone"
        assert page.locator("time[data-local]").first.get_attribute("title").endswith(")")

    assert refused == [], "the content security policy refused something of our own"


def test_an_incident_is_acknowledged(site: Site) -> None:
    from data_platform_tests.portal.browser import sign_in, viewer

    with viewer(site.browser) as context:
        page = context.new_page()
        sign_in(page, site.url, site.token)
        page.get_by_role("link", name="Incidents").click()
        page.get_by_role("link", name="orders are late").click()
        page.get_by_role("heading", name="Root cause").wait_for()
        page.get_by_label("Comment").first.fill("asked the producer")
        page.get_by_role("button", name="Acknowledge").click()
        page.get_by_text("asked the producer").first.wait_for()

        assert page.get_by_role("button", name="Acknowledge").count() == 0


def test_a_late_dataset_leads_to_its_incident_and_root_cause(site: Site) -> None:
    from data_platform_tests.portal.browser import sign_in, viewer

    with viewer(site.browser) as context:
        page = context.new_page()
        sign_in(page, site.url, site.token)
        late = page.locator("#late").get_by_role("row", name="shop/customers")
        late.get_by_role("link", name="#").click()
        page.get_by_role("heading", name="Root cause").wait_for()

        assert page.get_by_text("shop/customers").count() > 0
        page.get_by_role("link", name="The broken path in the lineage").click()
        page.get_by_role("heading", name="Broken path of incident").wait_for()


def test_words_lead_to_a_dataset(site: Site) -> None:
    from data_platform_tests.portal.browser import sign_in, viewer

    with viewer(site.browser) as context:
        page = context.new_page()
        sign_in(page, site.url, site.token)
        page.get_by_role("searchbox").fill("customer")
        page.get_by_role("searchbox").press("Enter")
        page.get_by_role("region", name="Declared datasets").get_by_role("link", name="customers").first.click()

        page.get_by_role("heading", name="shop/customers").wait_for()


def test_a_batch_in_quarantine_is_assigned_and_discarded(site: Site) -> None:
    from data_platform_tests.portal.browser import PHONE, sign_in, viewer

    with viewer(site.browser, viewport=PHONE) as context:
        page = context.new_page()
        sign_in(page, site.url, site.token)
        page.get_by_role("link", name="Quarantine").click()
        page.get_by_role("link", name=f"shop/orders {TODAY.shifted(-1)}").click()
        page.get_by_label("Person who works on it").fill("carla")
        page.get_by_role("button", name="Assign").click()
        page.get_by_text("assigned by").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than a phone"
        page.locator("form[action$=discard]").get_by_label("Reason").fill("test records")
        page.get_by_role("button", name="Discard 2 rows").click()
        page.get_by_text("discarded by").wait_for()

        assert page.get_by_role("button", name="Discard").count() == 0


def test_a_release_is_requested_approved_by_another_person_and_replayed(site: Site) -> None:
    from data_platform_tests.portal.browser import sign_in, viewer

    with viewer(site.browser) as context, viewer(site.browser) as others:
        page, other = context.new_page(), others.new_page()
        sign_in(page, site.url, site.token)
        sign_in(other, site.url, site.steward)
        page.goto(f"{site.url}/quarantine/orders_run_bad")
        page.locator("form[action$=release]").get_by_label("Reason").fill("C1 is a new code")
        page.get_by_role("button", name="Request a release").click()
        page.get_by_text("It waits for a second person").wait_for()
        other.goto(page.url)
        other.get_by_role("button", name="Approve the release").click()
        other.get_by_text("approved it").wait_for()
        page.reload()
        page.get_by_role("button", name="Request a replay").click()

        page.get_by_text("Dagster's sensor").wait_for()
        assert page.get_by_role("button", name="Approve the release").count() == 0


def test_a_request_is_approved(site: Site) -> None:
    from data_platform_tests.portal.browser import sign_in, viewer

    with viewer(site.browser, java_script_enabled=False) as context:
        page = context.new_page()
        sign_in(page, site.url, site.token)
        page.get_by_role("link", name="Approvals").click()
        page.get_by_role("button", name="Approve registration 1").click()
        page.get_by_role("button", name="Approve waiver 1").click()
        page.get_by_role("heading", name="Active 1").wait_for()
        page.get_by_role("link", name="Approvals").click()
        page.get_by_text("Nothing waits for an approval").wait_for()
        page.get_by_role("link", name="approved").click()

        assert page.get_by_text("approved by ann").count() == 2


def test_a_filter_replaces_the_list_without_a_reload(site: Site) -> None:
    from data_platform_tests.portal.browser import sign_in, viewer

    with viewer(site.browser) as context:
        page = context.new_page()
        sign_in(page, site.url, site.token)
        page.goto(f"{site.url}/datasets")
        page.evaluate("window.isSamePage = true")
        page.get_by_label("Filters").get_by_role("link", name="held").click()
        page.get_by_text("1 of 3").wait_for()

        assert page.url.endswith("/datasets?state=held")
        assert page.evaluate("window.isSamePage")
        assert page.get_by_role("region", name="Declared datasets").get_by_role("link").count() == 1


def test_a_table_is_sorted_by_its_header(site: Site) -> None:
    from data_platform_tests.portal.browser import sign_in, viewer

    with viewer(site.browser) as context:
        page = context.new_page()
        sign_in(page, site.url, site.token)
        page.goto(f"{site.url}/onboarding/ds%3A%2F%2Fops%2Fflights")
        table = page.get_by_role("region", name="Rules of ds://ops/flights")
        kinds = table.locator("td[data-label=rule]")
        assert kinds.all_text_contents() == ["codes", "rows"]
        table.get_by_role("button", name="rule").press("Enter")
        table.get_by_role("button", name="rule").press("Enter")

        assert kinds.all_text_contents() == ["rows", "codes"]
        assert table.get_by_role("columnheader", name="rule").get_attribute("aria-sort") == "descending"
        assert "Europe/Berlin" in page.locator("footer").text_content()


def test_a_graph_is_zoomed_and_opened(site: Site) -> None:
    from data_platform_tests.portal.browser import sign_in, viewer

    refused: list[str] = []
    with viewer(site.browser) as context:
        page = context.new_page()
        page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
        sign_in(page, site.url, site.token)
        page.goto(f"{site.url}/lineage/ds%3A%2F%2Fshop%2Forders")
        sheet = page.locator(".sheet")
        page.wait_for_function("document.querySelector('.sheet').style.transform.includes('translate')")
        before = sheet.evaluate("node => node.style.transform")
        page.get_by_role("button", name="Larger").click()
        page.wait_for_function("text => document.querySelector('.sheet').style.transform != text", arg=before)
        page.get_by_role("link", name="+ 2 downstream of mart").click()
        page.get_by_role("link", name="process reader 1 completed").wait_for()
        page.get_by_role("link", name="dataset mart no policy").press("Enter")
        page.get_by_role("heading", name="s3://lake/mart").wait_for()

    assert refused == [], "the content security policy refused something of our own"


def test_pages_can_be_read_without_scripts(site: Site) -> None:
    from data_platform_tests.portal.browser import sign_in, viewer

    with viewer(site.browser, java_script_enabled=False) as context:
        page = context.new_page()
        sign_in(page, site.url, site.token)
        page.goto(site.url + DATASET)

        assert page.get_by_text("2026-02-14").count() > 0
        assert page.get_by_text("As a table").count() == 2
        assert page.get_by_role("button", name="Switch between").count() == 0

        page.get_by_role("link", name="The whole lineage").click()
        page.get_by_role("link", name="+ 2 downstream of mart").click()
        page.get_by_role("link", name="process reader 0 completed").wait_for()
