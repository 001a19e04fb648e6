"""Each test has its own portal over a SQLite file, with the shop's policies and data."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from data_platform_tests.portal.portal_client import PortalClient
from data_platform_tests.portal.shop import NOW, fill, shop_policies


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[PortalClient]:
    url = f"sqlite:///{tmp_path / 'catalog.db'}"
    with PortalClient(url, policies=shop_policies(tmp_path), moment=NOW) as opened:
        fill(url, tmp_path)
        yield opened


@pytest.fixture
def empty_portal(tmp_path: Path) -> Iterator[PortalClient]:
    """No policies, and nothing in the catalog."""
    with PortalClient(f"sqlite:///{tmp_path / 'catalog.db'}", moment=NOW) as opened:
        yield opened
