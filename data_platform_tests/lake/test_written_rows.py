"""The rows that the latest commit wrote are read from its own files, with the columns and errors of any other read."""

from datetime import date
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from data_platform.lake.partition import Slice
from data_platform.lake.table import LakeTable
from data_platform.lake.written_rows import written_rows
from data_platform.model.partition_key import PartitionKey

DAY, NEXT = date(2026, 2, 15), date(2026, 2, 16)
OF_DAY, OF_NEXT = (Slice("dt", PartitionKey.of_value(day)) for day in (DAY, NEXT))


def rows(spark: SparkSession, day: date, *ids: int) -> DataFrame:
    made = spark.createDataFrame([(n,) for n in ids], "id int").withColumn("dt", F.lit(day))
    return made.withColumn("at", F.timestamp_seconds(F.col("id"))).withColumn("parts", F.array("id"))


def note(only: Slice) -> dict[str, str]:
    return {"kind": "data", "partition": only.partition}


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> LakeTable:
    """Version 1 appended the first rows of ``DAY``, version 2 replaced them, version 3 appended those of ``NEXT``."""
    made = LakeTable(spark, str(tmp_path / "orders"))
    made.create(rows(spark, DAY, 1).schema, partition_by="dt")
    made.replace(rows(spark, DAY, 1), note(OF_DAY), only=OF_DAY)
    made.replace(rows(spark, DAY, 2, 3), note(OF_DAY), only=OF_DAY)
    made.replace(rows(spark, NEXT, 4), note(OF_NEXT), only=OF_NEXT)
    return made


def test_appended_and_replaced_rows_are_those_of_the_version(spark: SparkSession, table: LakeTable) -> None:
    for again in (False, True):
        if again:
            table.replace(rows(spark, NEXT, 5, 6), note(OF_NEXT), only=OF_NEXT)
        written = written_rows(spark, table.path, table.version(), OF_NEXT)

        assert written is not None
        assert written.schema == table.rows().schema
        assert sorted(written.collect()) == sorted(OF_NEXT.of(table.rows()).collect())


def test_a_replaced_table_is_all_of_its_rows(spark: SparkSession, tmp_path: Path) -> None:
    table = LakeTable(spark, str(tmp_path / "planes"))
    table.create(rows(spark, DAY, 1).schema)
    table.replace(rows(spark, DAY, 1), {"kind": "data", "partition": None})
    table.replace(rows(spark, DAY, 2, 3), {"kind": "data", "partition": None})

    written = written_rows(spark, table.path, 2, None)

    assert written is not None
    assert sorted(written.collect()) == sorted(table.rows().collect())
    assert written_rows(spark, table.path, 2, OF_DAY) is None


def test_what_the_latest_commit_did_not_replace_is_not_read_from_it(spark: SparkSession, table: LakeTable) -> None:
    assert written_rows(spark, table.path, 2, OF_DAY) is None, "not the latest"
    assert written_rows(spark, table.path, 3, OF_DAY) is None, "another partition"
    assert written_rows(spark, table.path, 3, None) is None, "not the whole table"

    table.append(rows(spark, NEXT, 7), {"by": "somebody"})
    assert written_rows(spark, table.path, 4, OF_NEXT) is None, "not all of the partition"
    table.restore(3, note(OF_NEXT))
    assert written_rows(spark, table.path, 5, OF_NEXT) is None, "no write"


def test_a_session_in_another_zone_reads_in_its_own(spark: SparkSession, table: LakeTable) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")

    written = written_rows(session, table.path, 3, OF_NEXT)

    assert written is not None
    assert written.select(F.date_format("at", "HH")).first() == ("09",)
    assert SparkSession.getActiveSession() is not session


def test_a_file_that_is_gone_is_an_error(spark: SparkSession, table: LakeTable) -> None:
    for file in Path(table.path, f"dt={NEXT}").glob("*.parquet"):
        file.unlink()

    written = written_rows(spark, table.path, 3, OF_NEXT)

    assert written is not None
    with pytest.raises(Py4JJavaError, match="FILE_NOT_EXIST"):
        written.collect()
