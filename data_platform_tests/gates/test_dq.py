"""DQ: metrics of a batch, over rows that may be none, values that may be NULL, NaN or infinite."""

import math

import pytest
from pyspark.sql import SparkSession

from data_platform.gates import dq
from data_platform.model.policy_bundle import Dq, FieldMetric
from data_platform.model.schema import Column, Schema
from data_platform.model.verdict import Outcome, Verdict
from data_platform_tests.case import expected

DECLARED = Schema.of([Column(name="x", type="double")])


def judged(spark: SparkSession, values: list[float | None], policy: Dq) -> Verdict:
    rows = spark.createDataFrame([(value,) for value in values], "x double")
    measures = dq.plan(DECLARED, policy)
    found = rows.agg(*measures.values()).first()
    assert found is not None
    measured = dict(zip(measures, found, strict=True))
    return dq.judge(policy, rows=len(values), measured=measured, min_rows=policy.min_rows)


def test_a_mean_is_over_finite_values_and_the_others_are_reported(spark: SparkSession) -> None:
    policy = Dq(metrics=(FieldMetric(field="x", min_mean=0, max_mean=10),))

    verdict = judged(spark, [1.0, 3.0, math.nan, math.inf, None], policy)

    assert verdict.metadata["fields"]["x"] == {"null_rate": 0.2, "mean": 2.0, "infinite": 2}
    assert verdict.signatures == ("NOT_FINITE:x",)
    assert verdict.outcome is Outcome.FAILED


def test_a_metric_of_no_value_is_not_computable_and_no_pass(spark: SparkSession) -> None:
    verdict = judged(spark, [None, None], Dq(metrics=(FieldMetric(field="x", min_mean=0),)))

    assert verdict.outcome is Outcome.FAILED
    assert "not computable" in verdict.reason


@pytest.mark.parametrize(
    ("allowed", "outcome"), [(False, Outcome.FAILED), (True, Outcome.PASSED)], ids=["by default", "allow_empty"]
)
def test_an_empty_batch_passes_only_where_the_contract_allows_it(
    spark: SparkSession, allowed: bool, outcome: Outcome
) -> None:  # C16
    verdict = judged(spark, [], Dq(allow_empty=allowed, metrics=(FieldMetric(field="x", max_null_rate=0),)))

    assert verdict.outcome is outcome
    assert verdict.metadata["empty"] is True
    assert verdict.metadata["fields"]["x"]["null_rate"] is None
    if not allowed:
        assert expected("C16")["header_only.csv"]["reason"] in verdict.reason


@pytest.mark.parametrize(
    ("policy", "signature"),
    [
        pytest.param(FieldMetric(field="x", max_null_rate=0.2), "NULL_RATE:x", id="too many NULLs"),
        pytest.param(FieldMetric(field="x", max_mean=1), "MEAN:x", id="too large on average"),
        pytest.param(FieldMetric(field="x", min_distinct=4), "DISTINCT:x", id="too few different values"),
    ],
)
def test_a_bound_that_is_broken_is_named(spark: SparkSession, policy: FieldMetric, signature: str) -> None:
    verdict = judged(spark, [2.0, 4.0, None], Dq(metrics=(policy,)))

    assert verdict.signatures == (signature,)
    assert verdict.outcome is Outcome.FAILED


def test_fewer_rows_than_the_contract_wants_hold_the_batch(spark: SparkSession) -> None:
    assert judged(spark, [1.0, 2.0], Dq(min_rows=3)).signatures == ("ROW_COUNT:2<3",)
