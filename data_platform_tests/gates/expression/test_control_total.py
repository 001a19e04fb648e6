"""A promised sum is compared exactly, at bronze on text and later on numbers."""

from decimal import Decimal

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.gates.expression.control_total import KEPT, judged, parse, total, with_kept
from data_platform.model.verdict import Gate, Outcome, Verdict

PROMISED = Decimal("40.5")
PASSED = Verdict(gate=Gate.G4_CONTRACT, outcome=Outcome.PASSED)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        pytest.param("30.00", "30", id="with decimals"),
        pytest.param("-0.5", "-0.5", id="negative"),
        pytest.param(".5", "0.5", id="without a leading zero"),
        pytest.param("1e3", "1000", id="with an exponent"),
        pytest.param("1,000", "NaN", id="with a separator of thousands"),
        pytest.param("1e999999999", "NaN", id="with an endless exponent"),
        pytest.param("", "NaN", id="empty"),
        pytest.param("thirty", "NaN", id="a word"),
    ],
)
def test_a_promise_is_a_plain_number_or_equals_no_sum(text: str, number: str) -> None:
    promised = parse({"amount": text})["amount"]

    assert promised.is_nan() if number == "NaN" else promised == Decimal(number)


@pytest.mark.parametrize(
    ("sums", "promised", "signatures"),
    [
        pytest.param({"amount": Decimal("30.000000")}, "30", (), id="equal, with other decimals"),
        pytest.param({"amount": Decimal("29.99")}, "30", ("CONTROL_TOTAL:amount",), id="different"),
        pytest.param({"amount": None}, "0", (), id="no number counts as 0"),
        pytest.param({}, "1", ("CONTROL_TOTAL:amount",), id="no sum"),
        pytest.param({"amount": Decimal(0)}, "NaN", ("CONTROL_TOTAL:amount",), id="a promise that is not a number"),
    ],
)
def test_a_sum_that_differs_fails_the_gate(
    sums: dict[str, Decimal | None], promised: str, signatures: tuple[str, ...]
) -> None:
    verdict = judged(PASSED, sums, {"amount": Decimal(promised)})

    assert verdict.signatures == signatures
    assert verdict.passed is (not signatures)


def test_a_gate_that_errored_stays_errored() -> None:
    errored = Verdict(gate=Gate.G4_CONTRACT, outcome=Outcome.ERRORED)

    assert judged(errored, {}, {"amount": Decimal(1)}).outcome is Outcome.ERRORED


def test_the_sums_that_silver_kept_are_recorded_as_text() -> None:
    sums = {
        "amount": Decimal("30.100000000000"),
        "fee": None,
        "rate": Decimal("12345678901234567890.123456789012345678"),
    }

    verdict = with_kept(PASSED, sums, ["amount", "fee", "rate"])

    assert verdict.metadata == {KEPT: {"amount": "30.1", "fee": "0", "rate": "12345678901234567890.123456789012345678"}}
    assert with_kept(PASSED, {}, []) is PASSED


def test_a_total_sums_the_numbers_of_a_text_column(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("10.5",), (" 20 ",), ("1e1",), ("x",), (None,)], "amount string")

    kept = total("amount", PROMISED, F.col("amount") != "1e1")
    [row] = rows.select(total("amount", PROMISED).alias("all"), kept.alias("kept")).collect()

    assert (row["all"], row["kept"]) == (Decimal("40.5"), Decimal("30.5"))


def test_a_total_without_any_number_is_null(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("x",)], "amount string")

    assert rows.select(total("amount", PROMISED)).first()[0] is None


@pytest.mark.parametrize(
    ("texts", "promised"),
    [
        pytest.param(["0.12345675", "0.12345676"], "0.24691351", id="rates of eight places"),
        pytest.param(["0.12345675", "0.12345625"], "0.246913", id="whose sum has fewer"),
        pytest.param(["0.000000000000000001", "2"], "2.000000000000000001", id="eighteen places"),
        pytest.param(["9999999999999999999999999", "1"], "10000000000000000000000000", id="a sum of long identifiers"),
    ],
)
def test_a_total_is_not_rounded(spark: SparkSession, texts: list[str], promised: str) -> None:
    rows = spark.createDataFrame([(text,) for text in texts], "amount string")

    found = rows.select(total("amount", Decimal(promised))).first()[0]

    assert found == Decimal(promised)
