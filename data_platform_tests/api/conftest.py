"""Each test has its own service on a SQLite file; the few that need PostgreSQL request it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from data_platform_tests.api.door import Door
from data_platform_tests.catalog.conftest import catalog_url

__all__ = ["catalog_url"]


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with Door(f"sqlite:///{tmp_path / 'catalog.db'}") as opened:
        yield opened
