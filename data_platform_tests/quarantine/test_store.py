"""One write quarantines rows, and returns how many, why, which are resolved and where the first of them are."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from data_platform.lake.table import LakeTable
from data_platform.model.quarantine import VIOLATIONS
from data_platform.quarantine.store import Quarantined, quarantine_rows, resolve

NOW = datetime(2026, 2, 15, tzinfo=UTC)


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> LakeTable:
    return LakeTable(spark, str(tmp_path / "orders_20260215_run_1"))


def rejected(spark: SparkSession, *violations: str) -> DataFrame:
    """One row for each text of comma-separated signatures; ``_line`` counts from 1."""
    rows = [("orders.csv", line, str(line), text.split(",")) for line, text in enumerate(violations, start=1)]
    return spark.createDataFrame(rows, f"_file string, _line int, id string, {VIOLATIONS} array<string>")


def aside(table: LakeTable, rows: DataFrame, signatures: tuple[str, ...] | None, run: str = "run_1") -> Quarantined:
    return quarantine_rows(
        table, rows, run_id=run, delivery_id="d", rejected_at=NOW, note={"run_id": run}, signatures=signatures
    )


def test_each_signature_counts_its_rows_and_the_most_come_first(spark: SparkSession, table: LakeTable) -> None:
    found = aside(table, rejected(spark, "A", "B,A", "A", "B"), ("C", "B", "A"))

    assert (found.rows, list(found.signatures.items())) == (4, [("A", 3), ("B", 2)])
    assert table.rows().count() == 4


def test_an_unexpected_signature_is_counted_too(spark: SparkSession, table: LakeTable) -> None:
    found = aside(table, rejected(spark, "A", "ENUM:x", "ENUM:y,A", "ENUM:x"), ("A",))

    assert found.signatures == {"A": 2, "ENUM:x": 2, "ENUM:y": 1}


def test_the_first_rows_of_the_delivery_are_the_samples(spark: SparkSession, table: LakeTable) -> None:
    found = aside(table, rejected(spark, *"ABCDEFG").orderBy(F.desc("_line")), None)

    assert [(s["_file"], s["_line"], s[VIOLATIONS]) for s in found.samples] == [
        ("orders.csv", line, [name]) for line, name in enumerate("ABCDE", start=1)
    ]
    assert all("id" not in sample for sample in found.samples)
    assert found.signatures == {}


def test_a_row_whose_key_was_accepted_is_resolved(spark: SparkSession, table: LakeTable) -> None:
    accepted = spark.createDataFrame([(2,), (2,)], "id int")

    found = aside(table, resolve(rejected(spark, "A", "A"), accepted, [F.col("id")]), ("A",))

    assert (found.rows, found.resolved) == (2, 1)


def test_a_second_write_of_the_run_takes_the_place_of_the_first(spark: SparkSession, table: LakeTable) -> None:
    aside(table, rejected(spark, "A", "A"), ("A",))

    found = aside(table, rejected(spark, "B"), ("A", "B"), run="run_1 again")

    assert (found.rows, found.signatures, table.rows().count()) == (1, {"B": 1}, 1)


def test_without_rows_nothing_is_quarantined(spark: SparkSession, table: LakeTable) -> None:
    assert aside(table, rejected(spark, "A").limit(0), ("A",)) == Quarantined(0)


def test_every_column_may_be_null_and_rows_have_their_run(spark: SparkSession, table: LakeTable) -> None:
    aside(table, spark.range(1).toDF("id"), None)

    [row] = table.rows().collect()
    assert (row[VIOLATIONS], row["_resolved"], row["_run_id"], row["_delivery_id"]) == ([], False, "run_1", "d")
    assert all(column.nullable for column in table.schema().columns)
