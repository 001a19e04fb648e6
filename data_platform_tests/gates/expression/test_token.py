"""Tokens: the same for the same person, impossible to compute without the key, and never a plain hash."""

import hashlib
import hmac
import re

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.errors import PolicyError
from data_platform.gates import pii
from data_platform.gates.expression.token import PLAN_REDACTION, TokenKey
from data_platform.model.pii_policy import Pii, PiiAction, PiiRule
from data_platform.model.token_secret import opened
from data_platform.model.token_text import MOST_VALUE_BYTES, parse_token
from data_platform_tests.gates.personal import KEY, every_kind, rule, texts, through, told_apart

TOKEN = re.compile(r"tok_v1_[a-z]+_[0-9a-f]{32}")


def by_hand(label: str, normalised: str, key: bytes = KEY) -> str:
    derived = hmac.digest(key, b"data-platform token v1", "sha256")
    return f"tok_v1_{label}_" + hmac.digest(derived, normalised.encode(), "sha256").hex()[:32]


@pytest.mark.parametrize(
    ("label", "normalised", "spellings"),
    [
        pytest.param(
            "email",
            "jürgen@example.com",
            ["Jürgen@Example.com", "jürgen@EXAMPLE.com", "JÜRGEN@example.com"],
            id="email",
        ),
        pytest.param("ssn", "899123456", ["899-12-3456", "899 12 3456", "ssn 899123456"], id="ssn"),
        pytest.param("itin", "912701234", ["912-70-1234", "912 70 1234"], id="itin"),
        pytest.param(
            "phone",
            "12125550147",
            ["212-555-0147", "(212) 555-0147", "+1 212 555 0147", "1.212.555.0147", "001-212-555-0147"],
            id="phone",
        ),
        pytest.param("phone", "442079460958", ["+44 20 7946 0958", "+44 (0)20 7946 0958"], id="phone abroad"),
    ],
)
def test_every_spelling_of_a_value_has_the_token_that_hmac_gives(
    spark: SparkSession, label: str, normalised: str, spellings: list[str]
) -> None:
    found = through(spark, spellings, every_kind("tokenize"))

    assert [(value or "").removeprefix("ssn ") for value, _ in found] == [by_hand(label, normalised)] * len(spellings)


def test_tokens_join_and_differ_where_the_people_do(spark: SparkSession) -> None:  # C32
    emails = Pii(detection=(rule("EMAIL", "tokenize"),))
    first = [
        value for value, _ in through(spark, ["ann@example.com", "bob@example.org", " Ann@Example.com ", ""], emails)
    ]
    second = [value for value, _ in through(spark, ["ann@example.com", "cy@example.net", None], emails)]

    assert first[0] == (first[2] or "").strip() == second[0]
    assert len({first[0], first[1], second[1]}) == 3
    assert (first[3], second[2]) == ("", None)


def test_another_key_makes_other_tokens_and_none_is_a_plain_hash(spark: SparkSession) -> None:
    rows = texts(spark, ["899123456"])
    value = F.col("x")

    row = rows.select(TokenKey(KEY).token("SSN", value), TokenKey(KEY[::-1]).token("SSN", value)).first()

    assert row is not None
    assert row[0] != row[1]
    plain = {hashlib.sha256(text.encode()).hexdigest()[:32] for text in ("899123456", "899-12-3456", "SSN899123456")}
    assert not {text.rsplit("_", 1)[1] for text in row} & plain


def test_a_token_replaces_exactly_its_match(spark: SparkSession) -> None:
    text = "a@b.com;xa@b.com, \x1ea@b.com\x1e a@b.com"

    (value, _), *_ = through(spark, [text], every_kind("tokenize"))

    assert value is not None
    assert TOKEN.sub("T", value) == "T;T, \x1eT\x1e T"
    tokens = TOKEN.findall(value)
    assert (tokens[0], tokens[1]) == (by_hand("email", "a@b.com"), by_hand("email", "xa@b.com"))
    assert tokens[0] == tokens[2] == tokens[3]


@pytest.mark.parametrize(
    ("secret", "message"),
    [
        pytest.param(None, "there is no key.*DATA_PLATFORM_PII_KEY_FILE", id="none"),
        pytest.param(b"short-and-secret", "has 16 bytes, expected 32", id="too short"),
        pytest.param("k" * 32, "of type str, expected bytes", id="not bytes"),
    ],
)
def test_without_a_key_nothing_is_read(spark: SparkSession, secret: bytes | None, message: str) -> None:
    schema = texts(spark, []).schema

    with pytest.raises(PolicyError, match=message) as raised:
        pii.plan(schema, every_kind("tokenize"), secret)

    assert "short-and-secret" not in str(raised.value)


def test_the_key_is_not_shown(spark: SparkSession) -> None:
    rows = texts(spark, ["ann@example.com"])
    plan = pii.plan(rows.schema, every_kind("tokenize"), KEY)
    derived = hmac.digest(KEY, b"data-platform token v1", "sha256")
    pads = [bytes(b ^ byte for b in derived).hex().upper() for byte in (0x36, 0x5C)]

    tokenized = rows.select(plan.remediated["x"].alias("x"))
    spark.conf.set("spark.sql.redaction.string.regex", PLAN_REDACTION)
    try:
        explained = tokenized._jdf.queryExecution().toString().upper()
    finally:
        spark.conf.unset("spark.sql.redaction.string.regex")

    for shown in (repr(plan), repr(TokenKey(KEY)), explained):
        assert KEY.hex().upper() not in shown.upper()
        assert not any(pad in shown.upper() for pad in pads)
    assert "SHA2" in explained  # it is the plan that we looked at


REVERSIBLE = Pii(
    detection=(
        PiiRule(pattern="EMAIL", action=PiiAction.TOKENIZE, reversible=True),
        PiiRule(pattern="SSN", action=PiiAction.TOKENIZE, reversible=True),
    )
)
NAMES = Pii(detection=(PiiRule(pattern="PERSON_NAME", action=PiiAction.TOKENIZE, reversible=True, fields=("x",)),))


def test_a_reversible_token_has_the_tag_of_the_other_and_is_opened_with_the_key(spark: SparkSession) -> None:
    values = ["Jürgen@Example.com", "899-12-3456"]
    found = [value or "" for value, _ in through(spark, values, REVERSIBLE)]
    again = [value or "" for value, _ in through(spark, ["jürgen@example.com", "899 12 3456"], REVERSIBLE)]
    tokens = [parse_token(value) for value in found]

    assert [token and opened(token, KEY) for token in tokens] == ["jürgen@example.com", "899123456"]
    assert tokens[0] is not None
    assert tokens[0].short == by_hand("email", "jürgen@example.com")
    assert found == again
    assert through(spark, found, REVERSIBLE) == [(value, []) for value in found]
    assert told_apart(spark, values, REVERSIBLE) == [["EMAIL"], ["SSN"]]


def test_a_whole_text_that_is_a_name_is_opened_too(spark: SparkSession) -> None:
    names = ["LEE,  Ann Ångström", "Γιώργος", "n\U0001f468" * 70]

    found = [value or "" for value, _ in through(spark, names, NAMES)]

    values = [token and opened(token, KEY) for token in map(parse_token, found)]
    assert values == ["lee ann ångström", "γιώργος", "n " * 69 + "n"]
    assert through(spark, found, NAMES) == [(value, []) for value in found]


def test_null_stays_null_and_a_value_that_is_too_long_has_its_tag_alone(spark: SparkSession) -> None:
    lengths = (MOST_VALUE_BYTES, MOST_VALUE_BYTES + 1)
    rows = texts(spark, [None, "", *("é" * (length // 2) + "x" * (length % 2) for length in lengths)])

    found = [row[0] for row in rows.select(TokenKey(KEY, version=7).token("A", F.col("x"), reversible=True)).collect()]

    assert found[0] is None
    tokens = [parse_token(text) for text in found[1:]]
    assert [token and (token.version, token.is_reversible) for token in tokens] == [(7, True), (7, True), (7, False)]
    assert tokens[0] is not None
    assert opened(tokens[0], KEY) == ""
    assert tokens[1] is not None
    assert opened(tokens[1], KEY) == "é" * (MOST_VALUE_BYTES // 2)


def test_no_key_of_a_reversible_token_is_in_a_plan(spark: SparkSession) -> None:
    seal = hmac.digest(KEY, b"data-platform token value v1", "sha256").hex().upper()
    rows = texts(spark, ["ann@example.com"])
    tokenized = rows.select(pii.plan(rows.schema, REVERSIBLE, KEY).remediated["x"].alias("x"))
    assert seal in tokenized._jdf.queryExecution().toString().upper()  # what has to be hidden

    spark.conf.set("spark.sql.redaction.string.regex", PLAN_REDACTION)
    try:
        explained = tokenized._jdf.queryExecution().toString().upper()
    finally:
        spark.conf.unset("spark.sql.redaction.string.regex")

    assert seal not in explained
    assert "AES" in explained
