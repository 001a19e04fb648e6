"""What is an e-mail address or an SSN, and what only looks like one; and how kinds share a text."""

import json

import pytest
from pyspark.sql import SparkSession

from data_platform.model.personal_name import names_kind
from data_platform.model.pii_policy import Pii, PiiKind
from data_platform_tests.case import case_file, expected
from data_platform_tests.gates.personal import every_kind, rule, through

EMAILS = {
    "ann@example.com": "***@example.com",
    "Ann Lee <a.b+tag@example.co.uk>;": "Ann Lee <***@example.co.uk>;",
    "contact: a@example.com,b@example.org;": "contact: ***@example.com,***@example.org;",  # C31
    "o'brien@example.com": "***@example.com",
    "'ann@example.com'": "'***@example.com'",
    "jürgen@müller.example": "***@müller.example",
    "mail ann@example.com.": "mail ***@example.com.",
    "ann@example.com@example.org": "***@example.com",
    "2125550147@example.com": "***@example.com",
}
NO_EMAILS = ["not-an-email@", "user@localhost", "@handle", "3@2.99", "a @ b.com", "***@example.com", "x@[10.0.0.1]"]


def test_each_value_of_the_case_has_the_expected_result(spark: SparkSession) -> None:  # C29
    values = json.loads(case_file("C29", "values.json").read_text())
    told = {case["value"]: case["expected"] for case in expected("C29")}

    kinds = {value: found for value, (_, found) in zip(values, through(spark, values), strict=True)}
    in_context = dict(zip(values, through(spark, values, column="ssn"), strict=True))

    assert {v: kinds[v] == ["SSN"] for v in values if isinstance(told[v], bool)} == {
        v: told[v] for v in values if isinstance(told[v], bool)
    }
    assert kinds["123-45-6789"] == ["SSN"]  # a known sample, masked all the same
    assert kinds["912-70-1234"] == ["ITIN"]  # no SSN, still personal
    assert kinds["899123456"] == []
    assert in_context["899123456"] == ("***-**-3456", ["SSN"])


def test_nine_digits_are_an_ssn_by_label_or_by_a_rule_for_the_whole_value(spark: SparkSession) -> None:
    named = Pii(detection=(rule("SSN", "mask", "x"),))
    values = ["ssn 899123456", "SSN#: 899123456", "Social Security number 899123456", "order 899123456", "899123456"]

    anywhere, of_named = through(spark, values), through(spark, values, named)

    assert [found == ["SSN"] for _, found in anywhere] == [True, True, True, False, False]
    assert [found == ["SSN"] for _, found in of_named] == [True, True, True, False, True]


def test_e_mail_addresses_are_found_and_keep_their_domain(spark: SparkSession) -> None:
    assert through(spark, EMAILS) == [(masked, ["EMAIL"]) for masked in EMAILS.values()]
    assert through(spark, NO_EMAILS) == [(value, []) for value in NO_EMAILS]


@pytest.mark.parametrize(
    ("text", "masked", "kinds"),
    [
        pytest.param(
            "call 212-555-0147 or 646-555-0199 now",
            "call ***-***-0147 or ***-***-0199 now",
            ["PHONE"],
            id="two of a kind",
        ),
        pytest.param(
            "a@b.com 899-12-3456/212-555-0147",
            "***@b.com ***-**-3456/***-***-0147",
            ["EMAIL", "SSN", "PHONE"],
            id="one of each",
        ),
        pytest.param("+44 20 899-12-3456", "+44 20 ***-**-3456", ["SSN"], id="claimed by the SSN, so no phone number"),
        pytest.param("+44 899 12 3456", "***-***-3456", ["PHONE"], id="behind a country's code it is no SSN"),
        pytest.param("212-555-0147@x.example", "***@x.example", ["EMAIL"], id="digits of an address"),
    ],
)
def test_a_text_is_of_the_first_kind_that_claims_it(
    spark: SparkSession, text: str, masked: str, kinds: list[str]
) -> None:
    assert through(spark, [text]) == [(masked, kinds)]


def test_long_texts_that_nearly_match_are_searched_in_one_go(spark: SparkSession) -> None:
    almost = ["a." * 20_000 + "@", "a@" + "b." * 20_000, "1-" * 20_000, "+" + "1 " * 20_000, "(212) " * 10_000]

    assert through(spark, almost, every_kind("tokenize")) == [(text, []) for text in almost]


def test_nine_digits_behind_a_label_in_camel_case_are_an_ssn(spark: SparkSession) -> None:
    values = ['{"custSSN":"899123456"}', "socialSecurityNumber=899123456", "ssn no. 899123456", "classname 899123456"]

    assert [found for _, found in through(spark, values)] == [["SSN"], ["SSN"], ["SSN"], []]


PHONE_COLUMNS = [
    "homePhone_1", "homephone", "mobileno", "MobileNo", "cell", "cellphone", "cell_phone", "telno", "fax", "faxno",
    "phonenumber", "PHONE_NO", "workphone", "contact_tel", "customerMobile", "telephone", "msisdn", "HOMEPHONE",
    "contact_no", "whatsapp_number", "telefon",
]  # fmt: skip
SSN_COLUMNS = ["SSN", "custssn", "ssn_no", "ssnumber", "social_security_no"]
OTHER_COLUMNS = [
    "tailnum", "hotel", "order_no", "headphones", "microphone", "excel", "cancelled", "dep_time", "flight", "contact",
    "classname", "session_no", "addressnr", "businessno",
]  # fmt: skip


def test_a_columns_name_is_matched_by_whole_and_joined_words() -> None:
    assert [name for name in PHONE_COLUMNS if not names_kind(name, PiiKind.PHONE)] == []
    assert [name for name in SSN_COLUMNS if not names_kind(name, PiiKind.SSN)] == []
    assert [name for name in OTHER_COLUMNS if names_kind(name, PiiKind.PHONE) or names_kind(name, PiiKind.SSN)] == []
