"""Spark's own reading decides last, so that a text which sqlglot reads differently is refused and not run."""

import pytest
from pyspark.sql import SparkSession

from data_platform.sql.engine import expression_refusals, query_refusals
from data_platform.sql.function import FUNCTIONS
from data_platform_tests.sql.test_check import ALLOWED, QUERIES

READABLE = ("orders", "shops")


def test_spark_takes_what_policies_may_say(spark: SparkSession) -> None:
    assert {text: expression_refusals(spark, text) for text in ALLOWED} == dict.fromkeys(ALLOWED, ())
    assert {sql: query_refusals(spark, sql, READABLE) for sql in QUERIES} == dict.fromkeys(QUERIES, ())


def test_each_function_that_is_allowed_is_one_of_sparks(spark: SparkSession) -> None:
    syntax = {"cast", "try_cast", "extract", "overlay", "position", "substring", "timestampadd", "timestampdiff",
              "date_diff", "datediff", "dateadd", "convert_timezone"}  # fmt: skip
    spark_functions = {row["function"].split(".")[-1] for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()}

    assert FUNCTIONS - spark_functions - syntax == set()


@pytest.mark.parametrize(
    "text",
    [
        "reflect('a', 'b')",
        "`reflect`('a', 'b')",
        "system.builtin.reflect('a', 'b')",
        "exists(array(1), x -> java_method('a', 'b') = x)",
        "(SELECT count(*) FROM text.`/etc/passwd`) > 1",
        "identifier('reflect')('a')",
        "a IN (WITH w AS (SELECT reflect('a') AS r) SELECT r FROM w)",
        "sequence(1, 9)",
        "a IN (VALUES 1)",
        "`current_user` = 'x'",
    ],
)
def test_spark_sees_through_the_spelling_of_a_rule(spark: SparkSession, text: str) -> None:
    assert expression_refusals(spark, text)


@pytest.mark.parametrize(
    "sql",
    [
        "WITH w AS (SELECT reflect('a') FROM orders) SELECT * FROM w",
        "SELECT * FROM orders WHERE a IN (WITH w AS (SELECT value FROM text.`/x`) SELECT * FROM w)",
        "SELECT * FROM range(9)",
        "SELECT * FROM orders, LATERAL explode(a)",
        "SELECT TRANSFORM (a) USING 'cat' AS (b) FROM orders",
        "SELECT a FROM orders LATERAL VIEW stack(9, a) t AS x LATERAL VIEW inline(sequence(1, 2)) u AS y",
        "SELECT * FROM orders VERSION AS OF 1",
        "SELECT * FROM STREAM orders",
        "FROM orders |> SELECT reflect('a')",
        "SET x = 1",
        "DROP TABLE orders",
        "VACUUM orders",
        "ADD JAR '/tmp/x.jar'",
        "CREATE TABLE x AS SELECT 1",
        "INSERT INTO orders SELECT 1",
        "DESCRIBE orders",
    ],
)
def test_spark_sees_through_the_spelling_of_a_step(spark: SparkSession, sql: str) -> None:
    assert query_refusals(spark, sql, READABLE)
