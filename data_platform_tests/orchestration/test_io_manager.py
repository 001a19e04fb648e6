"""The I/O manager writes what the platform hands to it and nothing else, and lends certified versions to others."""

from typing import Any

import dagster as dg
import pytest

from data_platform.model.dataset import Stage
from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.orchestration.shop import ORDER_STAGES, deliver_day, key, run


def reader(asset: str, seen: list[Any]) -> dg.AssetsDefinition:
    """Somebody's Python asset that reads ``asset``."""

    @dg.asset(name="reader", ins={"rows": dg.AssetIn(key(asset))}, io_manager_key="none")
    def read(rows: Any) -> None:
        seen.append(sorted(row["id"] for row in rows.collect()))

    return read.with_resources({"none": dg.mem_io_manager})


@pytest.mark.parametrize(
    ("asset", "ids"),
    [
        pytest.param("gold_certified/orders", [1, 2], id="certified: the version of the pointer"),
        pytest.param("gold/orders", [1, 2, 9], id="gold: as it is now"),
        pytest.param("bronze/orders", ["1", "2"], id="bronze: as it was delivered"),
    ],
)
def test_a_python_asset_reads_exactly_the_version_of_the_stage(
    shop: Estate, instance: dg.DagsterInstance, asset: str, ids: list[Any]
) -> None:
    deliver_day(shop, "1,ann,10.50", "2,bob,3")
    customers = [name.replace("orders", "customers") for name in ORDER_STAGES]
    assert run(shop, instance, *customers, day=None).success
    assert run(shop, instance, *ORDER_STAGES).success
    platform = shop.platform()
    path = platform.table(platform.policies.dataset("orders"), Stage.GOLD).path
    platform.close()
    somebody = f"INSERT INTO delta.`{path}` VALUES (9, 'eve', 1, DATE'{DAY}')"
    shop.spark.sql(somebody)  # nobody has judged this
    seen: list[Any] = []

    result = run(shop, instance, "reader", day=None, more=[reader(asset, seen)])

    assert result.success
    assert seen == [ids]


def test_what_was_never_certified_cannot_be_read(declared: Estate, instance: dg.DagsterInstance) -> None:
    seen: list[Any] = []

    result = run(declared, instance, "reader", day=None, more=[reader("gold_certified/customers", seen)])

    [event] = result.get_step_failure_events()
    assert "ds://shop/customers has no certified version yet" in str(event.step_failure_data.error)
    assert seen == []


def test_a_value_of_somebody_else_is_refused_in_words_without_the_value(
    declared: Estate, instance: dg.DagsterInstance
) -> None:
    @dg.asset(io_manager_key="io_manager")
    def foreign() -> str:
        return "ann@example.com"

    result = run(declared, instance, "foreign", day=None, more=[foreign])

    [event] = result.get_step_failure_events()
    told = str(event.step_failure_data.error)
    assert "only the platform's own assets are written here, and this is a str" in told
    assert "ann@example.com" not in told
    assert result.get_asset_materialization_events() == []
