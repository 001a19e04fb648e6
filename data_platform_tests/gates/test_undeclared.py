"""Kinds that no rule is for are reported by a sample, and hold the batch only if the policy says so."""

import pytest
from pyspark.sql import Row, SparkSession

from data_platform.gates import undeclared
from data_platform.gates.plan import Measured
from data_platform.model.detector import PATTERNS
from data_platform.model.pii_policy import Pii, PiiKind, Undeclared
from data_platform.model.verdict import Gate, Outcome, Severity, Verdict
from data_platform_tests.gates.detector.test_column import NAMES
from data_platform_tests.gates.personal import rule

PASSED = Verdict(gate=Gate.G5_PII, outcome=Outcome.PASSED, metadata={"findings": {}})
ROWS = [Row(id=n, note=f"n{n} ann{n}@example.com", who=Row(mail="b@example.com", code="x"), dob="1980-02-28")
        for n in range(4)]  # fmt: skip


@pytest.fixture(scope="module")
def measured(spark: SparkSession) -> Measured:
    written = spark.createDataFrame(ROWS).selectExpr("id", "note", "who", "cast(dob as date) as dob")
    return Measured(read=4, accepted=4, rejected=0, measures={}, broken={}, written=written)


def judged(measured: Measured, searched: tuple[str, ...] = (), **wanted: object) -> Verdict:
    return undeclared.judge(PASSED, measured, Pii(undeclared=Undeclared.model_validate(wanted)), searched)


def test_each_undeclared_kind_is_a_warning_with_its_column_share_and_detector(measured: Measured) -> None:
    verdict = judged(measured)

    assert verdict.passed
    assert set(verdict.signatures) == {
        "PII_UNDECLARED:EMAIL:note", "PII_UNDECLARED:EMAIL:who.mail", "PII_UNDECLARED:DATE_OF_BIRTH:dob"
    }  # fmt: skip
    assert {result.severity for result in verdict.results} == {Severity.WARN}
    assert {"column": "note", "kind": "EMAIL", "share": 1.0, "sample": 4, "detector": PATTERNS} in verdict.metadata[
        "undeclared"
    ]
    assert (verdict.metadata["columns_sampled"], verdict.metadata["columns_compliance"]) == (4, 0.25)
    assert "example.com" not in repr(verdict)


def test_what_a_rule_is_for_or_the_policy_allows_is_no_finding(measured: Measured) -> None:
    verdict = judged(measured, ("PII:EMAIL:note",), allowed={"who": ["EMAIL"], "DOB": ["DATE_OF_BIRTH"]})

    assert verdict.signatures == ()
    assert verdict.metadata["columns_compliance"] == 1.0


def test_a_blocking_policy_holds_the_batch(measured: Measured) -> None:
    verdict = judged(measured, severity="BLOCK")

    assert verdict.outcome is Outcome.FAILED
    assert any("add a rule to pii.detection" in line for line in verdict.explanation())


def test_names_within_texts_hold_the_batch_if_a_rule_is_for_all_names(spark: SparkSession) -> None:
    notes = [(f"My name is {name}, please call me back",) for name in NAMES]
    written = spark.createDataFrame(notes, "note string")
    measured = Measured(read=len(notes), accepted=len(notes), rejected=0, measures={}, broken={}, written=written)
    everywhere = Pii(detection=(rule("PERSON_NAME", "redact"),))
    elsewhere = Pii(detection=(rule("PERSON_NAME", "redact", "customer"),))
    allowed = everywhere.model_copy(update={"undeclared": Undeclared(allowed={"note": (PiiKind.PERSON_NAME,)})})

    held, warned, passed = (
        undeclared.judge(PASSED, measured, policy, ()) for policy in (everywhere, elsewhere, allowed)
    )

    assert (held.outcome, held.signatures) == (Outcome.FAILED, ("PII_UNDECLARED:PERSON_NAME:note",))
    assert any("name the column in the rule's fields" in line for line in held.explanation())
    assert warned.passed
    assert warned.signatures == held.signatures
    assert passed.signatures == ()


def test_without_a_sample_or_rows_nothing_is_looked_for(measured: Measured) -> None:
    assert judged(measured, sample=0) is PASSED
    assert undeclared.judge(PASSED, Measured(read=0, accepted=0, rejected=0, measures={}, broken={},
                                             written=measured.written), Pii(), ()) is PASSED  # fmt: skip


def test_texts_are_sampled_at_any_depth_and_whatever_the_keys_of_a_map_are(spark: SparkSession) -> None:
    rows = spark.sql(
        "SELECT map(array('p', NULL), named_struct('x', 'q')) AS m, array(array('a'), NULL, array('b')) AS many,"
        " CAST(NULL AS ARRAY<STRING>) AS none, map(array(1), 2) AS numbers, named_struct('n', 1) AS one, 7 AS phone"
    )

    assert undeclared.sampled(rows, 10) == {
        "m.key.element": ["p"], "m.value.x": ["q"], "many.element.element": ["a", "b"], "phone": ["7"]
    }  # fmt: skip
    assert undeclared.sampled(rows.select("numbers", "one"), 10) == {}
