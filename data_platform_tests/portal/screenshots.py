"""``python -m data_platform_tests.portal.screenshots URL TOKEN FOLDER [PATH]...``: a picture of every page.

Each page is taken in both themes and at phone width. Without paths the main pages of the demo's data are taken.
"""

import re
import sys
from pathlib import Path

from data_platform_tests.portal.browser import DESKTOP, PHONE, chromium, sign_in, viewer

FLIGHTS = "ds%3A%2F%2Fops%2Fflights"
PATHS = (
    "/sign-in",
    "/?at=2013-01-04T06:45:00-05:00",
    "/datasets",
    "/datasets?q=flight",
    f"/datasets/{FLIGHTS}",
    "/datasets/ds%3A%2F%2Ftravel%2Fbookings",
    f"/why/{FLIGHTS}?partition=2013-01-06",
    f"/policy/{FLIGHTS}",
    "/nothing-here",
)
LOOKS = (("light", DESKTOP, "light"), ("dark", DESKTOP, "dark"), ("phone", PHONE, "light"))


def name_of(path: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-") or "today"


def main(url: str, token: str, folder: Path, paths: tuple[str, ...]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for look, size, theme in LOOKS:
            with viewer(browser, viewport=size, color_scheme=theme) as context:
                page = context.new_page()
                sign_in(page, url, token)
                for path in paths:
                    page.goto(url + path)
                    page.wait_for_load_state("networkidle")
                    file = folder / f"{name_of(path)}-{look}.png"
                    page.screenshot(path=file, full_page=True)
                    sys.stdout.write(f"{file}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), tuple(sys.argv[4:]) or PATHS)
