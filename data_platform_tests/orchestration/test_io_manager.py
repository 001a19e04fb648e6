"""The I/O manager writes what the platform hands to it and nothing else, and lends certified versions to others."""

from collections.abc import Callable
from typing import Any

import dagster as dg

from data_platform.model.dataset import Stage
from data_platform_tests.flows.estate import Estate
from data_platform_tests.orchestration.shop import OpenShop, key, run


def reader(asset: str, see: Callable[[list[Any]], None]) -> dg.AssetsDefinition:
    """A user's Python asset, ``read_<name>``, that reads the first column of ``asset``."""

    @dg.asset(name=f"read_{asset.split('/')[1]}", ins={"rows": dg.AssetIn(key(asset))}, io_manager_key="theirs")
    def read(rows: Any) -> None:
        see(sorted(row[0] for row in rows.collect()))

    return read.with_resources({"theirs": dg.mem_io_manager})


def test_a_python_asset_reads_exactly_the_certified_version_and_other_stages_as_they_are(open_shop: OpenShop) -> None:
    estate, seen = open_shop.estate, {}
    platform = estate.platform()
    path = platform.table(platform.policies.dataset("customers"), Stage.GOLD).path
    platform.close()
    unjudged = estate.spark.createDataFrame([("eve",)], "customer string")
    unjudged.write.format("delta").mode("append").save(path)
    names = ("customers__bronze", "customers__gold", "customers")
    readers = [reader(f"shop/{name}", lambda rows, name=name: seen.update({name: rows})) for name in names]

    result = run(estate, open_shop.instance, *(f"read_{name}" for name in names), day=None, more=readers)

    assert result.success
    assert seen == {
        "customers__bronze": ["ann", "bob"],
        "customers__gold": ["ann", "bob", "eve"],
        "customers": ["ann", "bob"],
    }


def test_what_was_never_certified_cannot_be_read(declared: Estate, instance: dg.DagsterInstance) -> None:
    seen: list[Any] = []
    readers = [reader("shop/customers", seen.append)]

    result = run(declared, instance, "read_customers", day=None, more=readers)

    [event] = result.get_step_failure_events()
    assert "ds://shop/customers has no certified version yet" in str(event.step_failure_data.error)
    assert seen == []


def test_another_value_is_a_clear_error_without_the_value(declared: Estate, instance: dg.DagsterInstance) -> None:
    @dg.asset(io_manager_key="io_manager")
    def foreign() -> str:
        return "ann@example.com"

    result = run(declared, instance, "foreign", day=None, more=[foreign])

    [event] = result.get_step_failure_events()
    told = str(event.step_failure_data.error)
    assert "only the platform's own assets are written here, and this is a str" in told
    assert "ann@example.com" not in told
    assert result.get_asset_materialization_events() == []
