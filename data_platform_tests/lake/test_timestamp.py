"""Any Delta reader sees the same instant, in new tables and in tables that were written as INT96."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from pyspark.sql import DataFrame, SparkSession

from data_platform.errors import ConservationError
from data_platform.lake import timestamp
from data_platform.lake.change import has_same_rows
from data_platform.lake.table import LakeTable, schema_of

ENDS = ("0001-01-01 00:00:00", "1582-10-10 12:00:00", "1890-03-01 00:00:00", "9999-12-31 23:59:59.999999")
TYPE = "timestamp_ntz"
TYPE_SETTING = "spark.sql.parquet.outputTimestampType"


def moments(spark: SparkSession) -> DataFrame:
    """A moment each, alone and inside a struct, an array and a map; the third is of a zone with an odd offset."""
    zones = ("Z", "Z", "-04:56:02", "Z")
    values = ", ".join(f"({n}, TIMESTAMP'{t}{z}')" for n, (t, z) in enumerate(zip(ENDS, zones, strict=True)))
    return spark.sql(
        "SELECT id, t, named_struct('a', array(t)) AS s, map('k', t) AS m, DATE'2025-01-06' AS day "  # noqa: S608
        f"FROM VALUES {values} AS v(id, t)"
    )


def expected(spark: SparkSession) -> list[int]:
    return [row["u"] for row in moments(spark).selectExpr("unix_micros(t) AS u", "id").orderBy("id").collect()]


def micros(value: Any) -> int:
    since = value - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86400 + since.seconds) * 1_000_000 + since.microseconds


def by_others(path: str) -> list[set[int]]:
    """Every moment of each row as delta-rs and pyarrow read it."""
    rows = sorted(DeltaTable(path).to_pyarrow_table().to_pylist(), key=lambda row: row["id"])
    return [{micros(t) for t in (row["t"], *row["s"]["a"], *(value for _, value in row["m"]))} for row in rows]


def physical_types(path: str) -> set[str]:
    files = (pq.ParquetFile(file) for file in DeltaTable(path).file_uris())
    return {file.schema.column(n).physical_type for file in files for n in range(len(file.schema))}


@pytest.fixture
def as_int96(spark: SparkSession) -> Iterator[None]:
    """What Spark does by default, and did in this platform's tables before."""
    before = spark.conf.get(TYPE_SETTING)
    spark.conf.set(TYPE_SETTING, "INT96")
    yield
    spark.conf.set(TYPE_SETTING, str(before))


def test_what_is_written_is_read_alike_by_spark_delta_rs_and_pyarrow(spark: SparkSession, tmp_path: Path) -> None:
    table = LakeTable(spark, str(tmp_path / "new"))
    table.begin(moments(spark), {"run_id": "run_1"})

    by_spark = [row["u"] for row in table.rows().selectExpr("unix_micros(t) AS u", "id").orderBy("id").collect()]
    assert by_spark == expected(spark)
    assert by_others(table.path) == [{value} for value in expected(spark)]


@pytest.mark.usefixtures("as_int96")
@pytest.mark.parametrize("partition_by", [None, "day"], ids=["whole", "by day"])
def test_int96_files_are_rewritten_without_a_change_of_rows(
    spark: SparkSession, tmp_path: Path, partition_by: str | None
) -> None:
    table = LakeTable(spark, str(tmp_path / "old"))
    table.create(moments(spark).schema, partition_by)
    table.replace(moments(spark), {"run_id": "run_1"})
    before, old_types = table.version(), physical_types(table.path)
    spark.conf.set(TYPE_SETTING, "TIMESTAMP_MICROS")

    after = timestamp.rewrite_timestamps(table, {"run_id": "run_2", "kind": "rewrite"})

    assert after == before + 1
    assert ("INT96" in old_types, "INT96" in physical_types(table.path)) == (True, False)
    assert by_others(table.path) == [{value} for value in expected(spark)]
    assert has_same_rows(spark, table.path, before, after)
    assert schema_of(table.at(before)) == schema_of(table.at(after))
    assert DeltaTable(table.path).metadata().partition_columns == ([partition_by] if partition_by else [])


def test_a_rewrite_that_would_change_rows_is_taken_back(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = LakeTable(spark, str(tmp_path / "old"))
    table.begin(moments(spark), {"run_id": "run_1"})
    digests = iter([(4, "what was there"), (4, "something else")])
    monkeypatch.setattr(timestamp, "_digest", lambda _: next(digests))

    with pytest.raises(ConservationError, match="has other rows"):
        timestamp.rewrite_timestamps(table, {"run_id": "run_2", "kind": "rewrite"})
    assert (table.commit().note["kind"], table.rows().count()) == ("restore", 4)


def test_a_column_of_a_type_that_needs_a_feature_is_added_and_read_by_others(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = LakeTable(spark, str(tmp_path / "old"))
    table.create(spark.range(1).withColumnRenamed("id", "n").schema)

    table.add_columns({"at": "timestamp_ntz", "s": "struct<a:array<timestamp_ntz>>"}, {"run_id": "run_1"})
    table.add_columns({"v": "struct<a:variant>"}, {"run_id": "run_1"})
    table.append(spark.sql("SELECT 1L AS n, TIMESTAMP_NTZ'9999-12-31 23:59:59' AS at"), {})

    assert [commit.note.get("run_id") for commit in table.history_since(0)][1:] == ["run_1"] * 3
    assert table.rows().selectExpr("string(at)").first()[0] == "9999-12-31 23:59:59"  # type: ignore[index]


def test_a_date_column_is_widened_to_a_moment_without_a_zone(spark: SparkSession, tmp_path: Path) -> None:
    table = LakeTable(spark, str(tmp_path / "old"))
    table.create(spark.sql("SELECT DATE'2025-01-06' AS d").schema)

    table.widen("d", "timestamp_ntz", {"run_id": "run_1"})

    assert table.schema().columns[0].type == "timestamp_ntz"
    assert {commit.note.get("run_id") for commit in table.history_since(0)} == {"run_1"}
