"""Each test has its own portal over a SQLite file, with the shop's policies and data."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from data_platform.model.evidence_key import EvidenceKeys
from data_platform_tests.catalog.template import copy_filled
from data_platform_tests.portal.portal_client import PortalClient
from data_platform_tests.portal.shop import NOW, record_shop, shop_policies


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[PortalClient]:
    copy_filled(tmp_path, record_shop)
    url = f"sqlite:///{tmp_path / 'catalog.db'}"
    keys = EvidenceKeys(tmp_path / "evidence.key")
    with PortalClient(url, policies=shop_policies(tmp_path), moment=NOW, evidence_keys=keys) as opened:
        yield opened


@pytest.fixture
def empty_portal(tmp_path: Path) -> Iterator[PortalClient]:
    """No policies, and nothing in the catalog."""
    keys = EvidenceKeys(tmp_path / "evidence.key")
    with PortalClient(f"sqlite:///{tmp_path / 'catalog.db'}", moment=NOW, evidence_keys=keys) as opened:
        yield opened
