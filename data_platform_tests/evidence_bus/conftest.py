"""A catalog with evidence to send."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from data_platform.catalog import Catalog, open_catalog
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.catalog.template import copy_template


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    copy_template(tmp_path / "catalog.db")
    with open_catalog(f"sqlite:///{tmp_path / 'catalog.db'}", KEYS) as opened:
        yield opened
