"""Whether a later version has the same rows is read from the log, and doubted where the log is gone."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from data_platform.lake.change import changes, has_same_rows
from data_platform.lake.presence import find_damage, peek
from data_platform.lake.protection import PROTECTION
from data_platform.lake.table import LakeTable
from data_platform_tests.case import vacuuming


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> LakeTable:
    """Version 1 has rows, version 2 others, version 3 is a restore of 1, and 4 the same rows in other files."""
    made = LakeTable(spark, str(tmp_path / "orders"))
    made.create(spark.range(1).schema)
    made.replace(spark.range(3), {"run_id": "run_1"})
    made.replace(spark.range(9), {"run_id": "run_2"})
    made.restore(1, {"run_id": "run_2"})
    rewritten = made.rows().repartition(1).write.format("delta").mode("overwrite").option("dataChange", "false")
    rewritten.save(made.path)
    return made


def test_a_restore_a_rewrite_a_property_and_a_vacuum_keep_the_rows(spark: SparkSession, table: LakeTable) -> None:
    spark.sql(f"ALTER TABLE delta.`{table.path}` SET TBLPROPERTIES ('somebody' = 'was here')")
    vacuuming(spark).sql(f"VACUUM delta.`{table.path}`")

    same = {later: has_same_rows(spark, table.path, 1, later) for later in (2, 3, 4, table.version())}

    assert same == {2: False, 3: True, 4: True, table.version(): True}
    assert not has_same_rows(spark, table.path, 2, 4)
    assert [change.version for change in changes(spark, table.path, 1) if change.rewritten] == [4]


def test_a_deleted_row_and_an_appended_one_are_other_rows(spark: SparkSession, table: LakeTable) -> None:
    spark.sql(f"DELETE FROM delta.`{table.path}` WHERE id = 1")  # noqa: S608
    deleted = has_same_rows(spark, table.path, 1, table.version())
    table.restore(4, {})
    table.append(spark.range(1), {})

    assert (deleted, has_same_rows(spark, table.path, 1, table.version())) == (False, False)


def test_without_the_log_in_between_rows_are_not_taken_as_the_same(spark: SparkSession, table: LakeTable) -> None:
    (Path(table.path) / "_delta_log" / f"{2:020d}.json").unlink()

    assert not has_same_rows(spark, table.path, 1, 3)
    assert has_same_rows(spark, table.path, 3, 4)


def test_a_new_table_keeps_every_version_and_an_old_one_does_once_it_is_protected(
    spark: SparkSession, table: LakeTable, tmp_path: Path
) -> None:
    old = LakeTable(spark, str(tmp_path / "old"))
    old.begin(spark.range(1), {})

    assert PROTECTION.items() <= table.properties().items()
    assert [old.protect({"run_id": "run_1"}) for _ in range(2)] == [True, False]
    assert (PROTECTION.items() <= old.properties().items(), old.commit().note) == (True, {"run_id": "run_1"})
    assert peek(old.path) == (1, old.properties())


def test_damage_is_found_without_reading_a_row(table: LakeTable, tmp_path: Path) -> None:
    assert find_damage(table.path, 1) is None
    assert find_damage("s3://bucket/orders", 1) is None  # a remote place is not asked
    assert find_damage(str(tmp_path / "nowhere"), 1) == f"there is no table at {tmp_path / 'nowhere'}"
    for file in Path(table.path).glob("*.parquet"):
        file.unlink()
    assert "files of v1 are gone" in (find_damage(table.path, 1) or "")
