"""A shop for each test; and an installation with Spark for the few that run something."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from data_platform_tests.cli.shop import Shop
from data_platform_tests.flows.estate import Estate


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


@pytest.fixture
def estate(tmp_path: Path, spark: SparkSession) -> Estate:
    return Estate(tmp_path, spark)
