"""Dates of birth, names and addresses: by a label, by the column's name, or because a rule names the column."""

import pytest
from pyspark.sql import SparkSession

from data_platform.model.personal_name import names_kind
from data_platform.model.pii_policy import Pii, PiiKind
from data_platform_tests.gates.personal import every_kind, left, rule, through, told_apart

BIRTHS = {
    "dob 1980-02-28": "dob 1980-**-**",
    "Date of birth: 28.02.1980.": "Date of birth: 1980-**-**.",
    "born on 2/8/1935 in Rome": "born on 1935-**-** in Rome",
    "geboren am 28. Februar 1980": "geboren am 1980-**-**",
    '{"birth_date":"1980-02-28"}': '{"birth_date":"1980-**-**"}',
    "Birthday is Feb 28, 1980": "Birthday is 1980-**-**",
    "DOB 28/02/80": "DOB ****-**-**",
}
NO_BIRTHS = ["1980-02-28", "booked on 1980-02-28", "dob unknown", "born in 1980", "dob 1980", "airborne 1980-02-28"]
NAMES = ["first_name", "LastName", "passengerName", "surname", "cardholder", "customer_name", "Nachname", "lname"]
STREETS = ["street", "home_address", "billingAddress", "address_line1", "streetName", "addr"]
DATES = ["birth_date", "dob", "dateOfBirth", "customer_dob", "geburtsdatum"]
OTHERS = [
    "name", "filename", "username", "product_name", "carrier_name", "ip_address", "email_address", "mac_address",
    "births", "birth_weight", "birthplace", "hostname", "update_date", "address_type",
]  # fmt: skip


def test_a_date_is_one_of_birth_after_a_label_or_in_such_a_column(spark: SparkSession) -> None:
    policy = every_kind(kinds=["DATE_OF_BIRTH"])

    found = through(spark, [*BIRTHS, *NO_BIRTHS], policy)

    assert found == [(masked, ["DATE_OF_BIRTH"]) for masked in BIRTHS.values()] + [(value, []) for value in NO_BIRTHS]
    assert through(spark, ["1980-02-28", "19800228", "n/a"], policy, "birth_date") == [
        ("1980-**-**", ["DATE_OF_BIRTH"]),
        ("1980-**-**", ["DATE_OF_BIRTH"]),
        ("n/a", []),
    ]


@pytest.mark.parametrize("action", ["mask", "tokenize"])
def test_a_remediated_person_is_not_found_again(spark: SparkSession, action: str) -> None:
    policy = every_kind(action, ("PERSON_NAME", "EMAIL", "PHONE", "DATE_OF_BIRTH"))
    raw = [*BIRTHS, "Ann Lee", "dob 1980-02-28 1990-01-01", "ann@example.com", "212-555-0147 Ann"]

    for column in ("surname", "dob"):
        once = through(spark, raw, policy, column)
        assert left(spark, [value for value, _ in once], policy) == [False] * len(raw)
        assert told_apart(spark, raw, policy, column) == [kinds for _, kinds in once]


def test_a_name_is_the_whole_value_of_a_column_about_names(spark: SparkSession) -> None:
    everywhere = every_kind("mask", ["PERSON_NAME", "EMAIL"])
    named = Pii(detection=(rule("PERSON_NAME", "redact", "x"),))
    values = ["Ann Lee", "Łukasz Żak", "ann@example.com", "007", "", None]

    of_names = through(spark, values, everywhere, "first_name")

    assert [value for value, _ in of_names] == ["A***", "Ł***", "a***", "007", "", None]
    assert [kinds for _, kinds in of_names] == [["PERSON_NAME"]] * 3 + [[], [], []]
    assert [value for value, _ in through(spark, values[:2], named)] == ["[REDACTED:PERSON_NAME]"] * 2
    assert through(spark, ["Ann Lee"], everywhere, "product") == [("Ann Lee", [])]


def test_a_name_has_one_token_however_it_is_punctuated(spark: SparkSession) -> None:
    policy = Pii(detection=(rule("PERSON_NAME", "tokenize", "x"),))

    tokens = {value for value, _ in through(spark, ["Lee, Ann", "LEE  Ann", "lee ann"], policy)}

    assert len(tokens) == 1
    assert str(tokens.pop()).startswith("tok_v1_person_name_")


def test_a_dropped_value_becomes_null_and_the_others_stay(spark: SparkSession) -> None:
    policy = Pii(detection=(rule("IBAN", "drop"), rule("EMAIL", "mask")))
    values = ["pay to DE89370400440532013000", "ann@example.com", "nothing", None, "pay to DE88370400440532013000"]

    found = through(spark, values, policy)

    assert [value for value, _ in found] == [None, "***@example.com", "nothing", None, values[4]]
    assert [kinds for _, kinds in found] == [["IBAN"], ["EMAIL"], [], [], []]
    assert told_apart(spark, values, policy) == [kinds for _, kinds in found]


def test_the_names_of_columns_that_indicate_a_kind() -> None:
    assert [name for name in NAMES if not names_kind(name, PiiKind.PERSON_NAME)] == []
    assert [name for name in STREETS if not names_kind(name, PiiKind.STREET_ADDRESS)] == []
    assert [name for name in DATES if not names_kind(name, PiiKind.DATE_OF_BIRTH)] == []
    assert [name for name in OTHERS if any(names_kind(name, kind) for kind in PiiKind)] == []


@pytest.mark.parametrize(
    ("path", "kind", "named"),
    [
        pytest.param("customers.element.name", PiiKind.PERSON_NAME, True, id="a name within a list of customers"),
        pytest.param("product.name", PiiKind.PERSON_NAME, False, id="a product's name"),
        pytest.param("web.owner.home_address", PiiKind.STREET_ADDRESS, True, id="below a column about something else"),
        pytest.param("ip.address", PiiKind.STREET_ADDRESS, False, id="an address of another kind"),
        pytest.param("emails.element.address", PiiKind.STREET_ADDRESS, False, id="a list of addresses of another kind"),
        pytest.param("contacts.element.number", PiiKind.PHONE, True, id="a number within a list of contacts"),
        pytest.param("key", PiiKind.PHONE, False, id="a column that is called like a step"),
    ],
)
def test_the_paths_within_columns_that_indicate_a_kind(path: str, kind: PiiKind, named: bool) -> None:
    assert names_kind(path, kind) is named
