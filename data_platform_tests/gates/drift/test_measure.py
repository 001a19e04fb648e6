"""What is measured of a profiled column, in the aggregates of one pass, and what never is."""

from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.gates.drift.measure import MOST_CODES, fields_of, plan
from data_platform.model.schema import Column, Schema

DECLARED = Schema.of(
    [Column(name="Kind", type="string"), Column(name="x", type="double"), Column(name="pay", type="decimal(10,2)")]
)
CODES = {"kind": ("A", "B", "C")}


def measured(spark: SparkSession, *, hidden: frozenset[str] = frozenset()) -> dict[str, Any]:
    rows = spark.sql(
        "SELECT * FROM VALUES ('A', 1D, 1.5), ('A', 3D, 2.5), ('B', double('NaN'), NULL), ('x', double('inf'), 3),"
        " (NULL, NULL, 4), ('rejected', 1000D, 1000) AS t(Kind, x, pay)"
    )
    keep = F.col("Kind").isNull() | (F.col("Kind") != "rejected")
    measures = plan(DECLARED, ("kind", "x", "pay", "absent"), keep, codes=CODES, hidden=hidden)
    found = rows.agg(*measures.values()).first()
    assert found is not None
    return fields_of(5, {("nulls", "Kind"): 1, **dict(zip(measures, found, strict=True))})


def test_codes_have_shares_of_the_values_and_numbers_a_range_over_finite_ones(spark: SparkSession) -> None:
    fields = measured(spark)

    assert fields["Kind"] == {"null_rate": 0.2, "distinct": 3, "shares": {"A": 0.5, "B": 0.25, "C": 0.0}}
    numbers = {name: value for name, value in fields["x"].items() if name != "stddev"}
    assert numbers == {"distinct": 4, "mean": 2.0, "min": 1.0, "max": 3.0}
    assert (fields["pay"]["min"], fields["pay"]["max"], fields["pay"]["mean"]) == (1.5, 4.0, 2.75)


def test_of_a_column_with_personal_data_only_distinct_values_are_counted(spark: SparkSession) -> None:
    fields = measured(spark, hidden=frozenset({"kind", "pay"}))

    assert fields["Kind"] == {"null_rate": 0.2, "distinct": 3}
    assert fields["pay"] == {"distinct": 4}


@pytest.mark.usefixtures("spark")
def test_too_many_codes_are_not_counted_each() -> None:
    keep = F.lit(True)
    many = {"kind": tuple(f"C{number}" for number in range(MOST_CODES + 1))}

    assert list(plan(DECLARED, ("Kind",), keep, codes=many, hidden=())) == [("distinct", "Kind")]


def test_without_values_there_are_no_metrics() -> None:
    found = fields_of(0, {("nulls", "x"): 0, ("mean", "x"): None, ("code", ("x", "A")): 0})

    assert found == {"x": {"null_rate": None, "mean": None, "shares": {}}}
