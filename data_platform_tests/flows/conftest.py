"""An empty installation for each test."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from data_platform.model.dataset import Stage
from data_platform.orchestration.instance import environment_of
from data_platform_tests.flows.command import ROOT
from data_platform_tests.flows.estate import Estate, declare_orders, orders


@pytest.fixture
def estate(tmp_path: Path, spark: SparkSession) -> Estate:
    return Estate(tmp_path, spark)


@pytest.fixture(scope="session")
def certified(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Estate:
    """Orders with one day certified, for many tests: each has a day of its own, and leaves the policy as it was."""
    estate = Estate(tmp_path_factory.mktemp("certified"), spark)
    declare_orders(estate)
    orders(estate, "1,10.50,first")
    assert estate.run("orders")[-1].stage is Stage.CERTIFIED
    return estate


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Estate:
    """Two orders that pass and one for quarantine are delivered; commands that a test starts find the estate."""
    estate = Estate(tmp_path, spark=None)
    declare_orders(estate)
    orders(estate, "1,10.50,first", "2,3.00,second", "3,-1.00,broken")
    for name, value in environment_of(estate.settings).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("DATA_PLATFORM_SPARK_MASTER", "local[1]")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return estate
