"""A translated rule gives for each row what Spark gives, NULLs included; what has no equivalent is refused."""

import random
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.frame.row_rule import translate
from data_platform.frame.spark_frame import in_zone
from data_platform.frame.term import UntranslatableError
from data_platform.gates.expression.rule import plan
from data_platform.model.schema import Schema
from data_platform.sql.rule_text import Rule

ZONE = "America/New_York"
TYPES = {
    "i": "int", "n": "bigint", "d": "decimal(10,2)", "f": "double", "s": "string", "t": "string", "b": "boolean",
    "day": "date", "at": "timestamp", "clock": "timestamp_ntz",
}  # fmt: skip
NOON = datetime(2025, 3, 9, 12, tzinfo=UTC)
VALUES: dict[str, list[Any]] = {
    "i": [None, 0, 1, -1, -7, 2013, 2_000_000_000],
    "n": [None, 0, 3, -5, 1 << 53, (1 << 53) + 1],
    "d": [None, Decimal("0.00"), Decimal("10.50"), Decimal("-0.01"), Decimal("99999999.99")],
    "f": [None, 0.0, -0.0, 0.1, 10.5, -7.25, 1e300],
    "s": [None, "", "A", "a", " A ", "EWR", "é", "a\nb", "😀"],
    "t": [None, "", "A", "B", "EWR "],
    "b": [None, True, False],
    "day": [None, date(2025, 3, 9), date(2025, 1, 1), date(1, 1, 1)],
    "at": [None, NOON, datetime(2025, 3, 9, 5, tzinfo=UTC), datetime(2025, 3, 9, 4, 59, 59, 999999, tzinfo=UTC)],
    "clock": [None, datetime(2025, 3, 9), datetime(2025, 3, 9, 0, 0, 0, 1), datetime(2024, 12, 31, 23, 59)],
}
RULES = (
    "i > 0", "i >= n", "0 < i", "i <> 1", "i = 1.0", "d > 10.5", "d = f", "f > 0.1", "f = d", "n = f", "i < f",
    "d BETWEEN 0 AND 10.50", "i BETWEEN n AND 5", "NOT (i > 0)", "NOT i BETWEEN 0 AND 1", "i > 0 AND n > 0",
    "i > 0 OR n > 0",
    "i IN (1, 2013)", "i NOT IN (1, 2)", "s IN ('A', 'EWR')", "s NOT IN ('A', t)", "i IN (n, 1)", "s = t", "s < t",
    "s <> 'A'",
    "s IS NULL", "s IS NOT NULL", "(i IS NULL) = (n IS NULL)", "b", "NOT b", "b IS TRUE", "b IS NOT TRUE",
    "b IS FALSE", "b = true",
    "i <=> n", "s <=> t", "i % 7 = 0", "i % 100 < 60", "n % -3 <= 0", "n + 1 > n", "i - 1 < 0", "n * 2 >= n",
    "f + 0.5e0 > f",
    "f * 2e0 < 21e0", "i / 2 = 0.5e0", "f / 2e0 > 0", "-i > 0", "abs(i) >= 1", "abs(f) > 0", "abs(d) < 1",
    "coalesce(i, 0) >= 0",
    "coalesce(s, t, 'x') = 'x'", "coalesce(b, false)", "CASE WHEN i > 0 THEN s = 'A' WHEN n > 0 THEN b ELSE false END",
    "CASE WHEN i > 0 THEN b END", "if(b, i, 2) > 1", "length(s) > 1", "length(trim(s)) = 1", "trim(s) = 'A'",
    "s LIKE 'A%'",
    "s LIKE '_'", "s NOT LIKE '%b'", "s LIKE 'a_b'", "day >= '2025-03-09'", "day BETWEEN '2025-01-01' AND '2025-03-01'",
    "day = at", "at > day", "clock > day", "at < day OR clock IS NULL", "day IN ('2025-03-09')",
    "b IS NULL OR (b AND i > 0)",
    "i IS NULL OR i >= 1", "NOT coalesce(i > 0, false)", "i <= 2147483647", "n < 9223372036854775807",
)  # fmt: skip


def rows() -> list[dict[str, Any]]:
    choice = random.Random(7)  # noqa: S311 - not for secrets
    return [{name: choice.choice(values) for name, values in VALUES.items()} for _ in range(300)]


def test_a_translated_rule_gives_what_spark_gives(spark: SparkSession) -> None:
    made = rows()
    schema = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    frame = spark.createDataFrame([tuple(row.values()) for row in made], schema).coalesce(1)

    with in_zone(spark, ZONE):
        answers = frame.select(F.array(*(F.expr(rule) for rule in RULES)).alias("answers")).collect()

    different = {
        (rule, tuple(row.items()))
        for row, answer in zip(made, answers, strict=True)
        for rule, expected in zip(RULES, answer["answers"], strict=True)
        if translate(rule, TYPES, ZONE)(row) is not expected
    }
    assert different == set()


@pytest.mark.parametrize(
    "rule",
    [
        "i = s", "b = 1", "day > at + INTERVAL 1 DAY", "lower(s) = 'a'", r"s RLIKE '\\d'", "s RLIKE 'a'",
        "d + 1 > 0", "i DIV 2 = 1",
        "day = current_date()", "unknown > 0", "s.x = 1", "CAST(s AS INT) > 0", "at > clock",
        "trim('x' FROM s) = ''", "year(day) = 2025",
        "CASE i WHEN 1 THEN true END", "i", "n > 9223372036854775808", "s > day", "s LIKE t", "coalesce(i, n) > 0",
    ],
)  # fmt: skip
def test_a_rule_without_an_exact_equivalent_is_refused(rule: str) -> None:
    with pytest.raises(UntranslatableError):
        translate(rule, TYPES, ZONE)


@pytest.mark.parametrize(
    ("rule", "error"),
    [("i + 2000000000 > 0", OverflowError), ("i % 0 = 1", ZeroDivisionError), ("f / 0 > 1", ZeroDivisionError)],
)
def test_an_error_of_spark_is_an_error_here(rule: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        translate(rule, TYPES, ZONE)({"i": 2_000_000_000, "f": 1.0})


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        ("f * 1e10 > 0", False),
        ("f * 1e10 - f * 1e10 <= 0", False),
        ("coalesce(f * 1e10, 1e0) > 0", False),
        ("f / 1e-10 > 0", False),
        ("i > 0 OR f * 1e10 > 0", True),
        ("f * 1e-10 > 0", True),
    ],
)
def test_a_row_in_which_a_number_overflows_breaks_the_rule_as_in_the_gate(
    spark: SparkSession, rule: str, kept: bool
) -> None:
    row = {"i": 1, "f": 1e300}
    rows = spark.createDataFrame([(1, 1e300)], "i int, f double")

    broken = plan(rows, [Rule(id="r", expression=rule)], Schema(())).broken["r"]

    assert translate(rule, TYPES, ZONE)(row) is kept
    assert rows.select(~broken).collect()[0][0] is kept
