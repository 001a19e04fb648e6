"""A JSON list is read object by object; a broken object costs one record wherever the next one can be found."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_platform.ingestion.delivery import Delivery
from data_platform.ingestion.formats.jsonl import array_walk
from data_platform.ingestion.formats.text import window
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source
from data_platform_tests.example_count import examples
from data_platform_tests.ingestion.landing_case import read

COLUMNS = Schema.of([Column(name="id"), Column(name="note")])
BROKEN = "not JSON: a string or an object is not closed"


def landed(landing: Path, content: str | bytes, path: str = "", name: str = "a.json") -> tuple[Delivery, Any]:
    (landing / "in").mkdir(exist_ok=True)
    (landing / "in" / name).write_bytes(content.encode() if isinstance(content, str) else content)
    source = {"format": "json", "path": "in", **({"record_path": path} if path else {})}
    delivery, rows = read(landing, Source.model_validate(source), COLUMNS)
    return delivery, sorted((row["_line"], row["id"], row["note"], row["_malformed"]) for row in rows)


@pytest.mark.parametrize(
    ("content", "path"),
    [
        pytest.param('[{"id": 1, "note": "a"}, {"id": 2.50, "note": "b,]}"}]', "", id="one line"),
        pytest.param('\ufeff[\n  {"id": 1, "note": "a"},\n  {"note": "b,]}", "id": 2.50}\n]\n', "", id="indented"),
        pytest.param('[{"id":\n1,\r\n"note": "a"}\n,{"id": 2.50, "note": "b\\u002c]}"}]', "", id="lines within"),
        pytest.param(
            '{"n": [1, {}], "d": {"x": "[", "o": [{"id": 1, "note": "a"}, {"id": 2.50, "note": "b,]}"}], "s": []}}',
            "d.o",
            id="at a path",
        ),
    ],
)
def test_objects_are_rows_wherever_their_lines_end(tmp_path: Path, content: str, path: str) -> None:
    delivery, rows = landed(tmp_path, content, path)

    assert (delivery.problems, delivery.unreadable) == ((), {})
    assert rows == [(1, "1", "a", None), (2, "2.50", "b,]}", None)]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        pytest.param('{"id": 2, "note": "b}', BROKEN, id="open string"),
        pytest.param('{"id": 2, "note": {"x": 1}', BROKEN, id="open object"),
        pytest.param('{"id": 2, "note": [1}', BROKEN, id="wrong bracket"),
        pytest.param('{"id": 2}}', BROKEN, id="closed twice"),
        pytest.param('{"id": 2 "note": 1}', "not JSON at character 10", id="no comma"),
        pytest.param('{"id": 1, "id": 2}', "a name occurs twice in one object", id="name twice"),
        pytest.param("7", "not an object", id="number"),
        pytest.param("", "nothing between two commas, or before the end of the list", id="empty"),
        pytest.param("{}", "an object without any member", id="no member"),
    ],
)
def test_a_broken_object_on_its_own_line_costs_one_record(tmp_path: Path, broken: str, reason: str) -> None:
    content = f'[\n  {{"id": 1}},\n  {broken},\n  {{"id": 3}}\n]'

    delivery, rows = landed(tmp_path, content)

    assert (delivery.problems, delivery.unreadable) == ((), {})
    assert rows == [(1, "1", None, None), (2, None, None, reason), (3, "3", None, None)]


@pytest.mark.parametrize(
    ("content", "last"),
    [
        pytest.param('[{"id": 1}, {"id": 2, "note": "b}, {"id": 3}]', (2, "the list is not closed"), id="on one line"),
        pytest.param('[\n{"id": 1},\n{"id": 2}\n', (2, "the list is not closed"), id="cut off behind a record"),
        pytest.param('[{"id": 1}] {"id": 2}]', (2, "the text behind the list"), id="text behind"),
        pytest.param('[{"id": 1}][{"id": 2}]', (2, "the text behind the list"), id="two lists"),
    ],
)
def test_what_cannot_be_found_again_is_reported(tmp_path: Path, content: str, last: tuple[int, str]) -> None:
    _, rows = landed(tmp_path, content)

    assert rows[0] == (1, "1", None, None)
    assert (rows[-1][0], rows[-1][3].startswith(last[1])) == (last[0], True)
    assert rows[-1][3].endswith("nothing from here on was read")


@pytest.mark.parametrize("rest", ['"d": [{"id": 2}]}', '"x": {"a": 1, "a": 2}}', "}}", '"x": 1'])
def test_nothing_behind_the_list_is_lost_silently(tmp_path: Path, rest: str) -> None:
    _, rows = landed(tmp_path, f'{{"d": [{{"id": 1}}], {rest}', "d")

    assert rows[0] == (1, "1", None, None)
    assert rows[1][3].startswith("the text behind the list of records does not end a JSON document")


def test_a_file_that_was_cut_off_holds_the_day(tmp_path: Path) -> None:
    delivery, _ = landed(tmp_path, '[{"id": 1}, {"id": 2')

    assert delivery.problems == ("CUT_OFF:a.json",)


@pytest.mark.parametrize(
    ("content", "path", "reason"),
    [
        ('{"data": [{"id": 1}]}', "", "it is an object, not a list of objects. Name the member"),
        ('{"data": [{"id": 1}]}', "orders", "no member 'orders'"),
        ('{"data": {"id": 1}}', "data", "the value at source.record_path data is not a list"),
        ('[{"id": 1}]', "data", "no object with a member 'data'"),
        ("<html>", "", "it is not a list"),
        ("   ", "", "no record: the file is empty"),
        ('[{"id": 1}]'.encode("utf-16"), "", "not valid UTF-8: its first bytes are UTF-16"),
        ('[{"x": 1}]', "", "its first records have none of the declared columns"),
    ],
)
def test_a_document_without_the_list_is_refused(tmp_path: Path, content: str | bytes, path: str, reason: str) -> None:
    delivery, _ = landed(tmp_path, content, path)

    assert delivery.unreadable["a.json"].startswith(reason)


def test_an_empty_list_is_a_day_without_rows(tmp_path: Path) -> None:
    delivery, rows = landed(tmp_path, gzip.compress(b"[ ]\n"), name="a.json.gz")

    assert (delivery.problems, delivery.unreadable, rows) == ((), {}, [])


def test_a_byte_that_is_not_valid_costs_one_record(tmp_path: Path) -> None:
    _, rows = landed(tmp_path, b'[{"id": 1}, {"id": "\xff"}, {"id": 3}]')

    assert rows == [(1, "1", None, None), (2, None, None, "not valid UTF-8"), (3, "3", None, None)]


NAMED = st.text(max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMED, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.lists(st.fixed_dictionaries({"id": st.integers(), "note": VALUES}), min_size=1, max_size=40)


@settings(max_examples=examples(100))
@given(OBJECTS, st.sampled_from([None, 1]), st.booleans())
def test_any_list_is_read_as_json_reads_it(objects: list[Any], indent: int | None, escaped: bool) -> None:
    content = json.dumps(objects, indent=indent, ensure_ascii=escaped).encode("utf-8", "surrogatepass")

    with pytest.MonkeyPatch.context() as patch:
        for module, name, size in ((array_walk, "LARGE", 128), (window, "READ_AHEAD", 64), (window, "BLOCK", 32)):
            patch.setattr(module, name, size)
        walk = array_walk.ArrayWalk(window.Window(io.BytesIO(content)), "a", ())
        found = list(array_walk.parsed(walk.elements()))

    assert [record.malformed for record in found] == [""] * len(objects)
    assert [record.values["id"] for record in found] == [str(one["id"]) for one in objects]
    assert [record.values["note"] for record in found] == [_as_text(one["note"]) for one in objects]


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
