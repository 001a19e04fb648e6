"""What is a phone number, by its form or by the words around it, and what only looks like one."""

import pytest
from pyspark.sql import SparkSession

from data_platform.gates.detector import pattern
from data_platform.model.pii_policy import Pii, PiiKind
from data_platform_tests.gates.personal import every_kind, rule, through

PHONES = [
    "212-555-0147", "212.555.0147", "212 555 0147", "(212) 555-0147", "(212)5550147", "1-212-555-0147",
    "+1 (212) 555-0147", "+12125550147", "001-212-555-0147", "212\u2011555\u20110147", "+49 30 12340147",
    "+44 (0)20 7946 0147", "+442079460147", "+33 1 23 45 01 47",
]  # fmt: skip
NO_PHONES = [
    "2125550147", "12125550147", "112-555-0147", "911-555-0147", "212-911-0147", "212-155-0147", "555-0147",
    "78-212-555-0147", "212-555-0147-9", "1234212-555-0147", "1357034400", "1357034400123", "2013-01-01 10:11:12",
    "2013-01-01T10:00:00+05:00", "1,234,567.89", "234.567.8901.22", "UA1545", "4111-1111-1111-1111", "+1234567",
    "+441234567890123456789", "AB212-555-0147", "10001-2345", "20130101-212", "***-***-0147",
]  # fmt: skip
LOCAL = {
    "Phone: 60-56-85-91": "Phone: ***-***-8591",
    "Phone:\n467 3395": "Phone:\n***-***-3395",
    "They do not answer at 78 651 450": "They do not answer at ***-***-1450",
    "call me on 9472 7916?": "call me on ***-***-7916?",
    "stop sending messages to 699 956 915": "stop sending messages to ***-***-6915",
    "781 1704 office": "***-***-1704 office",
    "416 60 039 (fax)": "***-***-0039 (fax)",
    "ask 0490 75 40 81 now": "ask ***-***-4081 now",
    "01.84.17.61.18": "***-***-6118",
    "0171/1234567": "***-***-4567",
    "(08) 8747 6301": "***-***-6301",
    "(030) 1234567": "***-***-4567",
    "345-899-3560x4587": "***-***-3560",
    "212-555-0147 ext. 12": "***-***-0147",
    "+1-984-182-0190": "***-***-0190",
    "Tel. 0044 20 7946 0147": "Tel. ***-***-0147",
    "phone 07700900123": "phone ***-***-0123",
}
NO_LOCAL = [
    "467 3395", "78 651 450", "60-56-85-91", "order 467 3395", "99 577450 units", "150 2000 home games",
    "450 0840 office hours", "call me at 10.30-11.45", "call me on 2013-01-01", "contact us on 28.02.1980",
    "answer to 10.0.0.12", "text sent to 1234.56 accounts", "contact: 4111 1111 1111 1112", "0517 0533 0542",
    "IBAN DE88 3704 0044 0532 0130 00 home", "2013 01 01 0517 0533", "1.02.03.04.05.06", "0123-45-67", "021000021",
    "ISBN 978-3-16-148410-0", "ISBN 0-306-40615-2", "12 (34) 345-367", "(2013) 123-145", "$1,234,567.89",
    "20 000 000 to 30 000 000", "40.712776, -74.005974", "invoice 2013/0012345", "0012-3456-7890",
    "550e8400-e29b-41d4-a716-446655440000", "11-12-13-14-15", "051 700 0533 1234 5678", "UA 1545 JFK 0517 0529",
]  # fmt: skip


def test_phone_numbers_are_found_and_keep_four_digits(spark: SparkSession) -> None:
    assert through(spark, PHONES) == [("***-***-0147", ["PHONE"])] * len(PHONES)


def test_order_numbers_times_and_amounts_are_no_phone_numbers(spark: SparkSession) -> None:
    assert through(spark, NO_PHONES) == [(value, []) for value in NO_PHONES]


def test_ten_digits_are_a_phone_number_by_the_columns_name_or_by_a_rule_for_the_whole_value(
    spark: SparkSession,
) -> None:
    named = Pii(detection=(rule("PHONE", "mask", "x"),))
    values = ["2125550147", "12125550147", "call 2125550147", "1125550147"]

    of_named, of_phones = through(spark, values, named), through(spark, values, column="homePhone")

    assert [found == ["PHONE"] for _, found in of_named] == [True, True, False, False]
    assert [found == ["PHONE"] for _, found in of_phones] == [True, True, True, False]


LABELLED = [
    "phone: 3035550117", "Phone 13035550117", "Tel.: 3035550117", "tel=3035550117", "mobile=3035550117",
    "Mobile No. 3035550117", "cell #3035550117", "fax:3035550117", '{"homePhone":"3035550117"}', "workFax 3035550117",
    "phone_number=3035550117", "telephone is 3035550117", "cellphone3035550117", "home_tel: (3035550117)",
    "PHONE 3035550117", "ph# 3035550117", "contact: 3035550117", "whatsapp 3035550117", "Telefon: 3035550117",
]  # fmt: skip
NOT_LABELLED = [
    "order 3035550117", "hotel 3035550117", "headphones 3035550117", "phone model 3035550117", "phone 303555011",
    "phone 1357034400", "phone 30355501175", "cell_id: 3035550117", "excel 3035550117", "N3035550117",
    "mobile 2013-01-01", "telex: 3035550117", "fax 3035550117A", "flight 3035550117 tail N14228", "graph 3035550117",
    "contract 3035550117",
]  # fmt: skip


def test_a_label_makes_ten_digits_a_phone_number(spark: SparkSession) -> None:  # C30
    assert [found for _, found in through(spark, LABELLED)] == [["PHONE"]] * len(LABELLED)
    assert not any("303555" in str(value) for value, _ in through(spark, LABELLED))
    assert through(spark, NOT_LABELLED) == [(value, []) for value in NOT_LABELLED]


@pytest.mark.parametrize("action", ["mask", "redact", "tokenize"])
def test_what_a_label_made_a_phone_number_is_not_found_again(spark: SparkSession, action: str) -> None:
    after = [value for value, _ in through(spark, LABELLED, every_kind(action))]

    assert through(spark, after, every_kind(action)) == [(value, []) for value in after]


def test_a_local_number_counts_by_its_form_or_by_the_words_around_it(spark: SparkSession) -> None:
    policy = every_kind(kinds=["PHONE"])

    assert through(spark, LOCAL, policy) == [(masked, ["PHONE"]) for masked in LOCAL.values()]
    assert through(spark, NO_LOCAL, policy) == [(value, []) for value in NO_LOCAL]


def test_java_and_python_find_the_same_phone_numbers(spark: SparkSession) -> None:
    values = [*PHONES, *NO_PHONES, *LABELLED, *NOT_LABELLED, *LOCAL, *NO_LOCAL]

    in_java = [bool(kinds) for _, kinds in through(spark, values, every_kind(kinds=["PHONE"]))]

    assert [any(kind is PiiKind.PHONE for kind, _, _ in pattern.spans(value)) for value in values] == in_java


@pytest.mark.parametrize("action", ["mask", "redact", "tokenize", "drop"])
def test_a_local_number_beside_an_address_is_found_whatever_becomes_of_the_address(
    spark: SparkSession, action: str
) -> None:
    policy = Pii(detection=(rule("EMAIL", action), rule("PHONE", "drop")))
    values = ["ann@example.com 0490 75 40 81", "0490 75 40 81 ann@example.com", "ann@example.com (08) 8747 6301"]

    assert through(spark, values, policy) == [(None, ["EMAIL", "PHONE"])] * 3


def test_two_spellings_of_a_local_number_have_one_token(spark: SparkSession) -> None:
    policy = every_kind("tokenize", ["PHONE"])
    values = [
        "0490 75 40 81",
        "0490-75-40-81",
        "0490 754 081",
        "0490 75 40 82",
        "(212) 555-0147 ext. 9",
        "+12125550147",
    ]

    one, same, also, other, with_extension, without = [value for value, _ in through(spark, values, policy)]

    assert one == same == also
    assert other != one
    assert with_extension == without
