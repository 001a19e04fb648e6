"""Columns are matched by name in any case; all problems of names are reported together."""

from typing import Any

import pytest

from data_platform.errors import UsageError
from data_platform.model.schema import Column, Schema
from data_platform.parity.column import Columns, check_rules, paired
from data_platform.parity.rule import Rules, Tolerance

NEW = Schema.of([
    Column(name="id", type="int"), Column(name="amount", type="decimal(10,2)"), Column(name="at", type="timestamp"),
    Column(name="tags", type="map<string,int>"), Column(name="note"),
])  # fmt: skip


def columns(*legacy: str, keys: tuple[str, ...] = ("id",), **said: Any) -> Columns:
    names = Schema.of(Column(name=name) for name in legacy)
    return paired(names, NEW, keys=keys, **{"renamed": {}, "ignored": (), **said})


def test_names_match_in_any_case_and_keep_our_order() -> None:
    found = columns("NOTE", "Amount", "ID", "extra")

    assert [pair.name for pair in found.keys] == ["id"]
    assert [(pair.legacy.name, pair.name) for pair in found.values] == [("Amount", "amount"), ("NOTE", "note")]
    assert (found.only_in_legacy, found.only_in_new) == (("extra",), ("at", "tags"))


def test_a_mapping_gives_a_column_to_another_one() -> None:
    found = columns("ID", "note", "remark", renamed={"remark": "note"})

    assert [(pair.legacy.name, pair.name) for pair in found.values] == [("remark", "note")]
    assert found.only_in_legacy == ("note",)


def test_two_columns_may_be_swapped() -> None:
    found = columns("id", "note", "amount", renamed={"note": "amount", "amount": "note"})

    assert [(pair.legacy.name, pair.name) for pair in found.values] == [("note", "amount"), ("amount", "note")]


def test_what_is_ignored_is_nowhere_but_can_be_asked_for() -> None:
    found = columns("id", "Note", "extra", "tags", ignored=("note", "EXTRA", "at", "amount", "tags"))

    assert (found.values, found.incomparable, found.only_in_legacy, found.only_in_new) == ((), (), (), ())
    assert found.ignored == ("amount", "at", "extra", "note", "tags")
    assert (pair := found.of("NOTE")) is not None
    assert pair.legacy.name == "Note"


def test_types_without_a_common_one_are_incomparable() -> None:
    assert [pair.name for pair in columns("id", "tags").incomparable] == ["tags"]


def test_a_key_may_be_called_as_either_side_does_and_counts_once() -> None:
    found = columns("order_no", renamed={"order_no": "id"}, keys=("order_no", "ID"))

    assert [pair.name for pair in found.keys] == ["id"]


@pytest.mark.parametrize(
    ("legacy", "said", "words"),
    [
        pytest.param(("id",), {"keys": ()}, "no key is given", id="no key"),
        pytest.param(("note",), {}, "key id is only in new: the legacy output lacks it", id="key of ours"),
        pytest.param(("id", "no"), {"keys": ("no",)}, "key no is only in legacy", id="key of theirs"),
        pytest.param(("id",), {"keys": ("ident",)}, "key ident is a column of neither side", id="key of none"),
        pytest.param(("id", "tags"), {"keys": ("tags",)}, "not fit for a key", id="key of a type without order"),
        pytest.param(("id",), {"ignored": ("id",)}, "--ignore id: it is a key", id="ignored key"),
        pytest.param(("id",), {"renamed": {"no": "nte"}}, "the legacy output has no no.*the dataset has no nte; did you"
                     " mean note", id="mapping of nothing"),
        pytest.param(("id", "a", "b"), {"renamed": {"a": "note", "b": "note"}}, "two legacy columns are mapped to note",
                     id="mapped twice"),
    ],
)  # fmt: skip
def test_wrong_names_are_reported(legacy: tuple[str, ...], said: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        columns(*legacy, **said)


@pytest.mark.parametrize(
    ("option", "word", "words"),
    [
        pytest.param("tolerance", "id=1", "it is a key, and keys are compared exactly", id="key"),
        pytest.param("tolerance", "amonut=1", "not a compared column; did you mean amount", id="misspelt"),
        pytest.param("relative", "note=1", "is for numbers, and note is compared as STRING", id="text"),
        pytest.param("seconds", "amount=1", "is for moments, and amount is compared as DECIMAL", id="number"),
    ],
)
def test_a_tolerance_is_for_a_column_that_can_have_one(option: str, word: str, words: str) -> None:
    rules = Rules(**{option: Tolerance.parse(f"--{option}", [word])})  # type: ignore[arg-type]

    with pytest.raises(UsageError, match=words):
        check_rules(columns("id", "amount", "note"), rules)
