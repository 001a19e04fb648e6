"""An empty installation for each test."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from data_platform_tests.flows.estate import Estate


@pytest.fixture
def estate(tmp_path: Path, spark: SparkSession) -> Estate:
    return Estate(tmp_path, spark)
