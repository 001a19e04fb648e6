"""G3_SCHEMA: what changed in the columns, and whether the policy lets it in."""

import pytest
from pyspark.sql import SparkSession

from data_platform.gates import schema
from data_platform.model.policy import SchemaMode, SchemaPolicy
from data_platform.model.schema import Column, Schema
from data_platform.model.verdict import Outcome


def columns(**kinds: str) -> Schema:
    return Schema.of(Column(name=name, type=kind) for name, kind in kinds.items())


@pytest.mark.parametrize(
    ("found", "mode", "widening", "outcome"),
    [
        pytest.param(columns(id="int"), SchemaMode.STRICT, False, Outcome.PASSED, id="as declared"),
        pytest.param(columns(ID="int"), SchemaMode.STRICT, False, Outcome.PASSED, id="another spelling"),
        pytest.param(columns(id="int", x="int"), SchemaMode.STRICT, False, Outcome.FAILED, id="new column, strict"),
        pytest.param(columns(id="int", x="int"), SchemaMode.COMPATIBLE, False, Outcome.PASSED, id="new column"),
        pytest.param(columns(id="bigint"), SchemaMode.COMPATIBLE, False, Outcome.FAILED, id="wider, not allowed"),
        pytest.param(columns(id="bigint"), SchemaMode.STRICT, True, Outcome.PASSED, id="wider, allowed"),
        pytest.param(columns(id="string"), SchemaMode.COMPATIBLE, True, Outcome.FAILED, id="retyped"),
        pytest.param(columns(x="int"), SchemaMode.COMPATIBLE, False, Outcome.FAILED, id="column gone"),
        pytest.param(columns(id="string"), SchemaMode.BREAKING, False, Outcome.PASSED, id="anything goes"),
    ],
)
def test_a_change_passes_only_as_the_mode_allows(
    found: Schema, mode: SchemaMode, widening: bool, outcome: Outcome
) -> None:
    verdict = schema.judge_delivery(
        columns(id="int"), {"a.parquet": found}, SchemaPolicy(mode=mode, widening=widening), unreadable={}
    )

    assert verdict.outcome is outcome


def test_the_drift_report_names_the_change() -> None:  # C15
    verdict = schema.judge_delivery(
        columns(qty="int"), {"day2.parquet": columns(qty="bigint")}, SchemaPolicy(), unreadable={}
    )

    assert verdict.metadata["changes"] == ["qty: INT -> BIGINT (safe)"]
    assert verdict.signatures == ("SCHEMA_DRIFT:qty:INT→BIGINT",)


def test_a_file_that_cannot_be_read_is_no_pass() -> None:
    verdict = schema.judge_delivery(columns(id="int"), {}, SchemaPolicy(), unreadable={"a.csv": "no header"})

    assert verdict.outcome is Outcome.FAILED
    assert verdict.reason == "no header"


@pytest.mark.parametrize(
    ("bad", "outcome"), [(8, Outcome.PASSED), (9, Outcome.FAILED)], ids=["bad values", "another type"]
)
def test_a_text_column_counts_as_retyped_when_nearly_all_of_it_is(
    spark: SparkSession, bad: int, outcome: Outcome
) -> None:
    declared = Schema.of([Column(name="total", type="decimal(10,2)")])
    values = [("x",)] * bad + [("1.50",)] * (10 - bad) + [(None,), (" ",)]
    rows = spark.createDataFrame(values, "total string")
    plans = schema.plan(declared, rows.columns)
    before = schema.judge_delivery(
        columns(total="string"), {"a": columns(total="string")}, SchemaPolicy(), unreadable={}
    )

    found = rows.agg(plans[0].values, plans[0].misfits).first()
    assert found is not None
    verdict = schema.judge_retyping(before, plans, {"total": (found[0], found[1])})

    assert (found[0], found[1]) == (10, bad)
    assert verdict.outcome is outcome
    assert verdict.signatures == (() if outcome is Outcome.PASSED else ("SCHEMA_BREAK:total:DECIMAL→STRING",))


def test_gold_may_not_lose_not_null() -> None:  # C19
    before = Schema.of([Column(name="id", type="int", nullable=False)])
    after = Schema.of([Column(name="id", type="int", nullable=True)])

    verdict = schema.judge_output(before, after, SchemaPolicy(mode=SchemaMode.COMPATIBLE))

    assert verdict.signatures == ("SCHEMA_BREAK:id:NOT NULL→NULLABLE",)
    assert verdict.metadata["drift"] == "breaking"


def test_the_first_version_has_nothing_to_be_compared_with() -> None:
    assert schema.judge_output(None, columns(id="int"), SchemaPolicy()).outcome is Outcome.PASSED
