"""A value of a YAML or JSON file changes in its place, and no other character does."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from data_platform.policies.yaml_splice import Splice

TEXT = """\
# head é 😀
schema:
    mode: strict   # why
    constraints:
      - {field: id, type: INT}   # key

      # about note
      - field: note
        enum: [A, 'B']   # kinds

# contract
contract_lite:
  required_fields:
    - id   # x

    - note
    # end
"""


def sequence(splice: Splice, *keys: str | int) -> yaml.SequenceNode:
    node = splice.node(*keys)
    assert isinstance(node, yaml.SequenceNode)
    return node


def changed_lines(before: str, after: str) -> list[str]:
    return [line for line in after.splitlines() if line not in before.splitlines()]


def test_an_item_is_added_in_the_style_of_its_list_before_the_comment_of_the_next_key() -> None:
    splice = Splice(TEXT)

    splice.append(sequence(splice, "schema", "constraints"), [{"field": "x", "type": "STRING"}])
    splice.append(sequence(splice, "schema", "constraints", 1, "enum"), ["FLASH_SALE", "no"])

    before, _, after = splice.result().partition("      - field: x\n        type: STRING\n")
    assert before.endswith("""        enum: [A, 'B', FLASH_SALE, "no"]   # kinds\n""")
    assert after == TEXT[TEXT.index("\n# contract") :]


def test_a_scalar_is_replaced_and_a_key_added_with_the_comments_around_them_kept() -> None:
    splice = Splice(TEXT)
    kind, schema = splice.node("schema", "constraints", 0, "type"), splice.node("schema")
    assert kind is not None
    assert isinstance(schema, yaml.MappingNode)

    splice.replace(kind, "BIGINT")
    splice.add_key(schema, "accepted", ["SCHEMA_DRIFT:x:ADDED"])

    assert changed_lines(TEXT, splice.result()) == [
        '    accepted: ["SCHEMA_DRIFT:x:ADDED"]',
        "      - {field: id, type: BIGINT}   # key",
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(
    ("gone", "added", "left"),
    [
        pytest.param({0}, [], ["note"], id="the first"),
        pytest.param({1}, ["x"], ["id", "x"], id="the last, and another is added"),
        pytest.param({0, 1}, [], [], id="all"),
        pytest.param({0, 1}, ["x"], ["x"], id="all, and another is added"),
    ],
)
def test_items_are_removed_from_a_list(newline: str, gone: set[int], added: list[str], left: list[str]) -> None:
    splice = Splice(TEXT.replace("\n", newline))

    splice.append(sequence(splice, "contract_lite", "required_fields"), added, without=gone)

    result = splice.result()
    assert yaml.safe_load(result)["contract_lite"]["required_fields"] == left
    assert "    # end" in result.splitlines()
    assert result.count(newline) == result.count("\n")


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.data(), st.sampled_from(["flow", "block", "json"]))
def test_any_items_are_removed_and_added_in_any_style(items: list[int], data: st.DataObject, style: str) -> None:
    gone = data.draw(st.sets(st.integers(0, len(items) - 1)))
    added = data.draw(st.lists(st.integers(10, 12), max_size=2))
    block = "a:\n" + "".join(f"  - {item}\n" for item in items) + "b: 1\n"
    text = {"flow": f"a: {items} # c\nb: 1\n", "block": block, "json": f'{{"a": {items}, "b": 1}}'}[style]
    splice = Splice(text, is_json=style == "json")

    splice.append(sequence(splice, "a"), added, without=gone)

    left = [item for at, item in enumerate(items) if at not in gone]
    assert yaml.safe_load(splice.result()) == {"a": [*left, *added], "b": 1}


@given(st.lists(st.sampled_from("abcd"), min_size=1, unique=True), st.data())
def test_keys_of_json_are_removed(keys: list[str], data: st.DataObject) -> None:
    gone = data.draw(st.sets(st.sampled_from(keys)))
    splice = Splice(json.dumps(dict.fromkeys(keys, 1)), is_json=True)
    root = splice.node()
    assert isinstance(root, yaml.MappingNode)

    splice.remove_keys(root, gone)

    assert yaml.safe_load(splice.result()) == {key: 1 for key in keys if key not in gone}
