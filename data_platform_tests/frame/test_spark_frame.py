"""For Spark and for pandas, a contract refuses exactly the rows that the gates of silver and gold refuse."""

import warnings
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from data_platform.errors import ContractError, UsageError
from data_platform.frame.contract import DatasetContract
from data_platform.frame.spark_frame import in_zone
from data_platform.gates import contract as gate
from data_platform.gates.batch import GoldBatch
from data_platform.gates.expression import relation
from data_platform.model.key_ring import KeyVersion
from data_platform.model.quarantine import VIOLATIONS
from data_platform.model.verdict import Severity
from data_platform.stage import silver_plan
from data_platform_tests.frame.orders import SPARK_TYPES, VALUES, contract, random_rows

NAMES = list(VALUES)


def spark_rows(spark: SparkSession, rows: Iterable[dict[str, Any]]) -> DataFrame:
    made = [tuple(row[name] for name in NAMES) for row in rows]
    return spark.createDataFrame(made, SPARK_TYPES).coalesce(1)


def of_the_gates(orders: DatasetContract, rows: DataFrame) -> list[tuple[tuple[Any, ...], frozenset[str]]]:
    """Each row with the signatures of silver and gold; the token of an unknown enum value is left out."""
    dataset, now = orders.dataset, datetime.now(UTC)
    with in_zone(rows.sparkSession, dataset.policy.zone):
        typed = silver_plan.TypedRows(rows, dataset.bundle.schema_.declared)
        silver = silver_plan.plan(dataset, None, typed, now, KeyVersion(bytes(range(32))))
        rejects = {**silver.gates.rejects, **silver.gates.flags}
        batch = GoldBatch(
            policy=dataset.policy, bundle=dataset.bundle, rows=rows, now=now, before=None,
            after=dataset.bundle.schema_.declared, promised={}, referenced=lambda _: (rows, 0),
        )  # fmt: skip
        gold = gate.GoldContract(batch)
        severities = {**silver.gates.severities, **gold.severities}
        flags = {s: f for s, f in {**rejects, **gold.flags}.items() if severities[s] is not Severity.WARN}
        uniques = {gate.unique_signature(unique): unique for unique in dataset.bundle.contract.unique}
        return by_row(relation.marked(rows, flags, uniques, {}))


def by_row(marked: DataFrame) -> list[tuple[tuple[Any, ...], frozenset[str]]]:
    found = [(tuple(row[name] for name in NAMES), frozenset(row[VIOLATIONS])) for row in marked.collect()]
    return sorted(found, key=repr)


def test_a_frame_of_spark_is_refused_row_by_row_as_the_gates_refuse_it(spark: SparkSession) -> None:
    orders, rows = contract(), spark_rows(spark, random_rows(400))

    assert by_row(orders.violations(rows)) == of_the_gates(orders, rows)


def test_a_frame_of_pandas_is_refused_row_by_row_as_one_of_spark(spark: SparkSession) -> None:
    orders, made = contract(), random_rows(400)

    in_pandas = orders.violations(pd.DataFrame(made))[VIOLATIONS]
    in_spark = orders.violations(spark_rows(spark, made))

    found = [(tuple(row.values()), frozenset(v)) for row, v in zip(made, in_pandas, strict=True)]
    assert Counter(map(normal, found)) == Counter(map(normal, by_row(in_spark)))


def normal(found: tuple[tuple[Any, ...], frozenset[str]]) -> str:
    """A row and its signatures as text; Spark returns an instant as the machine's clock time."""
    values = [value.timestamp() if isinstance(value, datetime) else value for value in found[0]]
    return repr((values, sorted(found[1])))


def test_the_counts_of_spark_and_pandas_are_the_same(spark: SparkSession) -> None:
    orders, made = contract(), random_rows(200)

    in_spark, in_pandas = orders.check(spark_rows(spark, made)), orders.check(pd.DataFrame(made))

    assert in_spark.broken == in_pandas.broken
    assert (in_spark.warned, in_spark.rows) == (in_pandas.warned, in_pandas.rows)
    assert not in_spark.not_checked
    with pytest.raises(ContractError, match=r"of 200 rows"):
        orders.validate(spark_rows(spark, made))


def test_a_rule_that_raises_on_a_row_is_an_error_and_the_others_still_count(spark: SparkSession) -> None:
    lite = {"invariants": [{"id": "inverse", "rule": "1 / (level - 1) > 0"}, {"id": "small", "rule": "level < 3"}]}
    rows = spark_rows(spark, random_rows(50)).withColumn("level", F.lit(1))

    report = contract(contract_lite=lite, contract={}).check(rows)

    assert report.errors == {"INVARIANT:level:inverse": "the rule raised DIVIDE_BY_ZERO on a row"}
    assert report.rows == 50
    assert "UNKNOWN_ENUM:kind" in report.broken
    assert not report.passed


def test_the_session_keeps_its_zone(spark: SparkSession) -> None:
    before = spark.conf.get("spark.sql.session.timeZone")

    contract().check(spark_rows(spark, random_rows(1)))

    assert spark.conf.get("spark.sql.session.timeZone") == before


def test_references_are_checked_if_their_rows_are_given(spark: SparkSession) -> None:
    reference = {"fields": ["kind"], "dataset": "ds://shop/kinds", "key": ["name"]}
    orders = contract(contract={"references": [reference]}, contract_lite={})
    rows = spark_rows(spark, random_rows(50)).where("kind = 'B '").withColumn("kind", F.lit("B"))
    kinds = spark.createDataFrame([("A",)], "name string")

    report = orders.check(rows, references={"ds://shop/kinds": kinds})

    assert report.broken["UNKNOWN_REFERENCE:kind:ds://shop/kinds"] == report.rows
    assert orders.check(rows).not_checked == {
        "UNKNOWN_REFERENCE:kind:ds://shop/kinds": "give the rows of ds://shop/kinds as references"
    }
    with pytest.raises(UsageError, match="does not refer to ds://shop/other"):
        orders.check(rows, references={"ds://shop/other": kinds})


def test_other_columns_or_types_are_refused_and_narrower_types_are_not(spark: SparkSession) -> None:
    rows = spark_rows(spark, random_rows(3))

    assert contract().check(rows.drop("code")).broken == {"SCHEMA_BREAK:code:REMOVED": 3}
    assert contract().check(rows.withColumn("id", F.col("id").cast("string"))).broken == {
        "SCHEMA_BREAK:id:INT→STRING": 3
    }
    narrow = contract().check(rows.withColumn("id", F.col("id").cast("smallint")))
    assert narrow.broken == contract().check(rows).broken


def test_the_schema_of_pandera_for_spark_describes_the_columns(spark: SparkSession) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandera's own, about functions of Spark
        schema = contract().pyspark()

    assert {name: column.nullable for name, column in schema.columns.items()}["id"] is False
    assert [check.error for check in schema.columns["kind"].checks] == ["UNKNOWN_ENUM:kind"]
    assert spark is not None
