"""``python -m data_platform_tests.portal.screenshots HOME FOLDER [PATH]...``: pictures of pages on a home's catalog.

Each page is taken in both themes and at phone width. Without paths the main pages of the demo's data are taken.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from data_platform.catalog import open_catalog
from data_platform.model.access import Role
from data_platform.model.evidence_key import EvidenceKeys
from data_platform_tests.portal.browser import DESKTOP, PHONE, chromium, sign_in, viewer
from data_platform_tests.portal.served_portal import served_portal

ROOT = Path(__file__).parents[2]

FLIGHTS = "ds%3A%2F%2Fops%2Fflights"
WEATHER = "ds%3A%2F%2Fops%2Fweather"
PATHS = (
    "/sign-in",
    "/?at=2013-01-04T08:05:00-05:00",
    "/datasets",
    "/datasets?q=flight",
    f"/datasets/{FLIGHTS}",
    "/datasets/ds%3A%2F%2Ftravel%2Fbookings",
    f"/why/{FLIGHTS}?partition=2013-01-06",
    f"/policy/{FLIGHTS}",
    f"/lineage/{FLIGHTS}",
    f"/lineage/{FLIGHTS}?hops=2&column=carrier",
    f"/lineage/{WEATHER}?incident=1",
    "/processes",
    "/processes/DATA_PLATFORM%2Fcarrier_daily",
    "/incidents",
    "/incidents/1",
    "/incidents/4",
    "/kpis",
    f"/backtest/{FLIGHTS}",
    "/evidence",
    "/evidence/verify",
    "/approvals",
    "/waivers",
    "/quarantine",
    "/onboarding",
    "/nothing-here",
)
LOOKS = (("light", DESKTOP, "light"), ("dark", DESKTOP, "dark"), ("phone", PHONE, "light"))


def name_of(path: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-") or "today"


@contextmanager
def opened(home: Path) -> Iterator[tuple[str, str]]:
    """The address of a portal on the catalog of ``home``, and a token that is revoked at the end."""
    now = datetime.now(UTC)
    name = f"screenshots {now.isoformat()}"
    keys = EvidenceKeys(home.absolute() / "evidence.key")
    with open_catalog(f"sqlite:///{home.absolute() / 'catalog.db'}", keys) as catalog:
        token = catalog.access.create_token(name, Role.PLATFORM_ADMIN, actor="make", actor_role="LOCAL", now=now)[1]
        try:
            with served_portal(catalog, ROOT / "policies", now=now) as url:
                yield url, token
        finally:
            catalog.access.revoke_token(name, actor="make", actor_role="LOCAL", now=datetime.now(UTC))


def main(home: Path, folder: Path, paths: tuple[str, ...]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with opened(home) as (url, token), chromium() as browser:
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
    main(Path(sys.argv[1]), Path(sys.argv[2]), tuple(sys.argv[3:]) or PATHS)
