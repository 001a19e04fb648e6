"""Names and addresses within texts are replaced in place, beside the kinds with patterns, and found once only."""

from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from data_platform.errors import PolicyError
from data_platform.gates import pii
from data_platform.gates.expression.column import quoted
from data_platform.model.pii_policy import Pii, PiiAction, PiiRule
from data_platform_tests.gates.personal import KEY, rule

NOTES = [
    "😀 Please call John Smith at +1 303 555 0117, he lives at 12 Main Street, Springfield.",
    "flight 12 arrived late",
    "Maria Garcia",
    "",
    None,
    "write to ann@example.com",
]
Rows = list[tuple[Any, Any]]


def within(kind: str, action: str, *fields: str) -> PiiRule:
    return PiiRule(pattern=kind, action=PiiAction(action), fields=fields, in_text=True)


def policy(action: str) -> Pii:
    """``p`` has patterns too, ``q`` names only."""
    in_text = [within(kind, action, "p") for kind in ("PERSON_NAME", "STREET_ADDRESS")]
    return Pii(
        detection=(rule("EMAIL", action), rule("PHONE", action, "p"), *in_text, within("PERSON_NAME", action, "q"))
    )


def treated(spark: SparkSession, rows: Rows, action: str) -> tuple[Rows, dict[str, int]]:
    """The safe values of ``p`` and ``q``, and the rows by signature as the one write counts them."""
    raw = spark.createDataFrame([(number, *row) for number, row in enumerate(rows)], "n int, p string, q string")
    plan = pii.plan(raw.schema, policy(action), KEY)
    computed = plan.computed_in(raw).orderBy("n")
    safe = [quoted(pii.SAFE + name).alias(name) for name in "pq"]
    flags = [flag.alias(sign) for sign, flag in plan.found_by_safe().items()]
    found = computed.select(*safe, *flags).collect()
    return [(row["p"], row["q"]) for row in found], {sign: sum(row[sign] for row in found) for sign in plan.found}


@pytest.mark.parametrize("action", ["redact", "mask", "tokenize"])
def test_what_is_found_is_replaced_in_place_and_a_second_run_finds_nothing(spark: SparkSession, action: str) -> None:
    first, counts = treated(spark, [(note, note) for note in NOTES], action)
    again, none = treated(spark, first, action)

    p, q = first[0]
    name = {"redact": "[REDACTED:PERSON_NAME]", "mask": "***", "tokenize": "tok_v1_person_name_"}[action]
    assert p.startswith(f"😀 Please call {name}")
    assert not any(part in p for part in ("John", "Smith", "303 555", "Main Street"))
    assert " he lives at " in p
    assert q.startswith(f"😀 Please call {name}")
    assert "0117" in q  # no rule for phones is for that column
    assert first[1] == (NOTES[1], NOTES[1])
    assert first[2][0].startswith(name)
    assert first[3:5] == [("", ""), (None, None)]
    assert "ann@" not in first[5][0] + first[5][1]
    assert counts == {
        "PII:EMAIL:p": 1, "PII:PHONE:p": 1, "PII:EMAIL:q": 1,
        "PII:PERSON_NAME:p": 2, "PII:STREET_ADDRESS:p": 1, "PII:PERSON_NAME:q": 2,
    }  # fmt: skip
    assert (again, set(none.values())) == (first, {0})


def test_drop_makes_a_text_null_in_which_a_name_is_found(spark: SparkSession) -> None:
    found, counts = treated(spark, [(note, note) for note in NOTES], "drop")

    assert [row[1] for row in found] == [None, NOTES[1], None, "", None, None]
    assert counts["PII:PERSON_NAME:q"] == 2


@pytest.mark.parametrize(
    ("kinds", "why"),
    [
        pytest.param("p int, q string", "field p is of type int, expected a string", id="a number"),
        pytest.param("p struct<a: string>, q string", "in_text needs a text column, not p", id="text within a column"),
        pytest.param("q string", "field p is not a column of the rows", id="no such column"),
    ],
)
@pytest.mark.usefixtures("spark")
def test_a_rule_for_texts_needs_a_text_column(kinds: str, why: str) -> None:
    detection = (within("PERSON_NAME", "redact", "p"),)
    schema = StructType.fromDDL(kinds)
    assert isinstance(schema, StructType)

    with pytest.raises(PolicyError, match=why):
        pii.plan(schema, Pii(detection=detection), KEY)
