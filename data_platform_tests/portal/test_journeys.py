"""A dataset is onboarded from page to page in a real browser, until its certified version is seen, on data that runs.

``test_browser`` has the journeys that need no run.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from pyspark.sql import SparkSession

from data_platform.api.application import build
from data_platform.catalog import Catalog, open_catalog
from data_platform.model.access import Role
from data_platform.model.evidence_key import EvidenceKeys
from data_platform.portal.application import add_portal
from data_platform_tests.api.served import LIMITS, serving
from data_platform_tests.flows.estate import Estate
from data_platform_tests.flows.test_onboarding import DAYS, copy_for_review, deliver
from data_platform_tests.portal.portal_client import KEY

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("chromium"), reason="no Chromium: .ci/run installs Debian's"),
]
WORK = 900_000
"""The most milliseconds that profiling and the trial take on a machine that does other work too."""


@dataclass
class Story:
    """``ann`` and ``bob`` open a window of the owner of the data, and of a steward."""

    estate: Estate
    catalog: Catalog
    ann: Callable[[], AbstractContextManager[Any]]
    bob: Callable[[], AbstractContextManager[Any]]
    read_policies: Callable[[], None]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Iterator[Story]:
    from data_platform_tests.portal.browser import chromium, sign_in, viewer
    from data_platform_tests.portal.onboarding_thread import ThreadDesk

    estate = Estate(tmp_path_factory.mktemp("journeys") / "home", spark)
    deliver(estate)
    settings = estate.settings
    desk = ThreadDesk(home=settings.home, landing=settings.landing, policies=settings.policies, estate=estate)
    with open_catalog(settings.catalog_url, EvidenceKeys(settings.evidence_key)) as catalog:
        given = {"actor": "test", "actor_role": "LOCAL", "now": estate.now}
        ann = catalog.access.create_token("ann", Role.DATA_OWNER, teams=("sales",), **given)[1]
        bob = catalog.access.create_token("bob", Role.DATA_STEWARD, **given)[1]
        app = build(catalog, LIMITS, policies=settings.policies, now=lambda: estate.now)
        add_portal(
            app, catalog, policies=settings.policies, session_key=KEY, now=lambda: estate.now, kept_seconds=0,
            onboarding_desk=desk,
        )  # fmt: skip
        with serving(app) as url, chromium() as browser:

            @contextmanager
            def window(token: str) -> Iterator[Any]:
                with viewer(browser) as context:
                    page = context.new_page()
                    sign_in(page, url, token)
                    yield page

            policies = app.state.portal.policies
            yield Story(estate, catalog, lambda: window(ann), lambda: window(bob), policies._look)


def test_a_csv_is_onboarded_and_its_certified_version_is_seen(story: Story) -> None:
    with story.ann() as page:
        page.get_by_role("link", name="Datasets").click()
        page.get_by_role("link", name="Onboard a dataset").first.click()
        page.get_by_label("Deliveries").fill("orders")
        page.get_by_label("Name of the dataset").fill("sales/orders")
        page.get_by_label("Team that owns it").fill("sales")
        page.get_by_role("button", name="Profile its deliveries").click()
        page.get_by_role("progressbar").wait_for()
        page.get_by_role("button", name="Submit for approval").wait_for(timeout=WORK)
        assert page.get_by_role("region", name="Rules of ds://sales/orders").get_by_text("EMAIL: tokenize").count() == 1
        page.get_by_role("button", name="Submit for approval").click()
        page.get_by_role("heading", name="Next").wait_for()
        page.get_by_text("Somebody other than ann approves it").wait_for()

        with story.bob() as other:
            other.get_by_role("link", name="Approvals").click()
            other.get_by_role("button", name="Approve registration 1").click()
            other.get_by_text("Nothing waits for an approval").wait_for()
        copy_for_review(story.estate, str(story.estate.root / "onboarding" / "for_review" / "sales__orders"))
        story.read_policies()
        assert story.estate.run("orders", DAYS[-1])[-1].passed

        page.reload()
        page.get_by_role("link", name="what consumers see of sales/orders").click()
        page.get_by_role("heading", name="sales/orders").wait_for()
        assert page.get_by_text("certified").count() > 0
        assert page.get_by_text(str(DAYS[-1])).count() > 0
