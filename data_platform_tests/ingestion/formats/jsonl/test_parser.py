"""A JSON lines file loses no line and no digit."""

import io
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from data_platform.errors import SourceError
from data_platform.ingestion.formats.jsonl.parser import read_json_records
from data_platform.ingestion.formats.text.encoding import END_OF_TEXT
from data_platform.ingestion.formats.text.named_record import NamedRecord
from data_platform_tests.case import case_file


def records(content: str | bytes) -> list[NamedRecord]:
    source = content.encode() if isinstance(content, str) else content
    return list(read_json_records(io.BytesIO(source), "events.jsonl"))


def test_a_byte_order_mark_is_taken_off() -> None:  # C09
    found = records(case_file("C09", "events_bom.jsonl").read_bytes())

    assert [record.values for record in found] == [{"customer_id": "C-1"}, {"customer_id": "C-2"}]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        pytest.param("0.10", "0.10", id="a last zero"),
        pytest.param("0123456789012345678901"[1:], "123456789012345678901", id="more digits than a number holds"),
        pytest.param("1e400", "1e400", id="out of range"),
        pytest.param("NaN", "NaN", id="not a number"),
        pytest.param('"00123"', "00123", id="leading zeros"),
        pytest.param("true", "true", id="a truth"),
        pytest.param("null", None, id="nothing"),
        pytest.param('{"a": [1.50, "1.50", null]}', '{"a":[1.50,"1.50",null]}', id="nested"),
    ],
)
def test_a_value_keeps_what_the_sender_wrote(written: str, read: str | None) -> None:
    assert [record.values for record in records(f'{{"x": {written}}}\n')] == [{"x": read}]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param('{"x": 1', "not JSON at character", id="cut off"),
        pytest.param("[1]", "not an object", id="a list"),
        pytest.param('{"x": 1, "x": 2}', "a name occurs twice in one object", id="a name twice"),
        pytest.param("[" * 100_000, "", id="too deep"),
    ],
)
def test_a_malformed_line_is_kept_with_its_reason_and_costs_no_other(line: str, reason: str) -> None:
    found = records(f'{line}\n\n{{"x": 3}}\n')

    assert [(record.line, record.values) for record in found] == [(1, {}), (3, {"x": "3"})]
    assert found[0].raw == line
    assert found[0].malformed.startswith(reason)
    assert found[0].malformed


@pytest.mark.parametrize("depth", [10, 300, 600, 900, 990])
def test_a_deep_value_is_read_or_refused_and_never_a_crash(depth: int) -> None:
    nested = "[" * depth + "]" * depth

    (record,) = records(f'{{"x": {nested}}}\n')

    assert record.values == {"x": nested} or record.malformed == "nested too deeply"


def test_another_encoding_is_refused() -> None:
    with pytest.raises(SourceError, match=r"events.jsonl:2: not valid UTF-8"):
        records(b'{"x": 1}\n' + '{"x": "Malmö"}\n'.encode("cp1252"))


@given(st.binary())
@example(b"\x1a")
@example(b"1\r2\n\r3")
def test_junk_is_records_that_lose_no_sign_or_a_clear_error(content: bytes) -> None:
    with suppress(SourceError):  # any other error is a crash
        found = records(content)

        assert signs("".join(record.raw for record in found)) == signs(content.decode("utf-8-sig"))
        assert all(first.line < then.line for first, then in pairwise(found))
        assert not any("\n" in record.raw or not signs(record.raw) for record in found)


def signs(text: str) -> str:
    """Without blanks, line ends and the sign that ends a text of DOS."""
    return "".join(text.split()).replace(END_OF_TEXT, "")
