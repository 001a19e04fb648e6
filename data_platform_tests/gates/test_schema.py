"""G3_SCHEMA: what changed in the columns, and whether the policy lets it in."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.gates import schema
from data_platform.gates.expression.value import form_of
from data_platform.gates.expression.visible_name import visible
from data_platform.model.policy_bundle import SchemaMode, SchemaPolicy
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


def test_the_reason_names_the_file_that_is_not_like_the_others() -> None:  # C61
    declared = columns(id="string", amount="string")
    found = {"a.csv": declared, "b.csv": declared, "c.csv": columns(id="string")}

    verdict = schema.judge_delivery(declared, found, SchemaPolicy(), unreadable={})

    assert verdict.reason == "c.csv of 3 files: amount: removed (breaking)"


def test_names_that_look_the_same_are_distinguished_in_the_reason() -> None:  # C61
    declared = Schema.of([Column(name="größe", type="string")])
    found = Schema.of([Column(name="gro\u0308ße", type="string"), Column(name="amount\u200b", type="string")])

    verdict = schema.judge_delivery(declared, {"a.csv": found}, SchemaPolicy(), unreadable={})

    assert "größe: removed" in verdict.reason
    assert "gro\\u0308ße: added" in verdict.reason
    assert "amount\\u200b: added" in verdict.reason


@pytest.mark.parametrize(
    ("text", "form"),
    [
        pytest.param("2025-01-06 10:00:00.1234567", "####-##-## ##:##:##.#######", id="seven digits of a second"),
        pytest.param("7.0", "#.#", id="an integer as pandas writes it"),
        pytest.param("(12.50)", "(##.##)", id="Excel's brackets"),
        pytest.param("Anna Müller", "a a", id="a name"),
        pytest.param("a@b\u0000c", "a?a?a", id="signs that no number has"),
    ],
)
def test_a_form_has_none_of_the_digits_and_letters_of_its_value(spark: SparkSession, text: str, form: str) -> None:
    [row] = spark.createDataFrame([(text,)], "t string").select(form_of(F.col("t")).alias("f")).collect()

    assert row["f"] == form


def test_a_retyped_column_has_the_found_and_the_expected_form(spark: SparkSession) -> None:  # C59
    declared = columns(at="timestamp")
    rows = spark.createDataFrame([("2025-01-06 10:00:00.1234567",)], "at string")
    plans = schema.plan(declared, ["at"])
    [found] = rows.agg(plans[0].values, plans[0].misfits, plans[0].form).collect()
    before = schema.judge_delivery(columns(at="string"), {"a.csv": columns(at="string")}, SchemaPolicy(), unreadable={})

    verdict = schema.judge_retyping(before, plans, {"at": (found[0], found[1])}, {"at": found[2]})

    assert verdict.signatures == ("SCHEMA_BREAK:at:TIMESTAMP→STRING",)
    assert "expected ####-##-## ##:##:##, with up to six digits of a second" in verdict.reason
    assert "found a form such as ####-##-## ##:##:##.#######" in verdict.reason


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        pytest.param("\u0430mount", r"\u0430mount", id="a letter of another script that looks the same"),
        pytest.param("сумма", "сумма", id="a word of another script"),
        pytest.param("größe", "größe", id="letters with accents"),
        pytest.param("amount\u200b", r"amount\u200b", id="a sign without width"),
    ],
)
def test_names_that_look_the_same_are_distinguished(name: str, shown: str) -> None:
    assert visible(f"{name}: added") == f"{shown}: added"
