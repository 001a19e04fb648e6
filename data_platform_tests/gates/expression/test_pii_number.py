"""What is a card number, an IBAN or an IP address, and what only looks like one."""

import pytest
from pyspark.sql import SparkSession

from data_platform.model.pii_policy import Pii
from data_platform_tests.gates.personal import every_kind, left, rule, through, told_apart

NUMBERS = ("CREDIT_CARD", "IBAN", "IP_ADDRESS")
CARDS = {  # the issuers' published test numbers
    "4111111111111111": "****-****-****-1111",
    "4111 1111 1111 1111": "****-****-****-1111",
    "4111-1111-1111-1111": "****-****-****-1111",
    "3782-822463-10005": "****-****-****-0005",
    "378282246310005": "****-****-****-0005",
    "30569309025904": "****-****-****-5904",
    "6011111111111117": "****-****-****-1117",
    "3530111333300000": "****-****-****-0000",
    "5555555555554444": "****-****-****-4444",
    "2223003122003222": "****-****-****-3222",
    "4222222222222": "****-****-****-2222",
    "6759649826438453": "****-****-****-8453",
    "card 4111111111111111, thanks.": "card ****-****-****-1111, thanks.",
    '{"cc":"4111111111111111"}': '{"cc":"****-****-****-1111"}',
}
NO_CARDS = [
    "4111111111111112", "4111 1111 1111 1112", "0000000000000000", "1234567890123452", "41111111111111111111",
    "x4111111111111111", "4111111111111111a", "4111-1111 1111-1111", "9111111111111111", "12-4111111111111111",
    "1357034400123", "20130101123456789", "550e8400-e29b-41d4-a716-446655440000",
]  # fmt: skip
IBANS = {
    "DE89370400440532013000": "DE** **** 3000",
    "IBAN DE89 3704 0044 0532 0130 00": "IBAN DE** **** 3000",
    "de89 3704 0044 0532 0130 00": "DE** **** 3000",
    "GB82 WEST 1234 5698 7654 32 PAYMENT REF ABC": "GB** **** 5432 PAYMENT REF ABC",
    "NO9386011117947": "NO** **** 7947",
    "FR1420041010050500013M02606;": "FR** **** 2606;",
    "MT84MALT011000012345MTLCAST001S": "MT** **** 001S",
    "\uff24\uff2589 3704 0044 0532 0130 00": "[REDACTED:IBAN]",
}
NO_IBANS = [
    "DE88370400440532013000", "DE8937040044053201300", "ZZ89370400440532013000", "XDE89370400440532013000",
    "GB82 WEST 1234 5698 7654 33", "DE89370400440532013000X", "AL11 is a flight from LIN to LHR on Monday",
]  # fmt: skip
IPS = {
    "203.0.113.7": "***",
    "from 203.0.113.7:8080, ok": "from ***:8080, ok",
    "10.0.0.1-10.0.0.9": "***-***",
    "2001:db8::8a2e:370:7334": "***",
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334": "***",
    "mapped ::ffff:192.0.2.1 here": "mapped *** here",
    "[fe80::1]": "[***]",
}
NO_IPS = [
    "v1.2.3.4", "version 1.2.3.4", "Release: 10.2.3.4", "256.1.1.1", "1.2.3.4.5", "01.02.03.04", "10:11:12",
    "std::vector", "aa:bb:cc:dd:ee:ff", "2013-01-01T10:11:12", "1.2.3", "0.1.2.3", "a::b", "x1.2.3.4",
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "values", "others"),
    [
        pytest.param("CREDIT_CARD", CARDS, NO_CARDS, id="cards"),
        pytest.param("IBAN", IBANS, NO_IBANS, id="IBANs"),
        pytest.param("IP_ADDRESS", IPS, NO_IPS, id="IP addresses"),
    ],
)
def test_a_number_counts_if_its_form_and_check_digits_are_right(
    spark: SparkSession, kind: str, values: dict[str, str], others: list[str]
) -> None:
    policy = every_kind(kinds=[kind])
    found = through(spark, [*values, *others], policy)

    assert found[: len(values)] == [(masked, [kind]) for masked in values.values()]
    assert found[len(values) :] == [(value, []) for value in others]
    assert told_apart(spark, [*values, *others], policy) == [kinds for _, kinds in found]


@pytest.mark.parametrize("action", ["mask", "tokenize"])
def test_a_remediated_number_is_not_found_again(spark: SparkSession, action: str) -> None:
    policy = every_kind(action, ("EMAIL", "PHONE", "DATE_OF_BIRTH", *NUMBERS))
    raw = [*CARDS, *IBANS, *IPS, "4111111111111111 DE89370400440532013000 203.0.113.7 +49 30 12340147"]

    once = [value for value, _ in through(spark, raw, policy)]

    assert left(spark, raw, policy) == [True] * len(raw)
    assert left(spark, once, policy) == [False] * len(raw)


def test_two_ways_to_write_a_number_have_one_token(spark: SparkSession) -> None:
    policy = every_kind("tokenize", NUMBERS)
    same = ["4111111111111111", "4111-1111-1111-1111", "x: 4111 1111 1111 1111", "DE89370400440532013000"]

    tokens = [value for value, _ in through(spark, [*same, "de89 3704 0044 0532 0130 00"], policy)]

    assert tokens[0] == tokens[1]
    assert tokens[2] == f"x: {tokens[0]}"
    assert tokens[3] == tokens[4]
    assert tokens[0] != tokens[3]


def test_the_digits_of_an_iban_are_no_card_number(spark: SparkSession) -> None:
    grouped = "BE71 0961 2345 6769, LI21 0881 0000 2324 013A A, AE07 0331 2345 6789 0123 456"

    [(masked, kinds)] = through(spark, [grouped], every_kind(kinds=NUMBERS))

    assert kinds == ["IBAN"]
    assert masked == "BE** **** 6769, LI** **** 3AA, AE** **** 3456".replace("3AA", "13AA")


def test_four_numbers_in_a_column_for_versions_are_no_ip_address(spark: SparkSession) -> None:
    named = Pii(detection=(rule("IP_ADDRESS", "mask", "app_version"),))

    assert through(spark, ["10.2.3.4"], every_kind(kinds=NUMBERS), "client_ip") == [("***", ["IP_ADDRESS"])]
    assert through(spark, ["10.2.3.4"], named, "app_version") == [("***", ["IP_ADDRESS"])]
    assert through(spark, ["10.2.3.4 4111111111111111"], every_kind(kinds=NUMBERS), "app_version") == [
        ("10.2.3.4 ****-****-****-1111", ["CREDIT_CARD"])
    ]


def test_long_texts_that_nearly_match_are_searched_in_one_go(spark: SparkSession) -> None:
    almost = ["4111 " * 20_000, "DE89 " * 20_000, "1.2." * 20_000, "a:" * 20_000, "1" * 100_000, "ab1 " * 20_000]

    found = through(spark, almost, every_kind("tokenize", NUMBERS))

    assert [value for value, _ in found[1:]] == almost[1:]
