"""JSON text becomes the declared STRUCT or ARRAY by name, or its row is quarantined."""

from functools import reduce
from operator import or_

import pytest
from pyspark.sql import SparkSession

from data_platform.gates.expression.nested import fit, is_json_type, shape_of
from data_platform.gates.expression.value import typed

ADDRESS = "struct<city:string,zip:string>"
ORDER = "struct<lines:array<struct<qty:int,price:decimal(5,2)>>,at:date,note:string>"


@pytest.mark.parametrize(
    ("text", "kind", "fitted"),
    [
        pytest.param('{"zip":"01234","city":"Troy"}', ADDRESS, '{"city": "Troy", "zip": "01234"}', id="by name"),
        pytest.param('{"City":"Troy"}', ADDRESS, '{"city": "Troy", "zip": null}', id="another case, one left out"),
        pytest.param('{"zip":1.50}', ADDRESS, '{"city": null, "zip": "1.50"}', id="digits are kept"),
        pytest.param("Troy", ADDRESS, "!", id="text"),
        pytest.param('{"city":{"x":1}}', ADDRESS, "!city", id="an object for text"),
        pytest.param('{"city":"x","street":"y"}', ADDRESS, "!", id="a name that nobody declared"),
        pytest.param('{"city":"x","City":"y"}', ADDRESS, "!", id="a name in two cases"),
        pytest.param('{"city":NaN}', ADDRESS, "!", id="NaN"),
        pytest.param("[1]", ADDRESS, "!", id="a list"),
        pytest.param('["a",null]', "array<string>", '["a", null]', id="list"),
        pytest.param("a", "array<string>", '["a"]', id="one value is a list of one"),
        pytest.param('{"qty":1}', "array<struct<qty:int>>", '[{"qty": "1"}]', id="one object is a list of one"),
        pytest.param("[1", "array<string>", "!", id="cut off"),
        pytest.param("[[1]]", "array<string>", "!element", id="a list for text"),
        pytest.param("[" * 90_000, "array<string>", "!", id="deep"),
    ],
)
def test_text_is_brought_into_the_declared_shape_or_refused_with_the_path(text: str, kind: str, fitted: str) -> None:
    assert fit(text, shape_of(kind)) == fitted


def test_maps_are_not_of_json_text() -> None:
    assert is_json_type(ADDRESS)
    assert not is_json_type("map<string,int>")
    assert not is_json_type("array<map<string,int>>")
    assert not is_json_type("string")


def test_leaves_are_typed_as_columns_are(spark: SparkSession) -> None:
    texts = [
        '{"lines":[{"qty":1,"price":1.50},{"price":2}],"at":"2025-01-01","note":"x"}',
        '{"lines":[{"qty":1.5}]}',
        '{"lines":[{"price":1.505}]}',
        '{"at":"2025"}',
        '{"lines":[],"note":null}',
        None,
        " ",
    ]
    rows = spark.createDataFrame([(number, text) for number, text in enumerate(texts)], "id int, o string")
    found = typed("o", ORDER)

    flags = [flag.alias(signature) for signature, flag in found.broken.items()]
    read = rows.select(found.value.alias("value"), *flags).collect()
    got = [(r["value"], [name for name in found.broken if r[name]]) for r in read]

    assert [broken for _, broken in got] == [
        [],
        ["TYPE_MISMATCH:o.lines.element.qty:INT"],
        ["ROUNDED:o.lines.element.price:DECIMAL(5,2)"],
        ["TYPE_MISMATCH:o.at:DATE"],
        [],
        [],
        [],
    ]
    first = got[0][0]
    assert [(line["qty"], str(line["price"])) for line in first["lines"]] == [(1, "1.50"), (None, "2.00")]
    assert (str(first["at"]), first["note"]) == ("2025-01-01", "x")
    assert got[4][0]["lines"] == []
    assert got[5][0] is None
    assert got[6][0] is None


@pytest.mark.parametrize(
    ("leaf", "kind", "zone", "is_broken"),
    [
        pytest.param("123456789012345678901.25", "decimal(30,2)", "UTC", False, id="21 digits before the point"),
        pytest.param("1.0000000000000000000001", "decimal(30,2)", "UTC", True, id="a digit behind 18 places"),
        pytest.param("1e-400", "double", "UTC", True, id="so small that nothing is left"),
        pytest.param('"2025-03-09 02:30:00"', "timestamp", "America/New_York", True, id="a time that clocks skip"),
        pytest.param('"2025-03-09 03:30:00"', "timestamp", "America/New_York", False, id="the hour after it"),
        pytest.param('"yes"', "boolean", "UTC", True, id="JSON has one spelling of true"),
    ],
)
def test_a_leaf_keeps_what_a_column_keeps(
    spark: SparkSession, leaf: str, kind: str, zone: str, is_broken: bool
) -> None:
    rows = spark.createDataFrame([(f'{{"v":{leaf}}}',)], "o string")
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        flags = typed("o", f"struct<v:{kind}>", zone=zone).broken.values()
        found = rows.select(reduce(or_, flags)).first()
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)

    assert found is not None
    assert found[0] is is_broken


@pytest.mark.parametrize(
    ("text", "signature", "reason"),
    [
        pytest.param(
            '{"o":1}', "TYPE_MISMATCH:o:STRUCT", "expected a JSON object with declared members only", id="whole"
        ),
        pytest.param('{"lines":5}', "TYPE_MISMATCH:o.lines:ARRAY", "at lines: expected a JSON list", id="no list"),
        pytest.param(
            '{"lines":[{"qty":{}}]}',
            "TYPE_MISMATCH:o.lines.element.qty:INT",
            "at lines.element.qty: expected a whole number such as -##, without a point",
            id="an object for a number",
        ),
        pytest.param(
            '{"note":[]}',
            "TYPE_MISMATCH:o.note:STRING",
            "at note: expected one value, and no object or list",
            id="a list",
        ),
        pytest.param(
            '{"lines":[{"price":0.001}]}',
            "ROUNDED:o.lines.element.price:DECIMAL(5,2)",
            "at lines.element.price: a digit would be lost",
            id="a digit too many",
        ),
    ],
)
def test_what_does_not_fit_is_named_by_its_path(spark: SparkSession, text: str, signature: str, reason: str) -> None:
    found = typed("o", ORDER)
    flags = [flag.alias(name) for name, flag in found.broken.items()]
    row = spark.createDataFrame([(text,)], "o string").select(*flags).first()

    assert row is not None
    (broken,) = (name for name in found.broken if row[name])
    assert broken.startswith(signature)
    assert found.reasons[broken] == reason
