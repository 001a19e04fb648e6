"""A step that policies must not contain does not run, however the policies were loaded."""

from datetime import UTC, date, datetime

import pytest
from pyspark.sql import SparkSession

from data_platform.errors import PolicyError
from data_platform.gates.expression.rule import plan
from data_platform.model.partition_key import PartitionKey
from data_platform.model.schema import Schema
from data_platform.sql.rule_text import Rule
from data_platform.transform import sql
from data_platform_tests.transform.steps import process


@pytest.mark.parametrize(
    "step",
    [
        "SELECT reflect('java.lang.System', 'getenv', 'HOME') AS a FROM orders",
        "SELECT * FROM text.`/etc/passwd`",
        "SELECT '${env:HOME}' AS a FROM orders",
        "SELECT * FROM s1",
        "DROP VIEW orders",
    ],
)
def test_a_step_that_is_not_allowed_does_not_run(spark: SparkSession, step: str) -> None:
    session = spark.newSession()

    with pytest.raises(PolicyError, match="process p: step s0: "):
        sql.run(session, process(step, "SELECT 1 AS a"), {"orders": session.range(1)}, None)


def test_a_rule_that_is_not_allowed_is_not_asked(spark: SparkSession) -> None:
    rule = Rule(id="r", expression="reflect('java.lang.System', 'getenv', 'HOME') IS NULL")

    with pytest.raises(PolicyError, match=r"reflect\(\) is not a function that policies may call"):
        plan(spark.range(1), [rule], Schema(()))


def test_steps_read_the_steps_before_them_at_the_time_of_the_run(spark: SparkSession) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", "America/New_York")
    steps = process(
        "SELECT id, :partition AS day, current_date() AS today, current_timestamp AS at FROM Orders",
        "WITH x AS (SELECT * FROM s0) SELECT day, today, unix_timestamp(at) AS at FROM x;",
    )
    now = datetime(2025, 1, 7, 3, 0, tzinfo=UTC)

    rows = sql.run(session, steps, {"orders": session.range(1)}, PartitionKey("2025-01-05"), now).collect()

    assert [tuple(row) for row in rows] == [(date(2025, 1, 5), date(2025, 1, 6), int(now.timestamp()))]


def test_a_step_that_makes_a_column_twice_is_rejected_with_its_name(spark: SparkSession) -> None:
    session = spark.newSession()
    steps = process("SELECT * FROM orders AS a JOIN orders AS b ON a.id = b.id")

    with pytest.raises(PolicyError, match="process p: step s0: makes column id more than once; give each column"):
        sql.run(session, steps, {"orders": session.range(1)}, None)
