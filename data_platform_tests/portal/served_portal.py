"""The service with its portal on a port of this machine, within the test's process."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from data_platform.api.application import build
from data_platform.api.quarantine_command import QuarantineCommand
from data_platform.catalog import Catalog
from data_platform.portal.application import add_portal
from data_platform_tests.api.served import LIMITS, serving
from data_platform_tests.portal.portal_client import KEY


@contextmanager
def served_portal(
    catalog: Catalog, policies: Path, *, now: datetime, samples: QuarantineCommand | None = None
) -> Iterator[str]:
    app = build(catalog, LIMITS, policies=policies, now=lambda: now)
    add_portal(app, catalog, policies=policies, session_key=KEY, now=lambda: now, samples=samples)
    with serving(app) as address:
        yield address
