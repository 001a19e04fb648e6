"""A table loses no row to another writer, keeps NOT NULL, and identifies the run of each commit."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from delta.tables import DeltaTable
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StructField, StructType

from data_platform.errors import ConflictError, TableNotFoundError
from data_platform.lake.partition import Slice
from data_platform.lake.table import LakeTable
from data_platform.model.partition_key import PartitionKey
from data_platform_tests.case import case_file, expected

DAY = date(2026, 2, 15)
ID = StructType([StructField("id", IntegerType(), nullable=False)])


def ids(spark: SparkSession, *values: int | None) -> DataFrame:
    return spark.createDataFrame([(value,) for value in values], "id int")


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> LakeTable:
    """A table of one NOT NULL column ``id``, without rows."""
    made = LakeTable(spark, str(tmp_path / "orders"))
    made.create(ID)
    return made


def all_at_once(write: Callable[[int], object], writers: int) -> list[BaseException | None]:
    with ThreadPoolExecutor(writers) as pool:
        return [done.exception() for done in [pool.submit(write, n) for n in range(writers)]]


def test_a_commit_has_its_row_count_and_its_note(spark: SparkSession, table: LakeTable) -> None:
    written = table.replace(ids(spark, 1, 2), {"run_id": "run_1"})

    assert written is not None
    assert (written.rows, written.note) == (2, {"run_id": "run_1"})
    assert table.commit(written.version) == written


def test_a_partition_is_replaced_and_its_neighbours_stay(spark: SparkSession, tmp_path: Path) -> None:
    table = LakeTable(spark, str(tmp_path / "orders"))
    days = spark.createDataFrame([(1, DAY), (2, date(2026, 2, 16))], "id int, dt date")
    table.create(days.schema, partition_by="dt")
    table.replace(days, {"run_id": "run_1"})

    table.replace(
        ids(spark, 7).withColumn("dt", F.lit(DAY)), {"run_id": "run_2"}, only=Slice("dt", PartitionKey.of_value(DAY))
    )

    assert sorted(row["id"] for row in table.at(table.version()).collect()) == [2, 7]


def test_row_counts_of_all_partitions_are_read_for_each_version_without_a_job(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = LakeTable(spark, str(tmp_path / "orders"))
    days = spark.createDataFrame([(1, DAY), (2, DAY), (3, date(2026, 2, 16))], "id int, dt date")
    table.create(days.schema, partition_by="dt")
    table.replace(days, {"run_id": "run_1"})
    table.replace(days.limit(1), {"run_id": "run_2"}, only=Slice("dt", PartitionKey.of_value(DAY)))
    jobs = spark.sparkContext._jsc.sc().statusStore()  # type: ignore[union-attr]
    before = jobs.jobsList(None).size()

    assert [table.row_count(version) for version in (0, 1, 2)] == [0, 3, 2]
    assert jobs.jobsList(None).size() == before
    assert table.row_count(99) is None


def test_writing_nothing_over_nothing_is_no_commit(spark: SparkSession, tmp_path: Path) -> None:
    table = LakeTable(spark, str(tmp_path / "orders"))
    empty = spark.createDataFrame([], "id int, dt date")
    table.create(empty.schema, partition_by="dt")

    assert table.replace(empty, {"run_id": "run_1"}, only=Slice("dt", PartitionKey.of_value(DAY))) is None


def test_a_restore_brings_the_rows_back_and_records_why(spark: SparkSession, table: LakeTable) -> None:
    good = table.replace(ids(spark, 1), {"run_id": "run_1"})
    table.replace(ids(spark, 9), {"run_id": "run_2"})
    assert good is not None

    version = table.restore(good.version, {"held": "run_2"})

    assert [row["id"] for row in table.at(version).collect()] == [1]
    assert table.commit().note == {"held": "run_2"}
    assert [commit.restored for commit in table.history_since(good.version)] == [good.version, None]


def test_commits_are_listed_latest_first_by_version(spark: SparkSession, table: LakeTable) -> None:
    for n in (1, 2):
        table.replace(ids(spark, *range(n)), {"n": n})

    assert [(c.version, c.rows, c.note) for c in table.history_since(0)] == [(2, 2, {"n": 2}), (1, 1, {"n": 1})]
    assert table.commit(1).note == {"n": 1}
    with pytest.raises(TableNotFoundError, match="no version 7"):
        table.commit(7)


def test_a_commit_of_another_tool_has_no_note(spark: SparkSession, table: LakeTable) -> None:
    ids(spark, 1).write.format("delta").mode("append").option("userMetadata", "by hand").save(table.path)

    assert (table.commit().rows, table.commit().note) == (1, {})


def test_a_table_begins_with_its_rows_once(spark: SparkSession, tmp_path: Path) -> None:
    table = LakeTable(spark, str(tmp_path / "new"))

    first = table.begin(ids(spark, 1, 2), {"run_id": "run_1"})

    assert (first.version, first.rows, first.note) == (0, 2, {"run_id": "run_1"})
    with pytest.raises(ConflictError, match="holds a table already"):
        table.begin(ids(spark, 3), {"run_id": "run_2"})
    assert sorted(row["id"] for row in table.rows().collect()) == [1, 2]


@pytest.mark.parametrize("way", ["create", "begin"])
def test_a_log_without_statistics_has_rows_and_no_values(spark: SparkSession, tmp_path: Path, way: str) -> None:
    table, rows = LakeTable(spark, str(tmp_path / "new")), ids(spark, 41, 42).coalesce(1)
    if way == "create":
        table.create(rows.schema, statistics=False)
        table.replace(rows, {"run_id": "run_1"})
    else:
        table.begin(rows, {"run_id": "run_1"})

    [stats] = [json.loads(line["stats"]) for line in added(table)]
    assert stats == {"numRecords": 2, **({"tightBounds": True} if "tightBounds" in stats else {})}
    assert table.row_count(table.version()) == 2


def test_a_log_with_statistics_has_the_least_and_the_greatest_value(spark: SparkSession, table: LakeTable) -> None:
    table.replace(ids(spark, 41, 42).coalesce(1), {"run_id": "run_1"})

    [stats] = [json.loads(line["stats"]) for line in added(table)]
    assert (stats["minValues"], stats["maxValues"]) == ({"id": 41}, {"id": 42})


def added(table: LakeTable) -> list[dict[str, Any]]:
    """The log's entry of each file."""
    logs = sorted(Path(table.path).glob("_delta_log/*.json"))
    lines = [line for path in logs for line in path.read_text().splitlines()]
    return [found["add"] for found in map(json.loads, lines) if "add" in found]


def test_a_reload_with_a_new_column_keeps_not_null(spark: SparkSession, tmp_path: Path) -> None:  # C19
    def delivery(name: str) -> DataFrame:
        rows = spark.read.csv(str(case_file("C19", name)), header=True)
        return rows.withColumn("id", F.col("id").cast("int")).withColumn("amount", F.col("amount").cast("double"))

    table = LakeTable(spark, str(tmp_path / "orders"))
    table.create(StructType([*ID, *delivery("seed.csv").select("amount").schema]))
    table.replace(delivery("seed.csv"), {"run_id": "run_1"})
    table.add_columns({"newc": "string"})
    table.replace(delivery("reload.csv"), {"run_id": "run_2"})

    assert table.at(table.version()).count() == 1
    kept = DeltaTable.forPath(spark, table.path).toDF().schema["id"].nullable
    assert kept is expected("C19")["after_reload"]["id_nullable"]
    with pytest.raises(Py4JJavaError, match="DELTA_NOT_NULL_CONSTRAINT_VIOLATED"):
        table.replace(delivery("bad.csv"), {"run_id": "run_3"})
    assert table.commit().note == {"run_id": "run_2"}


def test_of_commits_at_once_each_has_the_note_of_its_own_writer(spark: SparkSession, tmp_path: Path) -> None:
    tables = [LakeTable(spark, str(tmp_path / f"orders_{n}")) for n in range(4)]
    for table in tables:
        table.create(ID)
        table.replace(ids(spark, 1), {"run_id": "run_1"})

    failures = all_at_once(lambda n: tables[n].restore(0, {"run_id": f"restore_{n}"}), 4)
    failures += all_at_once(lambda n: tables[n].add_columns({"more": "int"}, {"run_id": f"grow_{n}"}), 4)

    assert failures == [None] * 8
    for n, table in enumerate(tables):
        notes = [commit.note.get("run_id") for commit in table.history_since(1)]
        assert notes == [f"grow_{n}", f"restore_{n}"]
    tables[0].append(spark.createDataFrame([(1, 2)], "id int, more int"), {})
    assert tables[0].commit().note == {}


def test_a_column_is_widened_and_never_narrowed(spark: SparkSession, table: LakeTable) -> None:  # C15
    table.replace(ids(spark, 100), {"run_id": "run_1"})
    table.widen("id", "bigint")
    table.append(spark.createDataFrame([(5_000_000_000,)], "id bigint"), {"run_id": "run_2"})

    assert sorted(row["id"] for row in table.at(table.version()).collect()) == [100, 5_000_000_000]
    with pytest.raises(PySparkException):
        table.widen("id", "int")


def test_appends_at_once_all_arrive(spark: SparkSession, table: LakeTable) -> None:  # C20 a
    table.append(ids(spark, 0), {})

    failures = all_at_once(lambda n: table.append(ids(spark, *range(n * 10, n * 10 + 10)), {"n": n}), 4)

    assert failures == [None] * 4
    assert table.at(table.version()).count() == expected("C20")["a"]["rows"]


def test_first_writers_at_once_all_arrive(spark: SparkSession, tmp_path: Path) -> None:  # C20 b
    path = str(tmp_path / "new")

    def first_write(n: int) -> None:
        table = LakeTable(spark, path)
        table.create(ID)
        table.append(ids(spark, *range(n * 10, n * 10 + 10)), {"n": n})

    assert all_at_once(first_write, 4) == [None] * 4
    assert LakeTable(spark, path).at(LakeTable(spark, path).version()).count() == expected("C20")["b"]["rows"]


def test_concurrent_overwrites_that_lose_raise_a_conflict(spark: SparkSession, table: LakeTable) -> None:  # C20 d
    table.replace(ids(spark, 0), {})

    failures = all_at_once(lambda n: table.replace(ids(spark, n), {"n": n}), 4)

    assert all(failure is None or isinstance(failure, ConflictError) for failure in failures)
    assert None in failures
    winner = table.commit()
    assert [row["id"] for row in table.at(winner.version).collect()] == [winner.note["n"]]


def test_a_table_that_is_not_there_is_named(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(TableNotFoundError, match="orders"):
        LakeTable(spark, str(tmp_path / "orders")).version()
