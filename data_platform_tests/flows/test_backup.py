"""The drill: restored to yesterday, nothing that was certified then is lost, and nothing is invented."""

from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from pyspark.sql import SparkSession

from data_platform.backup.create import create
from data_platform.backup.restore import damage_of, restore
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import new_run_id
from data_platform.stage import driver
from data_platform.stage.reconcile import reconcile
from data_platform_tests.flows.estate import DAY, ORDERS, Estate, a_day, declare_orders, orders

NEXT = PartitionKey("2025-01-07")


def silent(*_: object) -> None:
    """No progress is shown."""


def forget_tables(estate: Estate) -> None:
    """Delta's cache has the tables that were there before."""
    jvm = estate.spark._jvm
    assert jvm is not None
    jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()


def test_yesterday_comes_back_and_goes_on(tmp_path: Path, spark: SparkSession) -> None:
    estate = Estate(tmp_path / "home", spark)
    declare_orders(estate)
    orders(estate, "1,10.00,a", "2,-1.00,b")
    estate.run("orders")
    yesterday = estate.certified_rows("orders")
    began = estate.now
    # a run of the next day is killed midway: its gold is written and not judged
    orders(estate, "3,30.00,c", day=NEXT)
    estate.now += timedelta(minutes=1)
    platform = estate.platform()
    platform.on_step = _dies_after_commit_of_gold
    with suppress(_Killed):
        list(driver.run(platform, platform.policies.dataset("orders"), NEXT, new_run_id(estate.now)))
    platform.close()

    made = create(estate.settings, tmp_path / "backups", now=estate.now, with_keys=True, progress=silent)
    estate.run("orders", NEXT)
    orders(estate, "9,90.00,z", day=a_day(8))
    estate.run("orders", a_day(8))
    assert len(estate.certified_rows("orders")) == 3

    restored = restore(estate.settings, made, replace=True, now=estate.now, progress=silent)
    forget_tables(estate)

    opened = estate.platform()
    messages = reconcile(opened, opened.policies.dataset("orders"), new_run_id(estate.now))
    assert any("taken back" in message for message in messages), "the dead run's gold had no verdict"
    assert damage_of(opened.catalog) == {}
    assert opened.catalog.evidence.verify().is_whole
    assert len(opened.catalog.quarantine.entries()) == 1
    pointer = opened.catalog.certifications.get(ORDERS)
    assert pointer is not None
    assert pointer.certified_at <= began
    gold = opened.table(opened.policies.dataset("orders"), Stage.GOLD).rows()
    assert {str(row["day"]) for row in gold.select("day").distinct().collect()} == {str(DAY)}
    opened.close()
    assert estate.certified_rows("orders") == yesterday
    assert restored.aside[0].name.startswith("lake.replaced-")

    reports = estate.run("orders", NEXT)
    assert reports[-1].passed
    assert [row["id"] for row in estate.certified_rows("orders")] == [1, 3]


class _Killed(BaseException):
    pass


def _dies_after_commit_of_gold(step: str, details: dict[str, object]) -> None:
    if step == "commit" and details.get("stage") == Stage.GOLD.value:
        raise _Killed
