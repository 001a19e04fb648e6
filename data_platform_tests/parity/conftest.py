"""One installation with a certified day of orders, for all tests of the package: they only read it."""

import pytest
from pyspark.sql import SparkSession

from data_platform.model.dataset import Stage
from data_platform_tests.flows.estate import DAY, ORDERS_PARTITION, Estate, a_day

SALES = "ds://sales/sales"
BUNDLE = {
    "schema": {
        "constraints": [
            {"field": "id", "type": "INT", "nullable": False},
            {"field": "amount", "type": "DECIMAL(10,2)"},
            {"field": "note", "type": "STRING"},
            {"field": "email", "type": "STRING"},
        ]
    },
    "contract": {"unique": ["id"]},
    "pii": {"detection": [{"pattern": "EMAIL", "action": "tokenize", "fields": ["email"]}]},
}
LINES = ("1,10.50,first,ann@example.com", "2,20.00,second,bob@example.com", "3,30.00,third,")


@pytest.fixture(scope="package")
def sales(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Estate:
    """A good day, and one after it that was held."""
    estate = Estate(tmp_path_factory.mktemp("sales"), spark)
    source = {"format": "csv", "path": "sales/{partition}", "producer": "shop"}
    estate.declare(SALES, BUNDLE, source=source, partition=ORDERS_PARTITION)
    for day, lines in ((DAY, LINES), (a_day(7), LINES[:1] * 2)):
        estate.deliver(f"sales/{day}", {"sales.csv": "\n".join(("id,amount,note,email", *lines)) + "\n"})
        last = estate.run("sales", day)[-1]
        assert (last.stage is Stage.CERTIFIED) is (day == DAY)
    return estate
