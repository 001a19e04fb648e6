"""A derived dataset is made of certified versions only, and is judged like any other."""

import pytest
from pyspark.sql import SparkSession

from data_platform.errors import NotCertifiedError, PolicyError
from data_platform.lake.table import LakeTable
from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate, Outcome
from data_platform_tests.flows.estate import DAY, ORDERS, ORDERS_PARTITION, Estate, declare_orders, orders

SHOPS = "ds://sales/shops"
REVENUE = "ds://sales/revenue"
CITIES = "ds://sales/cities"
NEXT = DAY.next
SQL = """
SELECT s.city, sum(o.amount) AS amount, :partition AS made_for
FROM orders o JOIN shops s ON s.note = o.note GROUP BY s.city
"""


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Estate:
    """Orders of a day and shops of no day, both certified; and what is derived of them, declared and not run."""
    estate = Estate(tmp_path_factory.mktemp("derived"), spark)
    declare_orders(estate)
    shop = [{"field": "note", "type": "STRING", "nullable": False}, {"field": "city", "type": "STRING"}]
    source = {"format": "csv", "path": "shops", "producer": "shop"}
    estate.declare(SHOPS, {"schema": {"constraints": shop}}, source=source)
    revenue = [
        {"field": "city", "type": "STRING", "nullable": False},
        {"field": "amount", "type": "DECIMAL(38,2)"},
        {"field": "made_for", "type": "DATE"},
    ]
    lite = {"invariants": [{"id": "positive", "rule": "amount > 0"}]}
    bundle = {"schema": {"constraints": revenue}, "contract_lite": lite}
    estate.declare(REVENUE, bundle, partition=ORDERS_PARTITION, process="revenue")
    estate.declare(CITIES, {"schema": {"constraints": [{"field": "city", "type": "STRING"}]}}, process="cities")
    inputs = [{"dataset": SHOPS}]
    sql = "SELECT DISTINCT city FROM shops"
    estate.process("cities", output=CITIES, inputs=inputs, steps=[{"name": "distinct_cities", "sql": sql}])
    declare_revenue(estate, SQL)
    orders(estate, "1,10.50,a", "2,3.00,a", "3,7.00,b")
    estate.deliver("shops", {"shops.csv": "note,city\na,Oslo\nb,Bergen\n"})
    assert estate.run("orders")[-1].stage is Stage.CERTIFIED
    assert estate.run("shops", None)[-1].stage is Stage.CERTIFIED
    return estate


def declare_revenue(estate: Estate, sql: str) -> None:
    inputs = [{"dataset": ORDERS}, {"dataset": SHOPS}]
    estate.process("revenue", output=REVENUE, inputs=inputs, steps=[{"name": "by_city", "sql": sql}])


def test_a_derived_day_is_made_of_certified_versions_and_records_them(certified: Estate) -> None:
    estate = certified
    platform = estate.platform()
    pointers = {urn: platform.certified(urn).version for urn in (ORDERS, SHOPS)}
    gold = platform.table(platform.policies.dataset("shops"), Stage.GOLD)
    not_certified = LakeTable(estate.spark, gold.path)
    not_certified.append(estate.spark.createDataFrame([("a", "Nowhere")], "note string, city string"), {"by": "a test"})

    reports = estate.run("revenue")

    assert [report.stage for report in reports] == [Stage.SILVER, Stage.GOLD, Stage.CERTIFIED]
    assert reports[0].input_versions == pointers
    assert reports[0].verdicts[0].gate is Gate.G3_SCHEMA
    assert [(row["city"], str(row["amount"]), row["made_for"]) for row in estate.certified_rows("revenue")] == [
        ("Bergen", "7.00", DAY.value),
        ("Oslo", "13.50", DAY.value),
    ]
    gold.restore(pointers[SHOPS] or 0, {"dataset": SHOPS, "kind": "restore"})
    platform.close()


def test_a_derived_dataset_of_an_input_without_days_has_none_either(certified: Estate) -> None:
    reports = certified.run("cities", None)

    assert (reports[-1].stage, reports[-1].partition) == (Stage.CERTIFIED, None)
    assert [row["city"] for row in certified.certified_rows("cities")] == ["Bergen", "Oslo"]


def test_a_day_that_its_input_never_certified_is_not_derived(certified: Estate) -> None:
    estate = certified
    before = estate.certified_rows("revenue")
    orders(estate, "1,-10.50,a", day=NEXT)
    held = estate.run("orders", NEXT)[-1]

    with pytest.raises(NotCertifiedError, match=f"ds://sales/revenue {NEXT} needs ds://sales/orders of that day"):
        estate.run("revenue", NEXT)

    assert held.outcome is Outcome.FAILED
    assert estate.certified_rows("revenue") == before


@pytest.mark.parametrize(
    ("sql", "signature"),
    [
        pytest.param(
            "SELECT city, 'much' AS amount, :partition AS made_for FROM shops",
            "SCHEMA_BREAK:amount:DECIMAL→STRING",
            id="of another type",
        ),
    ],
)
def test_an_output_that_is_not_as_declared_is_held_whole_at_silver(certified: Estate, sql: str, signature: str) -> None:
    estate = certified
    declare_revenue(estate, sql)
    before = estate.certified_rows("revenue")

    [report] = estate.run("revenue")

    declare_revenue(estate, SQL)
    assert (report.stage, report.outcome) == (Stage.SILVER, Outcome.FAILED)
    assert report.verdicts[0].signatures == (signature,)
    assert (report.rows.read, report.rows.quarantined) == (2, 2)
    assert estate.certified_rows("revenue") == before


def test_a_step_that_spark_refuses_is_named(certified: Estate) -> None:
    declare_revenue(certified, "SELECT city, element_at(city, 1) AS amount, :partition AS made_for FROM shops")

    with pytest.raises(PolicyError, match="process revenue: step by_city: Spark refuses it: DATATYPE_MISMATCH"):
        certified.run("revenue")

    declare_revenue(certified, SQL)
