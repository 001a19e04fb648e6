"""JSON text becomes the declared STRUCT or ARRAY by name, or its row is quarantined."""

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
        pytest.param("Troy", ADDRESS, None, id="text"),
        pytest.param('{"city":{"x":1}}', ADDRESS, None, id="an object for text"),
        pytest.param('{"city":"x","street":"y"}', ADDRESS, None, id="a name that nobody declared"),
        pytest.param('{"city":"x","City":"y"}', ADDRESS, None, id="a name in two cases"),
        pytest.param('{"city":NaN}', ADDRESS, None, id="NaN"),
        pytest.param("[1]", ADDRESS, None, id="a list"),
        pytest.param('["a",null]', "array<string>", '["a", null]', id="list"),
        pytest.param("a", "array<string>", '["a"]', id="one value is a list of one"),
        pytest.param('{"qty":1}', "array<struct<qty:int>>", '[{"qty": "1"}]', id="one object is a list of one"),
        pytest.param("[1", "array<string>", None, id="cut off"),
        pytest.param("[[1]]", "array<string>", None, id="a list for text"),
        pytest.param("[" * 90_000, "array<string>", None, id="deep"),
    ],
)
def test_text_is_brought_into_the_declared_shape_or_refused(text: str, kind: str, fitted: str | None) -> None:
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

    (flag,) = found.broken.values()
    got = [(r["value"], r["broken"]) for r in rows.select(found.value.alias("value"), flag.alias("broken")).collect()]

    assert [broken for _, broken in got] == [False, True, True, True, False, False, False]
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
        (flag,) = typed("o", f"struct<v:{kind}>", zone=zone).broken.values()
        found = rows.select(flag).first()
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)

    assert found is not None
    assert found[0] is is_broken
