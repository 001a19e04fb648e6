"""A new code of a learned domain is one warning, with its rows and the place of the first, measured in one write."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from data_platform.gates import dq_domain
from data_platform.gates.dq_domain import Domain
from data_platform.gates.expression.split import split
from data_platform.gates.expression.token import stand_in
from data_platform.model.verdict import Outcome, RuleResult, Severity

SECRET = b"s" * 32


def rows(spark: SparkSession, *kinds: str | None) -> DataFrame:
    """One row a kind, the first in line 2 of a.csv, each twentieth later one in b.csv."""
    places = [(kind, "b.csv" if at % 20 == 19 else "a.csv", at + 2) for at, kind in enumerate(kinds)]
    return spark.createDataFrame(places, "kind string, _file string, _line bigint")


def results(frame: DataFrame, *, shown: bool = True, domains: tuple[Domain, ...] = ()) -> list[RuleResult]:
    domains = domains or (Domain("kind", "kind", ("A", "B"), shown),)
    measures = dq_domain.plan(frame, domains, F.col("kind").isNull() | (F.col("kind") != "REJECTED"),
                              stand_in(SECRET, "ds://sales/orders"))  # fmt: skip
    written = split(frame, {}, measures=measures)
    written.accepted.write.format("noop").mode("overwrite").save()
    return list(dq_domain.results(domains, written.measures()))


def test_each_new_code_is_one_warning_with_its_rows_and_first_place(spark: SparkSession) -> None:
    kinds = ["A", "FLASH_SALE", None, "B", "REJECTED", "GIFT", *["FLASH_SALE", "A"] * 2000]

    found = results(rows(spark, *kinds).repartition(3))

    assert [(r.signature, r.rows, r.severity, r.outcome) for r in found] == [
        ("UNKNOWN_ENUM:kind:FLASH_SALE", 2001, Severity.WARN, Outcome.FAILED),
        ("UNKNOWN_ENUM:kind:GIFT", 1, Severity.WARN, Outcome.FAILED),
    ]
    assert [r.reason.rpartition("first at ")[2] for r in found] == ["a.csv:3", "a.csv:7"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        pytest.param("Anna Müller", True, id="no code"),
        pytest.param("A4711", True, id="a long number"),
        pytest.param("SMITH", False, id="a column that a PII rule searches"),
    ],
)
def test_a_value_that_may_be_personal_is_its_token_and_in_no_measure(
    spark: SparkSession, value: str, shown: bool
) -> None:
    [found] = results(rows(spark, "A", value), shown=shown)

    assert value not in f"{found}"
    assert len(found.signature.removeprefix("UNKNOWN_ENUM:kind:")) == 12


def test_a_column_that_no_longer_holds_codes_has_a_bounded_number_of_warnings(spark: SparkSession) -> None:
    found = results(rows(spark, *(f"V{n % 100}_{n // 100}" for n in range(3000))))

    assert len(found) == dq_domain.MOST_NEW + 1
    assert found[-1].signature == "UNKNOWN_ENUM:kind"


def test_two_new_codes_of_one_row_are_each_counted_with_their_column(spark: SparkSession) -> None:
    codes = [("A", "X"), ("GIFT", "NEW"), ("GIFT", "X"), (None, "NEW")]
    frame = spark.createDataFrame([(*pair, "a.csv", at + 2) for at, pair in enumerate(codes)],
                                  "kind string, state string, _file string, _line bigint")  # fmt: skip
    domains = (Domain("kind", "kind", ("A",), True), Domain("State", "state", ("X",), True))

    found = results(frame, domains=domains)

    assert [(r.signature, r.rows, r.reason.rpartition("first at ")[2]) for r in found] == [
        ("UNKNOWN_ENUM:kind:GIFT", 2, "a.csv:3"),
        ("UNKNOWN_ENUM:State:NEW", 2, "a.csv:3"),
    ]


def test_known_codes_and_no_rows_are_a_pass(spark: SparkSession) -> None:
    for frame in (rows(spark, "A", "B", None), rows(spark)):
        [found] = results(frame)

        assert (found.signature, found.outcome) == ("UNKNOWN_ENUM:kind", Outcome.PASSED)


def test_rows_of_a_process_have_no_place(spark: SparkSession) -> None:
    frame: Any = spark.createDataFrame([("GIFT",)], "kind string")

    [found] = results(frame)

    assert (found.rows, found.reason) == (1, "not among the 2 values that the baseline has")
