"""A large array is read element by element, and means the same as it does in one piece."""

import json
from typing import Any

import pytest

from data_platform.api import body
from data_platform.api.body import DEEPEST, parse_json
from data_platform.api.problem import ProblemError

NESTED = "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "LARGE_BYTES", 1)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[]", id="empty"),
        pytest.param(" [ ] ", id="blanks"),
        pytest.param('[{"a": [1, 2, {"b": "],[{"}]}, null ,\n"x\\"]", 1.5]', id="brackets and quotes in texts"),
        pytest.param(f"[{2**70}, -0.1, 1e3]", id="long numbers"),
        pytest.param('["\\u00e9", "\u00e9", "\\ud83d\\ude00"]', id="escapes"),
        pytest.param(f"[{NESTED}]", id="as deep as it may be"),
    ],
)
def test_an_array_is_what_it_is_in_one_piece(text: str) -> None:
    assert parse_json(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    ("raw", "detail"),
    [
        (b"[1, 2", "line 1, column 6: Expecting ',' delimiter"),
        (b"[1,\n,2]", "line 2, column 1: Expecting value"),
        (b"[1,]", "line 1, column 4: Expecting value"),
        (b"[1] [2]", "line 1, column 5: Extra data"),
        (b"[", "line 1, column 2: Expecting value"),
        (b"[NaN]", "NaN is not JSON: expected a number, or null"),
        (b"[1e999]", "a number is too large for a float"),
        (b'["\xff"]', "byte 2 is not UTF-8"),
        (b"[" + b"9" * 5_000 + b"]", "a number has too many digits"),
    ],
)
def test_what_is_no_array_of_json_is_refused_with_its_place(raw: bytes, detail: str) -> None:
    with pytest.raises(ProblemError) as refused:
        parse_json(raw)

    assert (refused.value.status, refused.value.detail) == (400, f"the body is not JSON: {detail}")


@pytest.mark.parametrize("text", [f"[[{NESTED}]]", "[" * 100_000], ids=["a level too deep", "very deep"])
def test_what_is_nested_too_deep_is_refused(text: str) -> None:
    with pytest.raises(ProblemError, match=f"nested deeper than {DEEPEST} levels"):
        parse_json(text.encode())


def test_small_bodies_are_read_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "LARGE_BYTES", 1_000)

    def fail(raw: bytes) -> Any:
        raise AssertionError(raw)

    monkeypatch.setattr(body, "_parse_element_by_element", fail)

    assert parse_json(b"[1]") == [1]
