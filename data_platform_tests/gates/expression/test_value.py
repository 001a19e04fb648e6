"""Text is converted exactly, to NULL if it is empty, and breaks the row otherwise."""

import csv
from typing import Any

import pytest
from pyspark.sql import SparkSession

from data_platform.gates.expression.value import typed
from data_platform_tests.case import case_file, expected


def read(spark: SparkSession, texts: list[str | None], kind: str, **allowed: bool) -> list[tuple[Any, list[str]]]:
    """The value and the broken signatures of each text."""
    rows = spark.createDataFrame(list(enumerate(texts)), "n int, x string").orderBy("n")
    column = typed("x", kind, **allowed)
    broken = [flag.alias(signature) for signature, flag in column.broken.items()]
    found = rows.select(column.value.alias("value"), *broken).collect()
    return [(row["value"], [signature for signature in column.broken if row[signature]]) for row in found]


def test_each_text_of_the_case_is_ok_null_or_quarantined(spark: SparkSession) -> None:  # C13
    told = expected("C13")["qty"]
    with case_file("C13", "casts.csv").open(newline="") as source:
        table = {int(row["row"]): row["qty"] for row in csv.DictReader(source)}

    found = read(spark, [table[case["row"]] for case in told], "int")

    results = ["quarantine" if broken else "null" if value is None else "ok" for value, broken in found]
    assert results == [case["result"] for case in told]
    assert [value for value, _ in found] == [case["value"] for case in told]


@pytest.mark.parametrize(
    ("text", "kind", "signatures"),
    [
        pytest.param("12345678901.55", "decimal(10,2)", ["TYPE_MISMATCH:x:DECIMAL(10,2)"], id="too many digits"),
        pytest.param("10.005", "decimal(10,2)", ["ROUNDED:x:DECIMAL(10,2)"], id="would be rounded"),
        pytest.param("10.50000", "decimal(10,2)", [], id="zeros are no digits lost"),
        pytest.param("10.005", "decimal(38,2)", ["ROUNDED:x:DECIMAL(38,2)"], id="so with all of Spark's digits"),
        pytest.param("0." + "0" * 49 + "1", "decimal(10,2)", ["ROUNDED:x:DECIMAL(10,2)"], id="behind 38 digits"),
        pytest.param("1.5", "decimal(10,0)", ["ROUNDED:x:DECIMAL(10,0)"], id="a fraction of no places"),
        pytest.param("1e3", "decimal(10,2)", ["TYPE_MISMATCH:x:DECIMAL(10,2)"], id="exponent"),
        pytest.param("-0.00", "decimal(10,2)", [], id="minus zero"),
        pytest.param("2025-02-30", "date", ["TYPE_MISMATCH:x:DATE"], id="no such day"),
        pytest.param("2025", "date", ["TYPE_MISMATCH:x:DATE"], id="a year is no day"),
        pytest.param("2025-06-01T10:00:00Z", "timestamp", [], id="moment"),
        pytest.param("2025-06-01 10:00:00+00", "timestamp", [], id="an offset of hours, as PostgreSQL writes it"),
        pytest.param("2025-06-01 10:00:00+05:45", "timestamp", [], id="an offset of minutes too"),
        pytest.param("2025-06-01 10:00:00+5", "timestamp", ["TYPE_MISMATCH:x:TIMESTAMP"], id="half an offset"),
        pytest.param("2025-06-01 10:00:00+00", "timestamp_ntz", ["TYPE_MISMATCH:x:TIMESTAMP_NTZ"], id="none is due"),
        pytest.param("2025-06-01 24:00:00", "timestamp", ["TYPE_MISMATCH:x:TIMESTAMP"], id="the hour 24"),
        pytest.param("2016-12-31 23:59:60", "timestamp", ["TYPE_MISMATCH:x:TIMESTAMP"], id="a leap second"),
        pytest.param("10:00", "timestamp", ["TYPE_MISMATCH:x:TIMESTAMP"], id="a time of no day"),
        pytest.param("1d", "double", ["TYPE_MISMATCH:x:DOUBLE"], id="Java's suffix is no number"),
        pytest.param("1e400", "double", ["NOT_FINITE:x"], id="out of range"),  # C24
        pytest.param("nan", "double", ["NOT_FINITE:x"], id="not a number"),
        pytest.param("-Inf", "double", ["NOT_FINITE:x"], id="minus infinity"),
        pytest.param("1e-400", "double", ["TYPE_MISMATCH:x:DOUBLE"], id="so small that nothing is left"),  # C24
        pytest.param("0e-400", "double", [], id="zero"),
        pytest.param(
            "\u0663", "decimal(10,2)", ["TYPE_MISMATCH:x:DECIMAL(10,2)"], id="digits that are not ASCII"
        ),  # C59
        pytest.param("\u0663", "int", ["TYPE_MISMATCH:x:INT"], id="so of an integer"),
        pytest.param("7\x00", "int", ["TYPE_MISMATCH:x:INT"], id="a control character"),
        pytest.param("7\x00", "decimal(10,2)", ["TYPE_MISMATCH:x:DECIMAL(10,2)"], id="so in a decimal"),
        pytest.param("\t7\r\n", "int", [], id="blanks and line ends"),
        pytest.param("\t7.5\r\n", "double", [], id="so around a double"),
        pytest.param("1e999999999", "decimal(10,2)", ["TYPE_MISMATCH:x:DECIMAL(10,2)"], id="would end the job"),  # C53
        pytest.param("1_000", "int", ["TYPE_MISMATCH:x:INT"], id="an underscore"),
        pytest.param("0x1F", "int", ["TYPE_MISMATCH:x:INT"], id="hexadecimal"),
        pytest.param("2025-W01-3", "date", ["TYPE_MISMATCH:x:DATE"], id="an ISO week"),
        pytest.param("2025-01-01T10:00:00R", "timestamp", ["TYPE_MISMATCH:x:TIMESTAMP"], id="a military zone"),
        pytest.param("5", "double", [], id="finite"),
        pytest.param("", "double", [], id="empty"),
        pytest.param("00123", "string", [], id="leading zeros"),
    ],
)
def test_a_text_of_another_type_is_reported(spark: SparkSession, text: str, kind: str, signatures: list[str]) -> None:
    assert read(spark, [text], kind)[0][1] == signatures


def test_a_contract_may_allow_exponents_and_rounding(spark: SparkSession) -> None:  # C13
    found = read(spark, ["1e3", "10.005"], "decimal(10,2)", exponents=True, rounding=True)

    assert [(str(value), broken) for value, broken in found] == [("1000.00", []), ("10.01", [])]


@pytest.mark.parametrize(
    ("text", "is_rounded"),
    [
        pytest.param("1e-999", True, id="so small that nothing is left"),
        pytest.param("0e-999", False, id="zero"),
        pytest.param("1.25e-1", True, id="a place too many"),
        pytest.param("12.5E-1", False, id="as many places as the type"),
        pytest.param("1500e-4", False, id="zeros of the whole number"),
        pytest.param("1501e-4", True, id="a digit among them"),
        pytest.param("1200.000e-4", False, id="zeros on both sides of the point"),
        pytest.param("-1.005E+1", False, id="a positive exponent"),
        pytest.param("10.005", True, id="without an exponent"),
    ],
)
def test_a_number_with_an_exponent_is_not_rounded_silently(spark: SparkSession, text: str, is_rounded: bool) -> None:
    ((_, broken),) = read(spark, [text], "decimal(10,2)", exponents=True)

    assert broken == (["ROUNDED:x:DECIMAL(10,2)"] if is_rounded else [])


def test_a_missing_text_is_null_and_not_broken(spark: SparkSession) -> None:
    for kind in ("int", "decimal(10,2)", "double", "date", "boolean", "timestamp"):
        assert read(spark, [None, "", "  "], kind) == [(None, [])] * 3
