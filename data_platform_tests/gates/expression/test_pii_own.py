"""A policy's own kinds are detected, checked and remediated like the platform's."""

from pyspark.sql import SparkSession

from data_platform.model.pii_policy import OwnKind, Pii
from data_platform_tests.gates.personal import left, rule, through

KINDS = (
    OwnKind(name="CUSTOMER_NUMBER", regex=r"C-\d{8}"),
    OwnKind(name="MEMBER", regex=r"7\d{9}", check="luhn"),
    OwnKind(name="LEI", regex=r"[0-9A-Z]{18}\d\d", check="mod97"),
)
VALUES = ["for C-12345678.", "7992739871", "7992739813", "5493001KJTIIGC8Y1R12", "5493001KJTIIGC8Y1R13", "XC-12345678"]


def test_a_match_counts_if_it_is_a_whole_word_and_passes_its_check(spark: SparkSession) -> None:
    policy = Pii(kinds=KINDS, detection=tuple(rule(kind.name) for kind in KINDS))

    found = through(spark, VALUES, policy)

    assert found == [
        ("for ***5678.", ["CUSTOMER_NUMBER"]),
        ("7992739871", []),
        ("7992739813", []),
        ("***1R12", ["LEI"]),
        ("5493001KJTIIGC8Y1R13", []),
        ("XC-12345678", []),
    ]
    assert left(spark, [value for value, _ in found], policy) == [False] * len(VALUES)


def test_a_kind_that_no_rule_names_is_not_searched(spark: SparkSession) -> None:
    policy = Pii(kinds=KINDS, detection=(rule("LEI"),))

    assert through(spark, ["C-12345678"], policy) == [("C-12345678", [])]
