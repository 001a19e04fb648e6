"""The paths by which a rule may name a text within a nested column."""

import pytest

from data_platform.model.nested_path import leaves_of, paths_to_text


@pytest.mark.parametrize(
    ("kind", "paths"),
    [
        pytest.param("string", ["c"], id="text"),
        pytest.param("int", [], id="number"),
        pytest.param("array<string>", ["c", "c.element"], id="array"),
        pytest.param("map<string,decimal(10,2)>", ["c", "c.key"], id="map"),
        pytest.param("struct<a:string,n:decimal(10,2),b:struct<x:int>>", ["c", "c.a"], id="struct"),
        pytest.param(
            "array<struct<m:map<int,string>>>", ["c", "c.element", "c.element.m", "c.element.m.value"], id="deep"
        ),
        pytest.param("struct<a:string", [], id="cut off"),
    ],
)
def test_every_path_to_a_text_is_listed(kind: str, paths: list[str]) -> None:
    assert list(paths_to_text("c", kind)) == paths


def test_every_simple_value_is_listed_with_its_type() -> None:
    kind = "array<struct<phone:bigint,m:map<string,decimal(10,2)>>>"

    assert list(leaves_of("c", kind)) == [
        ("c.element.phone", "bigint"),
        ("c.element.m.key", "string"),
        ("c.element.m.value", "decimal(10,2)"),
    ]
    assert list(leaves_of("c", "int")) == [("c", "int")]
