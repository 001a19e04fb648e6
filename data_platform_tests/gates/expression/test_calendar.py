"""A day or moment that only Spark can show is found at any depth, and one at the ends of the calendar is not."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.gates.expression import calendar

MICROS_OF_YEAR_10000 = 253_402_300_800_000_000
MICROS_OF_YEAR_1 = -62_135_596_800_000_000
FIRST, LAST = MICROS_OF_YEAR_1, MICROS_OF_YEAR_10000 - 1
MOMENT, DAY = "timestamp_micros({})", "date_from_unix_date(int({} div 86400000000))"
SHAPES = ("{}", "named_struct('a', array({}))", "array(named_struct('b', {}))", "map('k', {})", "map({}, 'v')")


@pytest.mark.parametrize("value", [MOMENT, f"cast({MOMENT} as timestamp_ntz)", DAY], ids=["moment", "no zone", "day"])
def test_a_year_before_1_or_after_9999_is_found_at_any_depth(spark: SparkSession, value: str) -> None:
    edges = [FIRST - 86_400_000_000, FIRST, LAST, LAST + 1]
    rows = spark.range(1).select(
        *(F.expr(shape.format(value.format(f"{edge}L"))).alias(f"{s}_{e}")
          for s, shape in enumerate(SHAPES) for e, edge in enumerate(edges)),
        F.lit(None).cast("timestamp").alias("nothing"),
        F.lit("+10000-01-01").alias("text"),
    )  # fmt: skip

    flags = calendar.plan(rows.schema)
    [found] = rows.select(*(flag.alias(signature) for signature, flag in flags.items())).collect()

    assert "YEAR_OUT_OF_RANGE:text" not in flags
    assert found["YEAR_OUT_OF_RANGE:nothing"] is False
    wrong = {signature for signature, is_broken in found.asDict().items() if is_broken}
    assert wrong == {f"YEAR_OUT_OF_RANGE:{s}_{e}" for s in range(len(SHAPES)) for e in (0, 3)}
