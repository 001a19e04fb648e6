"""Personal values in odd spellings are redacted with the whole text, and texts without any stay as they are."""

import json

import pytest
from pyspark.sql import SparkSession

from data_platform_tests.case import case_file
from data_platform_tests.gates.personal import every_kind, left, through, told_apart

ODD = {
    '{"email":"fay.case\\u0040example.com"}': "EMAIL",
    "gus.case\uff20example.com": "EMAIL",
    "SSN \uff11\uff12\uff13-\uff14\uff15-\uff16\uff17\uff18\uff19": "SSN",
    "hal.case@exa\u00admple.com": "EMAIL",
    "ina.case@\nexample.com": "EMAIL",
    "ina.case\r\n@example.com": "EMAIL",
    "jo\u200bcase@example.com": "EMAIL",
    "mailto:kim.case%40example.com": "EMAIL",
    "kim.case&#64;example.com": "EMAIL",
    "mailto:kim.case%2540example%2Ecom": "EMAIL",
    "kim.case&amp;#64;example.com": "EMAIL",
    json.dumps(json.dumps({"email": "kim.case@example.com"}).replace("@", "\\u0040")): "EMAIL",
    json.dumps(json.dumps(json.dumps({"email": "kim.case@example.com"}).replace(".com", "\\u002ecom"))): "EMAIL",
    "call \u0662\u0661\u0662-\u0665\u0665\u0665-\u0660\u0661\u0664\u0667": "PHONE",
    "212\u200b-555-0147": "PHONE",
    "\\u00321\\u0032-555-0147": "PHONE",
}
PLAIN = [
    "100%40 off", "AT&T & sons", "a\nb", "\uff11\uff12\uff13", "M\u00fcller", "c:\\users\\u0040x", "R&#64;D",
    "50% of 2013", "\u200b", "line one\nline two @ home", "x %3 y",
]  # fmt: skip


@pytest.mark.parametrize("action", ["mask", "redact", "tokenize"])
def test_a_value_in_an_odd_spelling_goes_with_its_whole_text(spark: SparkSession, action: str) -> None:
    after = through(spark, ODD, every_kind(action))

    assert after == [(f"[REDACTED:{kind}]", [kind]) for kind in ODD.values()]
    assert told_apart(spark, ODD, every_kind(action)) == [[kind] for kind in ODD.values()]
    assert left(spark, ODD) == [True] * len(ODD)
    assert left(spark, [value for value, _ in after]) == [False] * len(ODD)


def test_texts_without_a_personal_value_stay_as_they_are(spark: SparkSession) -> None:
    assert through(spark, PLAIN) == [(text, []) for text in PLAIN]


def test_a_plain_address_is_remediated_in_place(spark: SparkSession) -> None:
    texts = ["j\u00f6rg@b\u00fccher.example", "caf\u00e9: ann@example.com & bob@example.com"]

    assert [value for value, _ in through(spark, texts)] == [
        "***@b\u00fccher.example",
        "caf\u00e9: ***@example.com & ***@example.com",
    ]


def test_the_texts_of_the_case_hold_no_address_afterwards(spark: SparkSession) -> None:  # C50
    lines = case_file("C50", "landing/text_personal/a.jsonl").read_text(encoding="utf-8").splitlines()
    payloads = [json.loads(line)["payload"] for line in lines]
    texts = [text if isinstance(text, str) else json.dumps(text) for text in payloads]

    after = [str(value) for value, _ in through(spark, texts, every_kind("tokenize"))]

    assert all("case" not in value and "\uff11" not in value for value in after)
    assert [value.startswith("[REDACTED") for value in after] == [n in (2, 3, 4, 6, 7, 8, 9) for n in range(1, 11)]
