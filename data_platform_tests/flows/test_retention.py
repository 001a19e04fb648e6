"""A certified version stays readable at any age, also after VACUUM and OPTIMIZE, and no rows pass without a verdict."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.cli.repair import reconcile_selected, restore_dataset
from data_platform.errors import ConflictError, UnreadableVersionError
from data_platform.installation import Platform, _ignore
from data_platform.lake.change import live_files
from data_platform.lake.commit import snapshot
from data_platform.lake.presence import find_damage
from data_platform.lake.table import LakeTable
from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.dataset import Stage
from data_platform.model.run import new_run_id
from data_platform.stage import driver
from data_platform.stage.table_read import restore
from data_platform_tests.case import vacuuming
from data_platform_tests.flows.estate import DAY, ORDERS, Estate, Saved, a_day, declare_orders, orders

TWICE = ("1,10.00,a", "1,11.00,the same id")
OLD_DEFAULTS = ("delta.deletedFileRetentionDuration", "delta.logRetentionDuration", "dataPlatform.timestamps")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Saved:
    """Orders, and others that have nothing to do with them, each certified for two days."""
    estate = Estate(tmp_path_factory.mktemp("retention"), spark)
    declare_orders(estate)
    estate.declare("ds://sales/others", {"schema": {"constraints": [{"field": "id", "type": "INT"}]}}, source={
        "format": "csv", "path": "others", "producer": "shop",
    })  # fmt: skip
    estate.deliver("others", {"others.csv": "id\n1\n"})
    opened = estate.platform()
    for day in (DAY, a_day(7)):
        orders(estate, f"{day.value.day},10.00,good", day=day)
        assert run(estate, opened, "orders", day) is Stage.CERTIFIED
    opened.close()
    return Saved(estate)


@pytest.fixture
def estate(prepared: Saved) -> Estate:
    return prepared.restored()


@pytest.fixture
def platform(estate: Estate) -> Iterator[Platform]:
    opened = estate.platform()
    yield opened
    opened.close()


def run(estate: Estate, platform: Platform, name: str, day: Any = DAY) -> Stage | None:
    """The last stage of a run that passed, else None."""
    last = estate.run(name, day, platform)[-1]
    return last.stage if last.passed else None


def table(platform: Platform, stage: Stage = Stage.GOLD) -> LakeTable:
    return platform.table(platform.policies.dataset("orders"), stage)


def pointer(platform: Platform) -> Certification:
    return platform.certified(ORDERS)


def date_back(gold: LakeTable, days: int) -> None:
    """As if the table had rested for so many days: the log's files are that old."""
    moment = time.time() - days * 24 * 3600
    for file in (Path(gold.path) / "_delta_log").rglob("*"):
        os.utime(file, (moment, moment))
    gold.spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()  # type: ignore[union-attr]


def clean_log(gold: LakeTable) -> None:
    """What Delta does at a checkpoint: remove the log that is older than the table's retention."""
    log = gold.spark._jvm.org.apache.spark.sql.delta.DeltaLog.forTable(gold.spark._jsparkSession, gold.path)  # type: ignore[union-attr]
    nothing = gold.spark._jvm.scala.Option.empty()  # type: ignore[union-attr]
    log.checkpoint(log.update(False, nothing, nothing), nothing)


def as_before_protection(gold: LakeTable) -> None:
    names = ", ".join(f"'{name}'" for name in OLD_DEFAULTS)
    session = gold._session_with({"dataset": ORDERS, "kind": "schema"})
    session.sql(f"ALTER TABLE delta.`{gold.path}` UNSET TBLPROPERTIES IF EXISTS ({names})")


def seen(platform: Platform) -> list[int]:
    """What consumers see, read at the version that the pointer names."""
    return sorted(row["id"] for row in table(platform).at(pointer(platform).version or 0).collect())


def vacuum(gold: LakeTable, hours: int | None) -> None:
    """With Delta's safety check off; None leaves the retention to the table."""
    retain = "" if hours is None else f"RETAIN {hours} HOURS"
    vacuuming(gold.spark, **{"spark.databricks.delta.retentionDurationCheck.enabled": "false"}).sql(
        f"VACUUM delta.`{gold.path}` {retain}"
    )


def test_two_held_runs_and_months_of_rest_leave_the_certified_version_readable(
    estate: Estate, platform: Platform
) -> None:  # C21, C52
    certified, gold = pointer(platform), table(platform)
    for day in (DAY, a_day(8)):
        orders(estate, *TWICE, day=day)
        assert run(estate, platform, "orders", day) is None

    for days in (8, 40, 400):
        date_back(gold, days)
        clean_log(gold)
        assert seen(platform) == [6, 7]
        assert [row["id"] for row in gold.at(certified.version or 0).orderBy("id").collect()] == [6, 7]
    now = pointer(platform)
    assert now.version == gold.version()  # the pointer followed the restores, so it does not depend on age
    vacuum(gold, 0)

    assert (now.status, now.attempt_partition) == (CertificationStatus.HELD_AT_PREVIOUS, "2025-01-08")
    assert (now.judged_version, now.partition, now.run_id) == (certified.version, "2025-01-07", certified.run_id)
    assert (seen(platform), find_damage(gold.path, now.version or 0)) == ([6, 7], None)
    assert [day.partition for day in platform.catalog.runs.held()] == [str(DAY), "2025-01-08"]
    orders(estate, "6,12.00,mended")
    assert run(estate, platform, "orders") is Stage.CERTIFIED
    assert (seen(platform), pointer(platform).partition) == ([6, 7], str(DAY))


def test_a_table_from_before_protection_is_repaired_and_stops_no_other_dataset(
    estate: Estate, platform: Platform
) -> None:
    gold, certified = table(platform), pointer(platform)
    as_before_protection(gold)
    gold.restore((certified.version or 0) + 1, {"dataset": ORDERS, "kind": "restore"})
    for stage in (Stage.BRONZE, Stage.SILVER):
        as_before_protection(table(platform, stage))
        date_back(table(platform, stage), 9)
    date_back(gold, 8)

    reopened = estate.platform()
    assert run(estate, reopened, "others", None) is Stage.CERTIFIED
    views = {row["viewName"] for row in reopened.certified_views().sql("SHOW VIEWS IN gold_certified").collect()}
    assert "orders" not in views
    assert "others" in views
    dataset = reopened.policies.dataset("orders")
    for stage in (Stage.SILVER, Stage.GOLD):  # each reads the stage before it at a version that is 9 days old
        assert driver.run_stage(reopened, dataset, stage, DAY, new_run_id(estate.now)).passed
        estate.now = estate.now.replace(minute=estate.now.minute + 1)
    reconcile_selected(reopened, None, as_json=True)

    assert seen(reopened) == [6, 7]
    assert reopened.spark.sql("SELECT id FROM gold_certified.orders").count() == 2
    assert run(estate, reopened, "orders") is Stage.CERTIFIED
    reopened.close()


def test_a_version_whose_files_were_deleted_stops_its_own_dataset_until_it_is_run_again(
    estate: Estate, platform: Platform
) -> None:
    gold, certified = table(platform), pointer(platform)
    dataset = platform.policies.dataset("orders")
    orders(estate, "6,99.00,another", day=DAY)
    for stage in (Stage.BRONZE, Stage.SILVER, Stage.GOLD):
        assert driver.run_stage(platform, dataset, stage, DAY, new_run_id(estate.now)).passed
    vacuum(gold, None)  # nothing is lost between gold and its certification
    assert (find_damage(gold.path, certified.version or 0), seen(platform)) == (None, [6, 7])

    vacuum(gold, 0)

    assert "files of v" in (find_damage(gold.path, certified.version or 0) or "")
    assert run(estate, platform, "others", None) is Stage.CERTIFIED
    assert driver.run_stage(platform, dataset, Stage.CERTIFIED, DAY, new_run_id(estate.now)).passed
    assert (find_damage(gold.path, pointer(platform).version or 0), seen(platform)) == (None, [6, 7])
    with pytest.raises(UnreadableVersionError, match="cannot be restored"):
        restore(gold, certified.version or 0, {"dataset": ORDERS})


def test_a_version_whose_files_are_gone_is_not_certified_although_it_passed(estate: Estate, platform: Platform) -> None:
    before, gold, dataset = pointer(platform), table(platform), platform.policies.dataset("orders")
    orders(estate, "6,99.00,another", day=DAY)
    for stage in (Stage.BRONZE, Stage.SILVER, Stage.GOLD):
        assert driver.run_stage(platform, dataset, stage, DAY, new_run_id(estate.now)).passed
    live = {file for file, _ in live_files(gold.spark, gold.path) if f"day={DAY}" in file}
    for file in live:  # as a VACUUM of 0 hours does that looks at the folder while gold is being written
        (Path(gold.path) / file).unlink()

    with pytest.raises(UnreadableVersionError, match=f"day={DAY}.* Consumers keep what they see; run each day"):
        driver.run_stage(platform, dataset, Stage.CERTIFIED, DAY, new_run_id(estate.now))
    reconcile_selected(platform, "orders", as_json=False)

    assert (pointer(platform), seen(platform)) == (before, [6, 7])
    certified = platform.catalog.runs.latest(ORDERS, Stage.CERTIFIED, DAY)
    assert certified is None or certified.version != gold.version()
    assert run(estate, platform, "orders") is Stage.CERTIFIED
    assert [str(row["amount"]) for row in estate.certified_rows("orders")] == ["99.00", "10.00"]


def test_a_held_candidate_that_cannot_be_rolled_back_is_replaced_by_the_next_run(
    estate: Estate, platform: Platform
) -> None:
    before, gold = pointer(platform), table(platform)
    orders(estate, *TWICE, day=DAY)

    def take_the_files_before(step: str, told: dict[str, Any]) -> None:
        if (step, told.get("stage")) == ("commit", Stage.GOLD):
            vacuum(gold, 0)

    platform.on_step = take_the_files_before
    with pytest.raises(UnreadableVersionError, match="cannot be restored"):
        run(estate, platform, "orders")
    platform.on_step = _ignore
    assert pointer(platform).version == before.version
    assert f"(day={DAY})" in (find_damage(gold.path, before.version or 0) or "")

    orders(estate, "8,8.00,of another day", day=a_day(8))
    with pytest.raises(ConflictError, match="has no passed verdict"):  # what nobody judged is still in the table
        run(estate, platform, "orders", a_day(8))
    orders(estate, "6,12.00,mended")

    assert run(estate, platform, "orders") is Stage.CERTIFIED
    assert (find_damage(gold.path, pointer(platform).version or 0), seen(platform)) == (None, [6, 7, 8])
    assert platform.catalog.runs.open_intents() == ()


def test_commits_of_others_that_change_no_rows_do_not_stop_certification(
    estate: Estate, platform: Platform, spark: SparkSession
) -> None:
    gold, dataset = table(platform), platform.policies.dataset("orders")
    place = f"delta.`{gold.path}`"
    for line in ("6,1.00,x", "6,2.00,y"):
        orders(estate, line)
        assert run(estate, platform, "orders") is Stage.CERTIFIED
    orders(estate, "6,3.00,z")
    for stage in (Stage.BRONZE, Stage.SILVER, Stage.GOLD):
        assert driver.run_stage(platform, dataset, stage, DAY, new_run_id(estate.now)).passed
    gold.append(gold.rows().limit(0), {})
    spark.sql(f"ALTER TABLE {place} SET TBLPROPERTIES ('somebody.else' = 'was here')")
    vacuum(gold, None)
    rewritten = gold.rows().repartition(1).write.format("delta").mode("overwrite").option("dataChange", "false")
    rewritten.save(gold.path)

    assert driver.run_stage(platform, dataset, Stage.CERTIFIED, DAY, new_run_id(estate.now)).passed
    assert pointer(platform).version == gold.version()
    assert [str(row["amount"]) for row in estate.certified_rows("orders")] == ["3.00", "10.00"]


@pytest.mark.parametrize("what", ["append", "delete", "add a column", "restore an older version"])
def test_a_commit_of_others_that_changes_rows_or_columns_is_refused_until_it_is_restored(
    estate: Estate, platform: Platform, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, before = table(platform), pointer(platform)
    place, session = f"delta.`{gold.path}`", gold.spark.newSession()
    session.conf.unset("spark.databricks.delta.commitInfo.userMetadata")
    {
        "append": lambda: gold.rows().withColumn("id", F.lit(99)).write.format("delta").mode("append").save(gold.path),
        "delete": lambda: session.sql(f"DELETE FROM {place} WHERE id = 6"),  # noqa: S608
        "add a column": lambda: session.sql(f"ALTER TABLE {place} ADD COLUMNS (more STRING)"),
        "restore an older version": lambda: session.sql(f"RESTORE {place} TO VERSION AS OF 0"),
    }[what]()
    with pytest.raises(ConflictError, match=f"data-platform restore {ORDERS}"):
        run(estate, platform, "orders")

    assert restore_dataset(platform, "orders", confirmed=False, as_json=False) is False
    listed = capsys.readouterr().out
    assert (pointer(platform).version, seen(platform)) == (before.version, [6, 7])
    assert restore_dataset(platform, "orders", confirmed=True, as_json=False) is True

    assert "add --yes" in listed
    assert f"run gold again for: {DAY}" in listed
    assert (pointer(platform).judged_version, seen(platform)) == (before.judged_version, [6, 7])
    with pytest.raises(ConflictError, match="run gold again"):
        driver.run_stage(platform, platform.policies.dataset("orders"), Stage.CERTIFIED, DAY, new_run_id(estate.now))
    assert run(estate, platform, "orders") is Stage.CERTIFIED
    assert seen(platform) == [6, 7]


def test_a_run_that_dies_between_restore_and_record_leaves_a_pointer_that_reconcile_moves_on(
    estate: Estate, platform: Platform
) -> None:
    class DiedError(Exception):
        pass

    def die(step: str, told: dict[str, Any]) -> None:
        if step == "restore" and told.get("stage") == Stage.GOLD:
            raise DiedError

    before, gold = pointer(platform), table(platform)
    orders(estate, *TWICE)
    platform.on_step = die
    with pytest.raises(DiedError):
        run(estate, platform, "orders")
    platform.on_step = _ignore
    assert pointer(platform).version == before.version < gold.version()

    reconcile_selected(platform, "orders", as_json=False)

    found = pointer(platform)
    assert (found.version, found.status, found.judged_version) == (
        int(snapshot(gold.spark, gold.path).version()),
        CertificationStatus.CERTIFIED,
        before.version,
    )
    assert seen(platform) == [6, 7]
