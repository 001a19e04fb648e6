"""Two values are the same, within tolerance, different, or one of them is none; nothing is rounded on the way."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.model.schema import normal_type
from data_platform.parity.kind import compared_as
from data_platform.parity.rule import Rules
from data_platform.parity.value import Outcome, compared, legacy_value, normalised
from data_platform_tests.parity.sides import tolerance

NAN, INFINITY = math.nan, math.inf
AT = datetime(2025, 1, 6, 10, 0, tzinfo=UTC)


def asked(spark: SparkSession, legacy_kind: str, legacy: Any, new_kind: str, new: Any, rules: Rules) -> Outcome:
    """What becomes of one value of each side."""
    kind = compared_as(legacy_kind, new_kind)
    assert kind is not None
    read = legacy_value("legacy", normal_type(legacy_kind), kind)
    old, ours = normalised(read.value, kind, rules), normalised(F.col("new").cast(kind), kind, rules)
    told = compared(old, ours, read.unreadable, name="x", kind=kind, rules=rules).outcome
    rows = spark.createDataFrame([(legacy, new)], f"legacy {legacy_kind}, new {new_kind}")
    return Outcome(rows.select(told.alias("told")).collect()[0]["told"])


@pytest.mark.parametrize(
    ("kind", "legacy", "new", "rules", "outcome"),
    [
        pytest.param("double", NAN, NAN, Rules(), Outcome.EQUAL, id="NaN is NaN"),
        pytest.param("double", 0.0, -0.0, Rules(), Outcome.EQUAL, id="minus zero is zero"),
        pytest.param("double", None, None, Rules(), Outcome.EQUAL, id="NULL is NULL"),
        pytest.param("double", None, 0.0, Rules(), Outcome.NULL_IN_LEGACY, id="NULL is not zero"),
        pytest.param("double", 0.0, None, tolerance("tolerance", "1"), Outcome.NULL_IN_NEW, id="no tolerance for NULL"),
        pytest.param("double", NAN, 1.0, tolerance("tolerance", "9"), Outcome.DIFFERENT, id="no tolerance for NaN"),
        pytest.param("double", INFINITY, 1.0, tolerance("relative", "1"), Outcome.DIFFERENT, id="nor for infinity"),
        pytest.param("double", INFINITY, INFINITY, Rules(), Outcome.EQUAL, id="infinity is itself"),
        pytest.param("double", INFINITY, -INFINITY, tolerance("tolerance", "9"), Outcome.DIFFERENT, id="with its sign"),
        pytest.param("double", 1.0, 1.01, Rules(), Outcome.DIFFERENT, id="without tolerance"),
        pytest.param("double", 1.0, 1.01, tolerance("tolerance", "0.01"), Outcome.WITHIN, id="at the bound"),
        pytest.param("double", 1.0, 1.0100001, tolerance("tolerance", "0.01"), Outcome.DIFFERENT, id="beyond it"),
        pytest.param("double", 1e300, -1e300, tolerance("tolerance", "0.01"), Outcome.DIFFERENT, id="very large"),
        pytest.param("double", 1000.0, 1001.0, tolerance("relative", "0.001"), Outcome.WITHIN, id="relative"),
        pytest.param("double", 1000.0, 1002.0, tolerance("relative", "0.001"), Outcome.DIFFERENT, id="and beyond"),
        pytest.param("float", 0.1, 0.1, Rules(), Outcome.EQUAL, id="single precision"),
        pytest.param("bigint", 2**63 - 1, -(2**63), Rules(), Outcome.DIFFERENT, id="a difference that is no BIGINT"),
        pytest.param("bigint", 2**62, 2**62 + 1, tolerance("tolerance", "1"), Outcome.WITHIN, id="whole numbers"),
        pytest.param("bigint", 2**62, 2**62 + 2, tolerance("tolerance", "1.9"), Outcome.DIFFERENT, id="one is not two"),
        pytest.param("decimal(10,2)", Decimal("1.00"), Decimal("1.01"), tolerance("tolerance", "0.01"), Outcome.WITHIN,
                     id="decimals at the bound"),
        pytest.param("decimal(10,2)", Decimal("1.00"), Decimal("1.01"), tolerance("tolerance", "0.009999999999"),
                     Outcome.DIFFERENT, id="decimals beyond it"),
        pytest.param("decimal(38,18)", Decimal("1.000000000000000001"), Decimal("1"), Rules(), Outcome.DIFFERENT,
                     id="the eighteenth digit"),
        pytest.param("decimal(38,18)", Decimal("1.000000000000000001"), Decimal("1"),
                     tolerance("tolerance", "0.000000000000000001"), Outcome.WITHIN, id="and a tolerance of it"),
        pytest.param("decimal(38,0)", Decimal(10**38 - 1), Decimal(-(10**38) + 1), tolerance("tolerance", "1e40"),
                     Outcome.DIFFERENT, id="38 digits have no difference"),
        pytest.param("decimal(38,0)", Decimal(10**37), Decimal(10**37), Rules(), Outcome.EQUAL, id="38 equal digits"),
        pytest.param("timestamp", AT, AT.replace(second=1), Rules(), Outcome.DIFFERENT, id="a second"),
        pytest.param("timestamp", AT, AT.replace(second=1), tolerance("seconds", "1"), Outcome.WITHIN, id="is allowed"),
        pytest.param("timestamp", AT, AT.replace(second=1, microsecond=1), tolerance("seconds", "1"), Outcome.DIFFERENT,
                     id="and no microsecond more"),
        pytest.param("timestamp", AT, AT.replace(microsecond=500_000), tolerance("seconds", "0.5"), Outcome.WITHIN,
                     id="half a second"),
        pytest.param("string", "a ", "a", Rules(), Outcome.DIFFERENT, id="white space counts"),
        pytest.param("string", "\ta \u00a0", "a", Rules(trim=True), Outcome.EQUAL, id="unless it is trimmed"),
        pytest.param("string", "ÄB", "äb", Rules(ignore_case=True), Outcome.EQUAL, id="case"),
        pytest.param("string", "", None, Rules(), Outcome.NULL_IN_NEW, id="empty is not NULL"),
        pytest.param("string", "", None, Rules(empty_is_null=True), Outcome.EQUAL, id="unless it is said so"),
        pytest.param("string", " ", None, Rules(trim=True, empty_is_null=True), Outcome.EQUAL, id="and trimmed before"),
        pytest.param("boolean", True, False, Rules(), Outcome.DIFFERENT, id="booleans"),
        pytest.param("array<double>", [NAN, None], [NAN, None], Rules(), Outcome.EQUAL, id="lists"),
        pytest.param("struct<a:int,b:string>", (1, "x"), (1, "y"), Rules(), Outcome.DIFFERENT, id="structs"),
    ],
)  # fmt: skip
def test_two_values_are_the_same_or_not(
    spark: SparkSession, kind: str, legacy: Any, new: Any, rules: Rules, outcome: Outcome
) -> None:
    assert asked(spark, kind, legacy, kind, new, rules) is outcome


@pytest.mark.parametrize(
    ("legacy_kind", "legacy", "new_kind", "new", "outcome"),
    [
        pytest.param("string", "10.005", "decimal(10,2)", Decimal("10.01"), Outcome.DIFFERENT, id="no rounding"),
        pytest.param("string", " 1e1 ", "decimal(10,2)", Decimal("10.00"), Outcome.EQUAL, id="an exponent"),
        pytest.param("string", "ten", "decimal(10,2)", Decimal("10.00"), Outcome.UNREADABLE, id="a word"),
        pytest.param("string", "ten", "decimal(10,2)", None, Outcome.UNREADABLE, id="a word is not NULL"),
        pytest.param("string", "123456789.00", "decimal(10,2)", Decimal(1), Outcome.UNREADABLE, id="too many digits"),
        pytest.param("string", "", "int", None, Outcome.EQUAL, id="an empty number is NULL"),
        pytest.param("string", "1.0", "int", 1, Outcome.UNREADABLE, id="a whole number with a point"),
        pytest.param("string", "nan", "double", NAN, Outcome.EQUAL, id="nan as text"),
        pytest.param("string", "-Infinity", "double", -INFINITY, Outcome.EQUAL, id="infinity as text"),
        pytest.param("string", "1e400", "double", INFINITY, Outcome.UNREADABLE, id="a number that is too large"),
        pytest.param("string", "2025-02-30", "date", date(2025, 2, 28), Outcome.UNREADABLE, id="no such day"),
        pytest.param("string", "2025-01-06T10:00:00Z", "timestamp", AT, Outcome.EQUAL, id="a moment"),
        pytest.param("string", "true", "boolean", True, Outcome.EQUAL, id="true"),
        pytest.param("int", 5, "bigint", 5, Outcome.EQUAL, id="a wider number"),
        pytest.param("bigint", 2**40, "int", 5, Outcome.DIFFERENT, id="a number that is too wide is a number"),
        pytest.param("decimal(12,4)", Decimal("1.0001"), "decimal(10,2)", Decimal("1.00"), Outcome.DIFFERENT,
                     id="more digits are not cut off"),
        pytest.param("decimal(38,10)", Decimal("1.5"), "decimal(38,18)", Decimal("1.5"), Outcome.EQUAL,
                     id="decimals without a common type"),
        pytest.param("decimal(38,10)", Decimal(10**25), "decimal(38,18)", Decimal("1.5"), Outcome.UNREADABLE,
                     id="and one that does not fit"),
        pytest.param("double", 10.1, "decimal(10,2)", Decimal("10.10"), Outcome.EQUAL, id="a double and a decimal"),
        pytest.param("double", 10.104, "decimal(10,2)", Decimal("10.10"), Outcome.DIFFERENT, id="and its digits"),
        pytest.param("tinyint", 1, "boolean", True, Outcome.EQUAL, id="one is true"),
        pytest.param("tinyint", 2, "boolean", True, Outcome.UNREADABLE, id="two is neither"),
        pytest.param("int", 5, "string", "5", Outcome.EQUAL, id="a number as text"),
        pytest.param("date", date(2025, 1, 6), "timestamp", AT, Outcome.DIFFERENT, id="a day is its midnight"),
        pytest.param("timestamp", AT, "date", date(2025, 1, 6), Outcome.DIFFERENT, id="a moment is no day"),
    ],
)  # fmt: skip
def test_sides_of_two_types_meet_without_rounding(
    spark: SparkSession, legacy_kind: str, legacy: Any, new_kind: str, new: Any, outcome: Outcome
) -> None:
    assert asked(spark, legacy_kind, legacy, new_kind, new, Rules()) is outcome
