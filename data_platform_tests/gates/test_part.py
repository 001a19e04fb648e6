"""The rows of each part of a batch are counted by the text of a value, among the rows that are kept."""

import pytest
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from data_platform.gates import part
from data_platform.model.freshness import Parts


@pytest.mark.parametrize(
    ("kind", "values", "parts", "expected"),
    [
        pytest.param("string", ["EU", "US", "us", None, "EU"], ("EU", "US", "APAC"), (2, 1, 0), id="texts"),
        pytest.param("int", [1, 2, 2, None, 3], ("1", "2", "02"), (1, 2, 0), id="numbers"),
        pytest.param("boolean", [True, True, None, False, True], ("true", "false"), (3, 1), id="booleans"),
    ],
)
def test_rows_are_counted_by_part(
    spark: SparkSession, kind: str, values: list[object], parts: tuple[str, ...], expected: tuple[int, ...]
) -> None:
    rows = spark.createDataFrame([(value,) for value in values], f"`a region` {kind}")

    found = measured(rows.agg, Parts(column="a region", values=parts), F.lit(True))

    assert found == dict(zip(parts, expected, strict=True))


def test_rows_that_are_quarantined_do_not_count(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("EU", 1), ("EU", -1), ("US", -1)], "region string, n int")

    found = measured(rows.agg, Parts(column="REGION", values=("EU", "US")), F.col("n") > 0)

    assert found == {"EU": 1, "US": 0}


def measured(aggregate: object, parts: Parts, keep: Column) -> dict[str, int]:
    planned = part.plan(parts, keep)
    assert callable(aggregate)
    [row] = aggregate(*planned.values()).collect()
    return part.rows_of(dict(zip(planned, row, strict=True)))


def test_a_dataset_without_parts_counts_none() -> None:
    assert part.plan(None, None) == {}  # type: ignore[arg-type]
