"""Spark's own reading decides last, so that a text which sqlglot reads differently is refused and not run."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from data_platform.policies import load_policies
from data_platform.sql import engine
from data_platform.sql.engine import expression_refusals, query_refusals
from data_platform.sql.function import FUNCTIONS
from data_platform_tests.sql.test_check import ALLOWED, QUERIES

ROOT = Path(__file__).parents[2]
READABLE = ("orders", "shops")


def test_spark_accepts_what_policies_may_contain(spark: SparkSession) -> None:
    assert {text: expression_refusals(spark, text) for text in ALLOWED} == dict.fromkeys(ALLOWED, ())
    assert {sql: query_refusals(spark, sql, READABLE) for sql in QUERIES} == dict.fromkeys(QUERIES, ())


def test_an_ordinary_rule_is_examined_without_walking_its_tree(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_nodes", lambda _tree: pytest.fail("the tree was walked"))
    plain = ["qty > 0 AND NOT status IN ('X', 'Y')", "length(name) < 40 OR name LIKE 'a%'", "day BETWEEN '1' AND '2'"]

    assert {text: expression_refusals(spark, text) for text in plain} == dict.fromkeys(plain, ())


def test_spark_takes_the_policies_of_this_repository(spark: SparkSession) -> None:
    policies = load_policies(ROOT / "policies")
    bundles = [dataset.bundle for dataset in policies.datasets]
    rules = [item.rule for b in bundles for item in (*b.contract_lite.invariants, *b.contract.invariants)]

    found = [refusal for rule in rules for refusal in expression_refusals(spark, rule)]
    for process in policies.processes:
        names = (*(item.view for item in process.inputs), *(step.name for step in process.steps))
        found += [refusal for step in process.steps for refusal in query_refusals(spark, step.sql, names)]

    assert (len(rules) > 10, len(policies.processes) > 1, found) == (True, True, [])


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
