"""The first rows of a partition are appended; such a commit is rolled back if the partition was not theirs alone."""

import json
from datetime import date
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from data_platform.errors import ConflictError, ConservationError
from data_platform.lake.commit import Commit
from data_platform.lake.first_rows import check_first, is_empty
from data_platform.lake.partition import Slice
from data_platform.lake.table import LakeTable
from data_platform.model.partition_key import PartitionKey

DAY, NEXT = date(2026, 2, 15), date(2026, 2, 16)
OF_DAY, OF_NEXT = (Slice("dt", PartitionKey.of_value(day)) for day in (DAY, NEXT))


def rows(spark: SparkSession, day: date, *ids: int) -> DataFrame:
    return spark.createDataFrame([(n,) for n in ids], "id int").withColumn("dt", F.lit(day))


def ids(table: LakeTable) -> list[int]:
    return sorted(row["id"] for row in table.rows().collect())


def mode(table: LakeTable, commit: Commit | None) -> str:
    assert commit is not None
    lines = (Path(table.path) / f"_delta_log/{commit.version:020d}.json").read_text().splitlines()
    [info] = [entry["commitInfo"] for entry in map(json.loads, lines) if "commitInfo" in entry]
    return str(info["operationParameters"]["mode"])


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> LakeTable:
    """A table whose partition of ``DAY`` has the row 1."""
    made = LakeTable(spark, str(tmp_path / "orders"))
    made.create(rows(spark, DAY, 1).schema, partition_by="dt")
    made.replace(rows(spark, DAY, 1), {"run_id": "run_1"}, only=OF_DAY)
    return made


def test_only_the_first_rows_of_a_partition_are_appended(spark: SparkSession, table: LakeTable) -> None:
    first = table.replace(rows(spark, NEXT, 2), {"run_id": "run_2"}, only=OF_NEXT)
    again = table.replace(rows(spark, NEXT, 3), {"run_id": "run_3"}, only=OF_NEXT)

    assert (mode(table, first), mode(table, again)) == ("Append", "Overwrite")
    assert ids(table) == [1, 3]


def test_a_partition_is_empty_by_the_log_of_the_version(table: LakeTable) -> None:
    assert [is_empty(table.path, version, OF_DAY) for version in (0, 1)] == [True, False]
    assert is_empty(table.path, 1, OF_NEXT)


def test_a_partition_that_cannot_be_read_without_spark_is_not_known_to_be_empty(
    spark: SparkSession, tmp_path: Path
) -> None:
    whole, texts = LakeTable(spark, str(tmp_path / "whole")), LakeTable(spark, str(tmp_path / "texts"))
    whole.begin(rows(spark, DAY, 1), {})
    texts.create(rows(spark, DAY, 1).withColumn("dt", F.col("dt").cast("string")).schema, partition_by="dt")
    texts.append(rows(spark, DAY, 1).withColumn("dt", F.col("dt").cast("string")), {})

    assert not is_empty(whole.path, 0, OF_NEXT)
    assert not is_empty(texts.path, 1, OF_NEXT)
    assert not is_empty("s3a://bucket/orders", 0, OF_NEXT)
    assert not is_empty(whole.path, 7, OF_NEXT)


def test_a_row_of_another_partition_is_rolled_back(spark: SparkSession, table: LakeTable) -> None:
    with pytest.raises(ConservationError, match="another partition; rolled back"):
        table.replace(rows(spark, DAY, 9), {"run_id": "run_2"}, only=OF_NEXT)

    assert ids(table) == [1]
    assert table.commit().note == {"run_id": "run_2", "kind": "restore"}


def test_rows_of_another_writer_in_the_same_partition_are_a_conflict_and_stay(
    spark: SparkSession, table: LakeTable
) -> None:
    before = table.version()
    table.append(rows(spark, NEXT, 7), {})
    table.append(rows(spark, NEXT, 2), {"run_id": "run_2"})

    with pytest.raises(ConflictError, match="another writer"):
        check_first(table, before, table.commit(), OF_NEXT, {"run_id": "run_2"})

    assert ids(table) == [1, 7]


def test_rows_of_another_writer_in_another_partition_are_no_conflict(spark: SparkSession, table: LakeTable) -> None:
    before = table.version()
    table.append(rows(spark, DAY, 7), {})
    table.append(rows(spark, NEXT, 2), {"run_id": "run_2"})

    check_first(table, before, table.commit(), OF_NEXT, {"run_id": "run_2"})

    assert ids(table) == [1, 2, 7]
