"""Debian's Chromium, driven by Playwright, and the accessibility checks of axe-core."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
SERIOUS = ("serious", "critical")
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def chromium() -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert program, "no Chromium: install Debian's package 'chromium'"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def viewer(browser: Browser, **options: Any) -> Iterator[BrowserContext]:
    """A person with a window of their own; ``options`` are those of Playwright's contexts."""
    given = {"viewport": DESKTOP, "timezone_id": "Europe/Berlin", "locale": "en-GB", **options}
    context = browser.new_context(**given)
    context.set_default_timeout(20_000)
    try:
        yield context
    finally:
        context.close()


def sign_in(page: Page, url: str, token: str) -> None:
    page.goto(f"{url}/sign-in")
    page.get_by_label("Access token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{url}/")


def serious_findings(page: Page) -> list[str]:
    """What axe-core finds that keeps people from using the page, each with its rule and place."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['target']} {json.dumps(node.get('any', [{}])[:1])[:300]}"
        for one in found["violations"]
        if one["impact"] in SERIOUS
        for node in one["nodes"]
    ]
