"""The same rows have the same digest in any order of rows and columns, and other rows have another one."""

import pytest
from pyspark.sql import SparkSession

from data_platform.gates.expression.content_digest import digest_of, sums
from data_platform.lake.table import schema_of

SHAPE = "a string, b string, n map<string,int>, _raw string"
ROWS = (("x", None, None, None), ("y", "z", {"k": 1}, None), ("y", "z", {"k": 1}, None))


def digest(spark: SparkSession, *rows: tuple[object, ...], shape: str = SHAPE, without: str = "_raw") -> str:
    frame = spark.createDataFrame(list(rows), shape)
    columns = [column for column in schema_of(frame).columns if column.name != without]
    wanted = sums(columns, "_raw")
    found = frame.select(*(value.alias(str(name)) for name, value in wanted.items())).first()
    assert found is not None
    return digest_of(len(rows), found.asDict())


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(((None, "x", None, None), *ROWS[1:]), id="a value in the column beside it"),
        pytest.param(ROWS[:2], id="one equal row less"),
        pytest.param((ROWS[0], *ROWS), id="one equal row more"),
        pytest.param((ROWS[0], ROWS[0], ROWS[1]), id="another row twice"),
        pytest.param((("x", None, None, "x|y|z"), *ROWS[1:]), id="text of a record that cannot be read"),
        pytest.param((ROWS[0], ROWS[1], ("y", "z", {"k": 2}, None)), id="within a map"),
        pytest.param((("", None, None, None), *ROWS[1:]), id="an empty text"),
    ],
)
def test_other_rows_have_another_digest(spark: SparkSession, other: tuple[tuple[object, ...], ...]) -> None:
    assert digest(spark, *other) != digest(spark, *ROWS)


def test_the_same_rows_have_the_same_digest_in_any_order_of_rows_and_columns(spark: SparkSession) -> None:
    turned = [(b, _raw, n, a) for a, b, n, _raw in reversed(ROWS)]

    assert digest(spark, *turned, shape="b string, _raw string, n map<string,int>, a string") == digest(spark, *ROWS)


def test_a_digest_is_letters_since_numbers_would_be_redacted(spark: SparkSession) -> None:
    assert digest(spark, *ROWS).isalpha()
    assert digest_of(0, {"content_low": None, "content_high": None}) == ""
    assert sums([], "_raw") == {}
