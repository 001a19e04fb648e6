"""A shop's policies: orders and refunds by day, customers as a whole, rates that live elsewhere, and what is derived."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from pyspark.sql import SparkSession

from data_platform_tests.flows.estate import Estate
from data_platform_tests.orchestration.shop import declare_shop


@pytest.fixture
def declared(tmp_path: Path) -> Estate:
    """The shop, and no Spark: what only builds definitions must not need it."""
    estate = Estate(tmp_path, spark=None)
    declare_shop(estate)
    return estate


@pytest.fixture
def shop(tmp_path: Path, spark: SparkSession) -> Estate:
    estate = Estate(tmp_path, spark)
    declare_shop(estate)
    return estate


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as opened:
        yield opened
