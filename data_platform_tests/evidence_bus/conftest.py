"""A catalog with evidence to send."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from data_platform.catalog import Catalog
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.catalog.template import new_catalog


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with new_catalog(tmp_path / "catalog.db", KEYS) as opened:
        yield opened
