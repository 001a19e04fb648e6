"""Two schemas are compared by name at any depth, and each change has an effect on readers and a stable signature."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.model.schema import Column, Schema
from data_platform.model.schema_change import ChangeKind, Effect, SchemaChange
from data_platform.model.schema_drift import drift
from data_platform_tests.model.schema_edit import apply

SUGGESTED = (ChangeKind.RENAMED, ChangeKind.NEW_ENUM_VALUE)

names = st.sampled_from(["id", "ID", "amount", "amount_eur", "kunde", "note", "größe", "a b", "x1"])
leaves = st.sampled_from(["int", "bigint", "string", "decimal(10,2)", "decimal(12,4)", "date"])


def structs(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    field_names = st.sampled_from(["city", "zip", "street", "kind"])
    fields = st.lists(st.tuples(field_names, parts), min_size=1, max_size=4, unique_by=lambda field: field[0])
    return fields.map(lambda fields: f"struct<{','.join(f'{name}:{kind}' for name, kind in fields)}>")


types = st.recursive(
    leaves,
    lambda parts: structs(parts)
    | parts.map(lambda part: f"array<{part}>")
    | st.tuples(leaves, parts).map(lambda pair: f"map<{pair[0]},{pair[1]}>"),
    max_leaves=6,
)
columns = st.builds(
    lambda name, kind, nullable: Column(name=name, type=kind, nullable=nullable), names, types, st.booleans()
)
schemas = st.lists(columns, max_size=6, unique_by=lambda column: column.name.lower()).map(Schema.of)


def schema(**types: str) -> Schema:
    return Schema.of(Column(name=name, type=kind) for name, kind in types.items())


@given(schemas)
def test_a_schema_does_not_differ_from_itself(one: Schema) -> None:
    assert drift(one, one) == ()


@given(schemas, schemas)
def test_the_changes_applied_to_the_earlier_schema_give_the_later_one(before: Schema, after: Schema) -> None:
    assert apply(before, drift(before, after)) == after


@given(schemas, schemas, st.data())
def test_the_order_of_columns_has_no_effect_on_any_other_change(
    before: Schema, after: Schema, data: st.DataObject
) -> None:
    def facts(one: Schema, other: Schema) -> set[tuple[object, ...]]:
        ignored = (ChangeKind.REORDERED, ChangeKind.RENAMED)
        return {
            (c.kind, c.path, c.before, c.after) for c in drift(one, other) if c.kind not in ignored or len(c.path) > 1
        }

    shuffled = (
        Schema.of(data.draw(st.permutations(before.columns))),
        Schema.of(data.draw(st.permutations(after.columns))),
    )

    assert facts(*shuffled) == facts(before, after)


@given(schemas, schemas)
def test_a_column_has_one_suggested_name_at_most_and_each_change_its_own_signature(
    before: Schema, after: Schema
) -> None:
    changes = drift(before, after)
    renamed = [change for change in changes if change.kind is ChangeKind.RENAMED]

    assert len({change.path for change in renamed}) == len(renamed)
    assert len({(change.path[:-1], change.after) for change in renamed}) == len(renamed)
    assert len({(change.signature, change.path) for change in changes}) == len(changes)
    assert drift(before, after) == changes


@given(schemas, schemas)
def test_a_change_survives_the_catalog(before: Schema, after: Schema) -> None:
    changes = drift(before, after)

    stored = [SchemaChange.from_json(change.as_json()) for change in changes]

    assert [change.signature for change in stored] == [change.signature for change in changes]
    assert apply(before, stored) == after


@pytest.mark.parametrize(
    ("before", "after", "effect", "signature"),
    [
        pytest.param(
            schema(order_total="decimal(10,2)"),
            schema(order_total="string"),
            Effect.BREAKING,
            "SCHEMA_BREAK:order_total:DECIMAL→STRING",
            id="retyped",
        ),
        pytest.param(
            schema(qty="int"), schema(qty="bigint"), Effect.COMPATIBLE, "SCHEMA_DRIFT:qty:INT→BIGINT", id="widened"
        ),
        pytest.param(schema(qty="int"), Schema(()), Effect.BREAKING, "SCHEMA_BREAK:qty:REMOVED", id="removed"),
        pytest.param(Schema(()), schema(qty="int"), Effect.COMPATIBLE, "SCHEMA_DRIFT:qty:ADDED", id="added"),
        pytest.param(schema(a="int"), schema(A="int"), Effect.NONE, "SCHEMA_DRIFT:a:CASE", id="case only"),
        pytest.param(
            Schema((Column(name="id", nullable=False),)),
            Schema((Column(name="id"),)),
            Effect.BREAKING,
            "SCHEMA_BREAK:id:NOT NULL→NULLABLE",
            id="NOT NULL lost",  # C19
        ),
        pytest.param(
            Schema(()),
            Schema((Column(name="id", nullable=False),)),
            Effect.BREAKING,
            "SCHEMA_BREAK:id:ADDED",
            id="new key",
        ),
    ],
)
def test_a_change_has_an_effect_and_a_signature(before: Schema, after: Schema, effect: Effect, signature: str) -> None:
    changes = drift(before, after)

    assert [(change.effect, change.signature) for change in changes] == [(effect, signature)]


@pytest.mark.parametrize(
    ("before", "after", "signatures"),
    [
        pytest.param("struct<a:int>", "struct<a:int,zip:string>", ["SCHEMA_DRIFT:at.zip:ADDED"], id="added"),
        pytest.param("struct<a:int,zip:int>", "struct<a:int>", ["SCHEMA_BREAK:at.zip:REMOVED"], id="removed"),
        pytest.param(
            "struct<zip:int,city:string>",
            "struct<city:string,zip:int>",
            ["SCHEMA_BREAK:at:REORDERED"],
            id="fields are bound by position",
        ),
        pytest.param("array<int>", "array<bigint>", ["SCHEMA_DRIFT:at.element:INT→BIGINT"], id="element"),
        pytest.param("map<string,date>", "map<string,int>", ["SCHEMA_BREAK:at.value:DATE→INT"], id="value of a map"),
        pytest.param(
            "array<struct<a:array<struct<b:int>>>>",
            "array<struct<a:array<struct<b:string>>>>",
            ["SCHEMA_BREAK:at.element.a.element.b:INT→STRING"],
            id="deep",
        ),
        pytest.param("struct<a:int>", "string", ["SCHEMA_BREAK:at:STRUCT→STRING"], id="no longer nested"),
        pytest.param("struct<a:int>", "struct<...>", ["SCHEMA_BREAK:at:STRUCT→STRUCT"], id="names that are hidden"),
    ],
)  # fmt: skip
def test_a_change_within_a_column_is_named_by_its_path(before: str, after: str, signatures: list[str]) -> None:
    changes = drift(schema(at=before), schema(at=after))

    assert [change.signature for change in changes] == signatures


def test_columns_in_another_order_are_one_change_without_effect() -> None:
    [change] = drift(schema(id="int", amount="double"), schema(amount="double", id="INTEGER"))

    assert (change.kind, change.effect, change.signature) == (
        ChangeKind.REORDERED,
        Effect.NONE,
        "SCHEMA_DRIFT:*:REORDERED",
    )


@pytest.mark.parametrize(
    ("before", "after", "suggested"),
    [
        pytest.param(schema(cust_id="int", x="int"), schema(customer_id="int", x="int"), ["customer_id"], id="similar"),
        pytest.param(schema(amount="int"), schema(day="date"), [], id="another type and name"),
        pytest.param(
            schema(x="int", cust="int"),
            schema(x="int", customer_number="int"),
            ["customer_number"],
            id="at the same place",
        ),
        pytest.param(
            schema(cust="int", x="int"), schema(x="int", customer_number="int"), [], id="neither name nor place"
        ),
        pytest.param(
            schema(total="int"), schema(total_net="int", total_gross="int"), ["total_net"], id="the better of two"
        ),
    ],
)
def test_a_removed_column_that_is_like_an_added_one_is_suggested_as_renamed(
    before: Schema, after: Schema, suggested: list[str]
) -> None:
    changes = drift(before, after)

    assert [change.after for change in changes if change.kind is ChangeKind.RENAMED] == suggested
    assert {ChangeKind.REMOVED, ChangeKind.ADDED} <= {change.kind for change in changes}


def test_equal_profiles_suggest_a_rename_whatever_the_names_are() -> None:
    profile = (5, 0.0, ("A", "B"))

    [_, _, renamed] = drift(schema(x="string"), schema(qqq="string"), profiles={"x": profile, "qqq": profile})

    assert (renamed.signature, renamed.score) == ("SCHEMA_DRIFT:x:RENAMED→qqq", 1.0)


def test_a_value_that_the_domain_does_not_have_is_a_change_once() -> None:
    changes = drift(
        schema(kind="string"),
        schema(kind="string"),
        domains={"kind": ("A", "B"), "at.kind": ("X",)},
        seen={"kind": ["B", "FLASH_SALE", "FLASH_SALE"], "other": ["Z"]},
    )

    assert [change.signature for change in changes] == ["UNKNOWN_ENUM:kind:FLASH_SALE"]


def test_a_thousand_columns_with_other_names_are_compared_in_short_time() -> None:
    before = schema(**{f"before_{n}": "int" for n in range(1000)})
    after = schema(**{f"after_{n}": "int" for n in range(1000)})

    changes = drift(before, after)

    assert sum(change.kind is ChangeKind.RENAMED for change in changes) == 1000  # each is at the place of one
