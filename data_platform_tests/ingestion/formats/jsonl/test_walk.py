"""Many JSON lines at once and line by line are the same rows, lines and malformed records for any bytes."""

import io
import json
import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from data_platform.errors import SourceError
from data_platform.ingestion.formats.jsonl import walk
from data_platform.ingestion.formats.jsonl.columns import regular_columns
from data_platform.ingestion.formats.jsonl.jsonl_format import JsonLinesFormat
from data_platform.ingestion.formats.jsonl.parser import read_json_records
from data_platform.ingestion.formats.jsonl.walk import JsonPiece
from data_platform.ingestion.formats.text import window
from data_platform.ingestion.formats.text.name_binding import NameBinding
from data_platform.ingestion.formats.text.record import Record
from data_platform.ingestion.formats.text.record_batch import batched, mixed_batch, record_batch
from data_platform.model.schema import Column, Schema
from data_platform_tests.example_count import examples

NAMES = ("id", "name", "note")
COLUMNS = Schema.of(Column(name=name) for name in NAMES)
Rows = list[dict[str, Any]]

LINES = [
    b'{"id": 1, "name": "a", "note": "b"}', b'{"id":1.50,"name":"c, d: {e}","note":null}', b'{"note":true,"id":-0e+1}',
    b'{"name": "\xc3\xa9", "other": [1, "x"], "id": 12345678901234567890123}', b"{}", b'{"id": {"a": [1.50, "]"]}}',
    b'{"id": "a\\"b", "name": "\\u00e9\\n"}', b'{"id": "\\ud800"}', b'{"other": "\\ud800", "id": 1}', b'{"id": "\\\\"}',
    b'{"id": 1, "id": 2}', b'{"id": 1, "ID": 2}', b'{"ID": 1}', b'{"late": 1}', b'{"id": 01}', b'{"id": NaN}',
    b'{"id": "open}', b'{"id": 1', b"[1]", b"null", b"", b" ", b'{"id" : 1 , "name": "x" }', b' {"id": 1} ',
    b'{"id": }', b'{"id":1}}{', b'{"id": "a" "b"}', b'{"id": "a\tb"}', b'{"id": 1}{"id": 2}', b'{"id": 1},',
    b'{"id": {"a": 1, "a": 2}}', b'{"id": ' + b"[" * 120 + b"]" * 120 + b"}", b'{"id": [}]}', b'{"id": "\\x"}',
    b'{"\\u0069d": 1}', b'{"id": 1, }', b'{, "id": 1}', b'{"id": 1 2}', b'{"id": tru}', b'{id: 1}', b'{"id": -}',
    b'{"id": "a\\', b'{"id": \\"a\\"}', b'{"id": "' + b"l" * 300 + b'"}', b"\xef\xbb\xbf{}", b'\xef\xbb\xbf{"id": 2}',
    b'{"id": "\x7f\xe2\x80\xa8"}', b'{"id": 1.}', b'{"id": 1E5, "name": 0.10}', b'{"":1}', b'{"id":""}', b'{"id":"}',
]  # fmt: skip
SIGNS = [
    b'"', b"\\", b"{", b"}", b"[", b"]", b":", b",", b" ", b"\n", b"\r", b"\r\n", b"\t", b"\0", b"\x1a", b"\xff",
    b"\xc3", b"\xef\xbb\xbf", b"0", b"-", b"e", b".", b"",
]  # fmt: skip


@pytest.fixture(params=[256, 4096], ids=lambda size: f"pieces of {size} bytes", scope="module", autouse=True)
def small_pieces(request: pytest.FixtureRequest) -> Any:
    """So small that a short text has several."""
    patch = pytest.MonkeyPatch()
    patch.setattr(walk, "LARGE", request.param)
    patch.setattr(walk, "SMALL", 1)
    patch.setattr(window, "READ_AHEAD", request.param)
    patch.setattr(window, "BLOCK", 64)
    yield
    patch.undo()


def record_by_record(content: bytes) -> Rows:
    binding = NameBinding([*NAMES, "other"], NAMES)
    records = (binding.bound(record) for record in read_json_records(io.BytesIO(content), "a.jsonl"))
    return rows_of(list(with_error(records)))


def with_error(found: Iterable[JsonPiece | Record]) -> Iterator[Any]:
    """The error that ends the text as one more record."""
    try:
        yield from found
    except SourceError as error:
        yield Record(0, (), "", str(error))


def rows_of(found: JsonPiece | list[Record]) -> Rows:
    if isinstance(found, JsonPiece):
        batch = mixed_batch(found.lines, found.values, found.odd, COLUMNS, "a")
    elif found:
        batch = record_batch(found, range(len(NAMES)), COLUMNS, "a")
    else:
        return []
    batch.validate(full=True)
    return list(batch.to_pylist())


def fast(content: bytes, cuts: list[tuple[int, int]] | None = None) -> Rows:
    """``cuts`` are the places and lines at which the text is cut into shares."""
    rows: Rows = []
    cuts = cuts or []
    for (start, line), end in zip([(0, 1), *cuts], [*(place for place, _ in cuts), None], strict=True):
        source = io.BytesIO(content)
        source.seek(start)
        length = None if end is None else end - start
        binding = NameBinding([*NAMES, "other"], NAMES)
        records = walk.json_walk(source, "a.jsonl", binding, line=line, length=length)
        for found in batched(with_error(records), "a.jsonl"):
            rows += rows_of(found)
    return rows


def assert_same(content: bytes) -> None:
    want = record_by_record(content)

    assert fast(content) == want
    starts = JsonLinesFormat().record_starts(io.BytesIO(content), "a.jsonl")
    cuts = [(place, line) for place, line in starts if place < len(content)]
    assert fast(content, cuts) == want


TEXTS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(LINES), st.sampled_from([b"\n", b"\n", b"\r\n"])).map(b"".join),
        st.sampled_from(LINES[:4]).map(lambda line: (line + b"\n") * 20),
        st.sampled_from(SIGNS),
        st.binary(max_size=4),
    ),
    max_size=40,
).map(b"".join)


@settings(max_examples=examples(200), deadline=None)
@given(TEXTS)
@example(b"\n".join(LINES))
@example(b"\r\n".join(LINES))
@example(b"\xef\xbb\xbf" + LINES[0] + b"\n" + LINES[0])
@example(LINES[0] + b"\n\n" + b'{"id": {"name": 1}}\n')
@example(b'{"id": "a\\\n"}\n{"id": 1}\n')
@example(LINES[0] + b"\r{\r" + LINES[0] + b"\n" + LINES[0] + b"\n")
@example('{"id": 1}'.encode("utf-16-le") + b"\n\0" + LINES[0] + b"\n" + LINES[0] + b"\n")
def test_any_bytes_are_read_alike(content: bytes) -> None:
    assert_same(content)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=5,
)
OBJECTS = st.dictionaries(st.sampled_from([*NAMES, "other", "ID", "late"]), VALUES)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(OBJECTS, max_size=30), st.booleans(), st.sampled_from([(", ", ": "), (",", ":")]))
def test_any_objects_are_read_alike(found: list[dict[str, Any]], escaped: bool, separators: tuple[str, str]) -> None:
    lines = [json.dumps(one, ensure_ascii=escaped, separators=separators) for one in found]

    assert_same("\n".join(lines).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("seed", range(20))
def test_a_good_file_with_some_bytes_changed_is_read_alike(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test that can be repeated
    lines = [
        b'{"id": %d, "name": "n: %d, {x}", "note": %s}\n' % (n, n, [b'"\\"q\\""', b'{"a":[1]}', b"null"][n % 7 % 3])
        for n in range(300)
    ]
    content = bytearray(b"".join(lines))
    for _ in range(chance.randrange(1, 12)):
        place = chance.randrange(len(content))
        content[place : place + chance.randrange(3)] = chance.choice(SIGNS)

    assert_same(bytes(content))


@pytest.mark.parametrize(
    ("line", "values"),
    [
        pytest.param('{"id": "a", "name": 0.10, "note": null}', ("a", "0.10", None), id="scalars"),
        pytest.param('{"note":true,"id":"x"}', ("x", None, "true"), id="another order, and a name less"),
        pytest.param('{"id": "say \\"hi\\"", "name": 1}', ('say "hi"', "1", None), id="escaped quotes"),
        pytest.param('{"id": "\\u00e9", "name": 1}', ("é", "1", None), id="escaped letters"),
        pytest.param('{"id": "\\"a, b\\"", "name": 1}', ('"a, b"', "1", None), id="a sign between escaped quotes"),
        pytest.param('{"id": "\\\\", "name": 1}', ("\\", "1", None), id="an escaped backslash before a quote"),
        pytest.param('{"id": {"a": [1.50, null]}, "name": 1}', ('{"a":[1.50,null]}', "1", None), id="nested"),
        pytest.param('{ "id" : 1 , "name" : "x" }', ("1", "x", None), id="blanks around"),
        pytest.param('{"id": 1, "other": {"a": "}"}}', ("1", None, None), id="a name that nobody asked for"),
    ],
)
def test_such_a_line_is_regular(line: str, values: tuple[str | None, ...]) -> None:
    found = regular_columns(f"{line}\n".encode() * 2, NameBinding([*NAMES, "other"], NAMES).place_of)

    assert found is not None
    assert (found.lines.tolist(), found.odd.tolist()) == ([0, 1], [])
    got = {place: column.to_pylist() for place, column in found.values.items()}
    assert [got.get(place, [None] * 2) for place in range(3)] == [[value] * 2 for value in values]


def test_text_of_which_most_is_escaped_is_read_line_by_line() -> None:
    content = b'{"id": "\\u00e9", "name": "\\u00e9", "note": 1}\n'

    assert regular_columns(content, NameBinding(NAMES, NAMES).place_of) is None


def test_an_odd_line_costs_no_other_its_speed() -> None:
    lines = [b'{"id": %d}\n' % n for n in range(10)]
    lines[3], lines[7] = b'{"id": "open}\n', b'{"id": [1}\n'

    found = regular_columns(b"".join(lines), NameBinding(NAMES, NAMES).place_of)

    assert found is not None
    assert found.odd.tolist() == [3, 7]
    assert found.values[0].to_pylist() == ["0", "1", "2", "4", "5", "6", "8", "9"]


def test_a_value_so_deep_that_parsing_it_may_end_in_an_error_is_read_with_its_line() -> None:
    lines = [b'{"name": 1, "id": ' + b"[" * depth + b"]" * depth + b"}\n" for depth in (99, 100, 100_000)]

    found = regular_columns(b"".join(lines), NameBinding(NAMES, NAMES).place_of)

    assert found is not None
    assert (found.lines.tolist(), found.odd.tolist()) == ([0], [1, 2])
