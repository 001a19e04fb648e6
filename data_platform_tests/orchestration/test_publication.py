"""A publication materializes every member of its group in Dagster once, whichever run published it."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from pyspark.sql import SparkSession

from data_platform.orchestration.location import build
from data_platform.orchestration.publication import TAG, report_publications
from data_platform_tests.catalog.template import copy_template
from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.flows.test_group import declare_group
from data_platform_tests.orchestration.shop import (
    LANDED,
    check_outcomes,
    columns,
    key,
    landed,
    materialized_days,
    run,
    specs,
)
from data_platform_tests.stage.group_shop import Shop, day

NAMES = ("items", "lines", "orders")
BY_DAY = {"partition": {"key": "day", "start": date(2025, 1, 1)}}


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """Items and lines of a day have passed, and wait for orders."""
    copy_template(tmp_path / "catalog.db")
    opened = Shop(tmp_path, NAMES)
    for name in ("items", "lines"):
        opened.arrive(name, day(1))
    yield opened
    opened.platform.close()


def made(instance: dg.DagsterInstance) -> dict[str, set[str | None]]:
    return {name: materialized_days(instance, f"shop/{name}") for name in NAMES}


def test_a_publication_is_reported_for_all_members_but_the_step_that_reports_it(
    shop: Shop, instance: dg.DagsterInstance
) -> None:
    own = shop.arrive("orders", day(1))

    messages = report_publications(instance, shop.platform.catalog, own=own)

    assert len(messages) == 2
    assert made(instance) == {"items": {day(1)}, "lines": {day(1)}, "orders": set()}
    assert report_publications(instance, shop.platform.catalog) == []
    [record] = instance.fetch_materializations(key("shop/items"), limit=10).records
    assert record.asset_materialization is not None
    assert record.asset_materialization.metadata["publish_group"].value == "shop_day"
    checked = instance.event_log_storage.get_latest_asset_check_execution_by_key(
        [dg.AssetCheckKey(key("shop/items"), "CERTIFICATION")]
    )
    [execution] = checked.values()
    assert execution.evaluation is not None
    assert execution.evaluation.passed


@pytest.mark.parametrize("moment", ["publish", "views"])
def test_what_a_dead_process_published_is_reported_by_whoever_comes_next(
    shop: Shop, instance: dg.DagsterInstance, moment: str
) -> None:
    assert shop.arrive("orders", day(1), killed_at=moment) is None

    messages = report_publications(instance, shop.platform.catalog)

    assert len(messages) == 3
    assert list(made(instance).values()) == [{day(1)}, {day(1)}, {day(1)}]


def test_a_reporter_that_dies_in_the_middle_reports_no_member_twice(shop: Shop, instance: dg.DagsterInstance) -> None:
    shop.arrive("orders", day(1))
    catalog = shop.platform.catalog
    [publication] = catalog.publications.unreported()
    instance.report_runless_asset_event(
        dg.AssetMaterialization(asset_key=key("shop/lines"), partition=str(day(1)), tags={TAG: publication})
    )

    assert len(report_publications(instance, catalog)) == 2
    assert len(instance.fetch_materializations(key("shop/lines"), limit=10).records) == 1


def declare_pair(estate: Estate) -> None:
    """Orders, and lines that refer to them, which are published together."""
    landed(estate, "orders", {"schema": columns(id="INT")}, **BY_DAY)
    references = [{"fields": ["order_id"], "dataset": "ds://shop/orders", "key": ["id"]}]
    bundle: dict[str, Any] = {"schema": columns(order_id="INT"), "contract": {"references": references}}
    landed(estate, "lines", bundle, **BY_DAY)
    declare_group(estate, "orders", "lines")


def test_a_reference_within_a_group_depends_on_gold(tmp_path: Path) -> None:
    estate = Estate(tmp_path, spark=None)
    declare_pair(estate)

    deps = {dep.asset_key.to_user_string() for dep in specs(estate)["shop/lines__gold"].deps}

    assert deps == {"shop/lines__silver", "shop/orders__gold"}
    assert "publications" in {sensor.name for sensor in build(estate.settings).sensors or ()}


def test_one_run_of_all_members_publishes_and_materializes_them(
    tmp_path: Path, spark: SparkSession, instance: dg.DagsterInstance
) -> None:
    estate = Estate(tmp_path, spark)
    declare_pair(estate)
    for name, text in (("orders", "id\n1\n"), ("lines", "order_id\n1\n1\n")):
        estate.deliver(f"{name}/{DAY}", {f"{name}.csv": text})

    first = run(estate, instance, *(f"shop/orders{end}" for end in LANDED))
    waiting = {name: materialized_days(instance, f"shop/{name}") for name in ("orders", "lines")}
    second = run(estate, instance, *(f"shop/lines{end}" for end in LANDED))

    assert (first.success, second.success) == (True, True)
    assert waiting == {"orders": set(), "lines": set()}
    assert check_outcomes(first, "shop/orders") == {"CERTIFICATION": False}
    [observed] = instance.fetch_observations(key("shop/orders"), limit=5).records
    assert observed.asset_observation is not None
    assert "WAITING_FOR_GROUP" in observed.asset_observation.metadata
    assert {name: materialized_days(instance, f"shop/{name}") for name in ("orders", "lines")} == {
        "orders": {DAY},
        "lines": {DAY},
    }
