"""Text within structs, arrays and maps is text, at any depth: found, remediated in place, and asked again at gold."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from data_platform.errors import PolicyError
from data_platform.gates import pii
from data_platform.model.pii_policy import Pii
from data_platform_tests.case import case_file
from data_platform_tests.gates.personal import KEY, every_kind, rule

KINDS = (
    "id int, contact struct<email:string, homephone:string, n:int>, emails array<string>, labels map<string,string>, "
    "people array<struct<name:string, contacts:array<map<string,struct<mail:string>>>>>"
)
DEEP = [("Ann", [{"home": ("ann@example.com",)}, None]), None, ("call 212-555-0147", None)]
FULL = (1, ("ann@example.com", "2125550147", 3), ["bob@example.com", None, "x"], {"a@b.com": "899-12-3456"}, DEEP)
EMPTY = (2, None, None, None, None)
HOLLOW = (3, (None, None, None), [], {}, [])


def rows(spark: SparkSession, *values: tuple[Any, ...]) -> DataFrame:
    return spark.createDataFrame(list(values), KINDS)


def through(found: DataFrame, policy: Pii) -> tuple[list[dict[str, Any]], list[set[str]]]:
    """The rows remediated, and what was found in each."""
    plan = pii.plan(found.schema, policy, KEY)
    names = [plan.remediated.get(name, F.col(name)).alias(name) for name in found.columns]
    flags = [flag.alias(signature) for signature, flag in plan.found_by_safe().items()]
    after = [row.asDict(recursive=True) for row in found.select(*names).collect()]
    told = plan.computed_in(found).select(*flags).collect()
    return after, [{name for name, flag in row.asDict().items() if flag} for row in told]


def test_every_text_is_remediated_in_place_and_counted_by_its_path(spark: SparkSession) -> None:
    after, found = through(rows(spark, FULL, EMPTY, HOLLOW), every_kind("mask"))

    assert after[0] == {
        "id": 1,
        "contact": {"email": "***@example.com", "homephone": "***-***-0147", "n": 3},
        "emails": ["***@example.com", None, "x"],
        "labels": {"***@b.com": "***-**-3456"},
        "people": [
            {"name": "Ann", "contacts": [{"home": {"mail": "***@example.com"}}, None]},
            None,
            {"name": "call ***-***-0147", "contacts": None},
        ],
    }
    assert after[1:] == [row.asDict(recursive=True) for row in rows(spark, EMPTY, HOLLOW).collect()]
    assert found == [
        {
            "PII:EMAIL:contact.email",
            "PII:PHONE:contact.homephone",
            "PII:EMAIL:emails.element",
            "PII:EMAIL:labels.key",
            "PII:SSN:labels.value",
            "PII:EMAIL:people.element.contacts.element.value.mail",
            "PII:PHONE:people.element.name",
        },
        set(),
        set(),
    ]


def test_struct_keys_of_a_map_that_become_equal_keep_their_entries(spark: SparkSession) -> None:
    key = "struct<mail:string,n:int>"
    entries = [((mail, 1), mail[0]) for mail in ("ann@example.com", "bob@example.com")]
    found = spark.createDataFrame([(1, entries)], f"id int, entries array<struct<k:{key},v:string>>").select(
        "id", F.map_from_entries("entries").alias("owners")
    )

    plan = pii.plan(found.schema, every_kind("mask"), KEY)

    after = found.select(F.map_entries(plan.remediated["owners"]).alias("owners")).collect()
    assert [(entry["key"]["mail"], entry["value"]) for entry in after[0]["owners"]] == [
        ("***@example.com#0", "a"),
        ("***@example.com#1", "b"),
    ]


@pytest.mark.parametrize("action", ["mask", "redact", "tokenize"])
def test_gold_finds_what_is_left_within_columns_and_nothing_after_remediation(spark: SparkSession, action: str) -> None:
    raw = rows(spark, FULL)
    plan = pii.plan(raw.schema, every_kind(action), KEY)
    safe = raw.select(*(plan.remediated.get(name, F.col(name)).alias(name) for name in raw.columns))
    flags = [flag.alias(signature) for signature, flag in pii.leftover(raw.schema, every_kind(action)).items()]

    before, after = raw.select(*flags).first(), safe.select(*flags).first()

    assert safe.schema.simpleString() == raw.schema.simpleString()
    assert before is not None
    assert after is not None
    assert sum(before) == 7
    assert sum(after) == 0


@pytest.mark.parametrize(
    ("field", "changed"),
    [
        pytest.param("emails", {"emails"}, id="an array by its column"),
        pytest.param("emails.element", {"emails"}, id="an array by its elements"),
        pytest.param("contact.email", {"contact"}, id="one field"),
        pytest.param("CONTACT", {"contact"}, id="all of a struct"),
        pytest.param("labels.key", {"labels"}, id="keys of a map"),
        pytest.param("people.element.contacts", {"people"}, id="what lies deep"),
    ],
)
def test_a_rule_may_name_what_lies_within_a_column(spark: SparkSession, field: str, changed: set[str]) -> None:
    raw = rows(spark, FULL)
    after, _ = through(raw, Pii(detection=(rule("EMAIL", "redact", field),)))
    before = raw.first()
    assert before is not None

    assert {name for name, value in before.asDict(recursive=True).items() if after[0][name] != value} == changed


def test_a_rule_for_a_text_goes_before_one_for_its_column_and_one_for_all(spark: SparkSession) -> None:
    several = (rule("EMAIL", "mask"), rule("EMAIL", "redact", "contact"), rule("EMAIL", "tokenize", "contact.email"))

    actions = pii.plan(rows(spark, FULL).schema, Pii(detection=several), KEY).actions

    assert actions["PII:EMAIL:contact.email"] == "tokenize"
    assert actions["PII:EMAIL:contact.homephone"] == "redact"
    assert actions["PII:EMAIL:emails.element"] == "mask"


@pytest.mark.parametrize("field", ["contact.mail", "contact.n", "emails.key", "nothing.here"])
def test_a_rule_for_what_is_not_there_or_no_text_is_a_policy_error(spark: SparkSession, field: str) -> None:
    with pytest.raises(PolicyError, match=f"field {field} is not a column of the rows"):
        pii.plan(rows(spark, FULL).schema, Pii(detection=(rule("EMAIL", "mask", field),)), KEY)


def test_keys_that_become_alike_are_all_kept(spark: SparkSession) -> None:
    many = (1, None, None, {"ann@x.com": "1", "bob@x.com": "2", "c": "3"}, None)

    after, _ = through(rows(spark, many), every_kind("mask"))

    labels = after[0]["labels"]  # numbered by their places, and a map has no order
    assert {(key.partition("#")[0], value) for key, value in labels.items()} == {
        ("***@x.com", "1"),
        ("***@x.com", "2"),
        ("c", "3"),
    }


def test_names_with_dots_and_signs_are_read_as_they_are(spark: SparkSession) -> None:
    odd = spark.createDataFrame([Row(1)], "n int").select(
        F.struct(F.lit("ann@example.com").alias("a.b c")).alias("x.y"), F.lit("bob@example.com").alias("x")
    )

    after, found = through(odd, every_kind("mask"))

    assert after == [{"x.y": {"a.b c": "***@example.com"}, "x": "***@example.com"}]
    assert found == [{"PII:EMAIL:x.y.a.b c", "PII:EMAIL:x"}]


def test_the_case_of_nested_addresses_is_remediated_whole(spark: SparkSession) -> None:  # C50
    found = spark.read.parquet(str(case_file("C50", "landing/nested_personal/a.parquet")))

    after, signatures = through(found, every_kind("tokenize"))

    assert "case@example.com" not in str(after)
    assert "555-0147" not in str(after)
    assert set().union(*signatures) >= {"PII:EMAIL:contact.email", "PII:PHONE:contact.phone"}


def test_a_map_that_has_a_key_twice_ends_no_job(spark: SparkSession, tmp_path: Path) -> None:  # C49, C53
    texts, numbers = pa.map_(pa.string(), pa.string()), pa.map_(pa.int32(), pa.string())
    content = {
        "m": pa.array([[("k", "ann@example.com"), ("k", "x")]], texts),
        "n": pa.array([[(1, "ann@example.com"), (1, "x")]], numbers),
    }
    pq.write_table(pa.table(content), tmp_path / "a.parquet")
    found = spark.read.parquet(str(tmp_path / "a.parquet"))

    plan = pii.plan(found.schema, every_kind("mask"), KEY)
    [row] = found.select(*(F.to_json(F.map_values(plan.remediated[name])).alias(name) for name in "mn")).collect()

    assert (row["m"], row["n"]) == ('["***@example.com","x"]',) * 2
