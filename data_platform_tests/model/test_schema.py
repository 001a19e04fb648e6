"""Types have one spelling, and a fingerprint depends on what readers see."""

import pytest

from data_platform.model.schema import Column, Schema, fits_in, is_known_type, is_widening, normal_type


def schema(**types: str) -> Schema:
    return Schema.of(Column(name=name, type=kind) for name, kind in types.items())


def test_equal_schemas_in_another_order_have_one_fingerprint() -> None:
    one, other = schema(id="int", amount="double"), schema(amount="double", id="INTEGER")

    assert one.fingerprint == other.fingerprint


def test_a_fingerprint_depends_on_nullability() -> None:  # C19
    assert Schema((Column(name="id"),)).fingerprint != Schema((Column(name="id", nullable=False),)).fingerprint


@pytest.mark.parametrize(
    ("before", "after", "wider"),
    [
        pytest.param("int", "bigint", True, id="int to bigint"),
        pytest.param("bigint", "int", False, id="bigint to int"),
        pytest.param("bigint", "double", False, id="a double cannot hold every bigint"),
        pytest.param("bigint", "decimal(22,2)", True, id="a decimal with room"),
        pytest.param("bigint", "decimal(20,2)", False, id="a decimal without room"),
        pytest.param("decimal(10,2)", "decimal(12,4)", True, id="same whole digits, more scale"),
        pytest.param("decimal(10,2)", "decimal(10,4)", False, id="scale at the cost of whole digits"),
        pytest.param("decimal(10,2)", "double", False, id="decimal to double"),
        pytest.param("int", "string", False, id="text is another type"),
    ],
)
def test_wider_means_that_every_value_fits(before: str, after: str, wider: bool) -> None:  # C15
    assert is_widening(before, after) is wider


@pytest.mark.parametrize(
    ("before", "after", "fits"),
    [
        pytest.param("int", "bigint", True, id="wider"),
        pytest.param("string", "string", True, id="equal"),
        pytest.param("struct<a:int,b:decimal(5,2)>", "struct<A:BIGINT,b:DECIMAL(10,4)>", True, id="wider fields"),
        pytest.param("array<struct<a:int>>", "array<struct<a:bigint>>", True, id="wider within an array"),
        pytest.param("map<int,float>", "map<bigint,double>", True, id="wider keys and values"),
        pytest.param("struct<a:bigint>", "struct<a:int>", False, id="narrower fields"),
        pytest.param("struct<a:int,b:int>", "struct<b:bigint,a:bigint>", False, id="another order"),
        pytest.param("struct<a:int>", "struct<a:int,b:int>", False, id="a field more"),
        pytest.param("struct<a:int,b:int>", "struct<a:int>", False, id="a field less"),
        pytest.param("struct<element:int>", "array<int>", False, id="another kind with the same parts"),
        pytest.param("array<int>", "int", False, id="no list any more"),
    ],
)
def test_a_nested_value_fits_if_each_of_its_parts_does(before: str, after: str, fits: bool) -> None:  # C49
    assert fits_in(before, after) is fits


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("INTEGER", "int"),
        ("Decimal(10, 2)", "decimal(10,2)"),
        ("numeric(5)", "decimal(5,0)"),
        ("DECIMAL", "decimal(10,0)"),
        ("varchar(20)", "string"),
    ],
)
def test_a_type_has_one_spelling(written: str, normal: str) -> None:
    assert normal_type(written) == normal


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("BIGINT", True),
        ("decimal(38,38)", True),
        ("decimal(39,2)", False),
        ("decimal(4,5)", False),
        ("money", False),
        ("array<int>", True),
    ],
)
def test_only_types_of_spark_are_valid(name: str, known: bool) -> None:
    assert is_known_type(name) is known
