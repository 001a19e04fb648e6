"""A number that is none is found at any depth, in floating types only."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.gates.expression import finite

SHAPES = ("{}", "named_struct('a', array({}))", "array(array({}))", "map('k', {})", "map({}, 'v')")


@pytest.mark.parametrize(
    ("value", "found"),
    [("NaN", True), ("Infinity", True), ("-Infinity", True), ("1.5", False), ("-0.0", False)],
)
@pytest.mark.parametrize("kind", ["double", "float"])
def test_a_number_that_is_none_is_found_at_any_depth(spark: SparkSession, kind: str, value: str, found: bool) -> None:
    columns = [F.expr(shape.format(f"{kind}('{value}')")).alias(f"c{place}") for place, shape in enumerate(SHAPES)]
    rows = spark.range(1).select(*columns, F.expr(f"{kind}(NULL)").alias("nothing"), F.lit("NaN").alias("text"))

    flags = finite.plan(rows.schema)
    [row] = rows.select(*(flag.alias(signature) for signature, flag in flags.items())).collect()

    assert set(flags) == {f"NOT_FINITE:{name}" for name in rows.columns if name != "text"}
    assert [row[f"NOT_FINITE:c{place}"] for place in range(len(SHAPES))] == [found] * len(SHAPES)
    assert row["NOT_FINITE:nothing"] is False
