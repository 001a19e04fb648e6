"""Each pair of types meets in one that holds both sides' values, or in none."""

import pytest

from data_platform.parity.kind import compared_as, is_lossless


@pytest.mark.parametrize(
    ("legacy", "new", "kind"),
    [
        pytest.param("int", "INTEGER", "int", id="one type in two spellings"),
        pytest.param("smallint", "bigint", "bigint", id="the wider whole number"),
        pytest.param("bigint", "int", "bigint", id="whichever side has it"),
        pytest.param("int", "decimal(10,2)", "decimal(12,2)", id="all digits before and behind the point"),
        pytest.param("decimal(12,4)", "decimal(10,2)", "decimal(12,4)", id="two decimals"),
        pytest.param("decimal(38,10)", "decimal(38,18)", "decimal(38,18)", id="ours, where none holds both"),
        pytest.param("float", "decimal(10,2)", "double", id="what has no exact decimal"),
        pytest.param("bigint", "double", "double", id="nor a whole number"),
        pytest.param("date", "timestamp", "timestamp", id="a day and a moment"),
        pytest.param("timestamp", "date", "timestamp", id="and the other way round"),
        pytest.param("timestamp", "timestamp_ntz", "timestamp_ntz", id="moments with and without zone"),
        pytest.param("tinyint", "boolean", "boolean", id="flags as numbers"),
        pytest.param("boolean", "int", "int", id="numbers for flags"),
        pytest.param("string", "int", "int", id="text as ours"),
        pytest.param("string", "decimal(10,2)", "decimal(26,18)", id="text with more digits than ours"),
        pytest.param("string", "decimal(38,18)", "decimal(38,18)", id="text where there is no room for more"),
        pytest.param("string", "decimal(38,0)", "decimal(38,0)", id="nor behind the point"),
        pytest.param("date", "string", "string", id="anything as text"),
        pytest.param("array<int>", "array<int>", "array<int>", id="lists of one type"),
        pytest.param("array<int>", "array<bigint>", None, id="lists of two"),
        pytest.param("map<string,int>", "map<string,int>", None, id="maps have no order"),
        pytest.param("struct<a:map<string,int>>", "struct<a:map<string,int>>", None, id="nor what holds one"),
        pytest.param("string", "array<int>", None, id="text and a list"),
        pytest.param("date", "int", None, id="a day and a number"),
        pytest.param("binary", "int", None, id="bytes and a number"),
        pytest.param("variant", "variant", None, id="what Spark does not compare"),
    ],
)
def test_two_types_are_compared_as_one(legacy: str, new: str, kind: str | None) -> None:
    assert compared_as(legacy, new) == kind


@pytest.mark.parametrize(
    ("legacy", "kind", "lossless"),
    [
        pytest.param("int", "bigint", True, id="wider"),
        pytest.param("bigint", "decimal(21,2)", True, id="decimal with room"),
        pytest.param("decimal(38,10)", "decimal(38,18)", False, id="decimal without"),
        pytest.param("bigint", "double", True, id="as good as it gets"),
        pytest.param("tinyint", "boolean", False, id="two is no flag"),
        pytest.param("boolean", "string", True, id="text"),
        pytest.param("date", "timestamp", True, id="midnight"),
    ],
)
def test_a_cast_keeps_every_value_or_is_checked(legacy: str, kind: str, *, lossless: bool) -> None:
    assert is_lossless(legacy, kind) is lossless
