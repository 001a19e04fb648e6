"""Each test has its own service on a SQLite file; the few that need PostgreSQL request it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from data_platform_tests.api.service_client import ServiceClient
from data_platform_tests.catalog.conftest import catalog_url

__all__ = ["catalog_url"]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceClient]:
    with ServiceClient(f"sqlite:///{tmp_path / 'catalog.db'}") as opened:
        yield opened
