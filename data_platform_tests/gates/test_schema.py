"""G3_SCHEMA: what changed in the columns, and whether the policy lets it in."""

import pytest
from pydantic import ValidationError
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.gates import schema, schema_retyping
from data_platform.gates.expression.value import form_of
from data_platform.gates.expression.visible_name import visible
from data_platform.model.policy_bundle import SchemaMode, SchemaPolicy
from data_platform.model.schema import Column, Schema
from data_platform.model.verdict import Outcome, Severity


def columns(**kinds: str) -> Schema:
    return Schema.of(Column(name=name, type=kind) for name, kind in kinds.items())


STRICT, COMPATIBLE, BREAKING = SchemaMode.STRICT, SchemaMode.COMPATIBLE, SchemaMode.BREAKING


@pytest.mark.parametrize(
    ("found", "mode", "widening", "outcome", "warnings"),
    [
        pytest.param(columns(id="int"), STRICT, None, Outcome.PASSED, 0, id="as declared"),
        pytest.param(columns(ID="int"), STRICT, None, Outcome.PASSED, 0, id="another spelling"),
        pytest.param(columns(id="int", x="int"), STRICT, None, Outcome.FAILED, 0, id="new column, strict"),
        pytest.param(columns(id="int", x="int"), COMPATIBLE, None, Outcome.PASSED, 1, id="new column"),
        pytest.param(columns(id="bigint"), STRICT, None, Outcome.FAILED, 0, id="wider, strict"),
        pytest.param(columns(id="bigint"), COMPATIBLE, None, Outcome.PASSED, 1, id="wider"),
        pytest.param(columns(id="bigint"), COMPATIBLE, False, Outcome.FAILED, 0, id="wider, not allowed"),
        pytest.param(columns(id="bigint"), STRICT, True, Outcome.PASSED, 1, id="wider, allowed"),
        pytest.param(columns(id="string"), COMPATIBLE, True, Outcome.FAILED, 0, id="retyped"),
        pytest.param(columns(x="int"), COMPATIBLE, None, Outcome.FAILED, 1, id="column gone"),
        pytest.param(columns(id="string"), BREAKING, None, Outcome.PASSED, 1, id="retyped, and text can be read"),
        pytest.param(columns(id="date"), BREAKING, None, Outcome.FAILED, 0, id="retyped, and cannot be read"),
        pytest.param(columns(x="int"), BREAKING, None, Outcome.PASSED, 2, id="column gone, breaking"),
    ],
)
def test_a_change_passes_only_as_the_mode_allows(
    found: Schema, mode: SchemaMode, widening: bool | None, outcome: Outcome, warnings: int
) -> None:
    verdict = schema.judge_delivery(
        columns(id="int"), {"a.parquet": found}, SchemaPolicy(mode=mode, widening=widening), unreadable={}
    )

    assert verdict.outcome is outcome
    assert sum(result.severity is Severity.WARN for result in verdict.results) == warnings
    assert all(result.outcome is Outcome.FAILED for result in verdict.results if result.severity is Severity.WARN)


def test_a_change_whose_signature_is_accepted_passes_with_a_warning_in_strict_mode() -> None:
    policy = SchemaPolicy(accepted=("SCHEMA_DRIFT:x:ADDED",))

    one = schema.judge_delivery(columns(id="int"), {"a.csv": columns(id="int", x="int")}, policy, unreadable={})
    two = schema.judge_output(columns(id="int"), columns(id="int", x="int", y="int"), policy)

    assert (one.outcome, one.signatures) == (Outcome.PASSED, ("SCHEMA_DRIFT:x:ADDED",))
    assert (two.outcome, two.reason) == (Outcome.FAILED, "y: added (safe)")


def test_an_accepted_signature_that_no_change_can_have_is_refused() -> None:
    with pytest.raises(ValidationError, match="String should match pattern"):
        SchemaPolicy(accepted=("note: added",))


@pytest.mark.parametrize("mode", SchemaMode)
@pytest.mark.parametrize(
    "delivered",
    [
        pytest.param("struct<zip:string,city:string>", id="another order"),
        pytest.param("struct<city:string,zip:string,street:string>", id="a field more"),
        pytest.param("struct<city:string>", id="a field less"),
    ],
)
def test_a_nested_column_that_differs_is_held_in_each_mode_so_that_no_value_changes_its_field(
    delivered: str, mode: SchemaMode
) -> None:  # C49
    declared = columns(at="struct<city:string,zip:string>")

    verdict = schema.judge_delivery(declared, {"a": columns(at=delivered)}, SchemaPolicy(mode=mode), unreadable={})

    assert verdict.outcome is Outcome.FAILED
    assert "bound by position" in verdict.reason


def test_a_type_that_the_table_cannot_take_is_held_in_each_mode() -> None:
    verdict = schema.judge_delivery(
        columns(id="int"),
        {"a": columns(id="string")},
        SchemaPolicy(mode=BREAKING),
        unreadable={},
        stored=lambda: columns(id="int"),
    )

    assert verdict.reason == "a: id: INT -> STRING (breaking): the table has INT, and takes no STRING"


def test_a_suggested_rename_is_a_warning_beside_what_holds_the_batch() -> None:
    before, after = columns(id="int", cust_no="string"), columns(id="int", customer_no="string")

    verdict = schema.judge_delivery(before, {"a.csv": after}, SchemaPolicy(mode=COMPATIBLE), unreadable={})

    assert verdict.reason == "a.csv: cust_no: removed (breaking)"
    assert [(result.signature, result.severity) for result in verdict.results] == [
        ("SCHEMA_BREAK:cust_no:REMOVED", Severity.BLOCK),
        ("SCHEMA_DRIFT:customer_no:ADDED", Severity.WARN),
        ("SCHEMA_DRIFT:cust_no:RENAMED→customer_no", Severity.WARN),
    ]


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
    plans = schema_retyping.plan(declared, rows.columns)
    before = schema.judge_delivery(
        columns(total="string"), {"a": columns(total="string")}, SchemaPolicy(), unreadable={}
    )

    found = rows.agg(plans[0].values, plans[0].misfits).first()
    assert found is not None
    verdict = schema_retyping.judge_retyping(before, plans, {"total": (found[0], found[1])})

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
    plans = schema_retyping.plan(declared, ["at"])
    [found] = rows.agg(plans[0].values, plans[0].misfits, plans[0].form).collect()
    before = schema.judge_delivery(columns(at="string"), {"a.csv": columns(at="string")}, SchemaPolicy(), unreadable={})

    verdict = schema_retyping.judge_retyping(before, plans, {"at": (found[0], found[1])}, {"at": found[2]})

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
