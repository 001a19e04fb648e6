"""A shop's policies: what comes by day, as a whole, from elsewhere, and what is derived from it."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import dagster as dg
import pytest
from pyspark.sql import SparkSession

from data_platform_tests.flows.estate import Estate
from data_platform_tests.orchestration.shop import (
    CUSTOMER_STAGES,
    ORDER_STAGES,
    TOTAL_STAGES,
    OpenShop,
    declare_shop,
    deliver_day,
    derived,
    run,
)


@pytest.fixture
def declared(tmp_path: Path) -> Estate:
    """The shop, and no Spark: what only builds definitions must not need it."""
    estate = Estate(tmp_path, spark=None)
    declare_shop(estate)
    return estate


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as opened:
        yield opened


@pytest.fixture(scope="package")
def open_shop(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Iterator[OpenShop]:
    """Customers, a good day of orders and its totals, run once: tests only look at them, or run other days."""
    estate = Estate(tmp_path_factory.mktemp("shop"), spark)
    declare_shop(estate)
    abroad = {"key": "day", "start": date(2024, 1, 1), "time_zone": "Asia/Tokyo"}
    derived(estate, "abroad", ["ds://shop/orders"], "SELECT customer FROM orders", partition=abroad)
    deliver_day(estate, "1,ann,10.50", "2,bob,3", "3,ann,-1")
    with dg.DagsterInstance.ephemeral() as opened:
        customers = run(estate, opened, *CUSTOMER_STAGES, day=None)
        good_day = run(estate, opened, *ORDER_STAGES, *TOTAL_STAGES)
        yield OpenShop(estate, opened, customers, good_day)
