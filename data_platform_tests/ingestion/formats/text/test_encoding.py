"""Lines are decoded strictly, are whole wherever a block ends, and come before the error behind them."""

import io
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.errors import SourceError
from data_platform.ingestion.formats.text import encoding
from data_platform.ingestion.formats.text.encoding import decoded_lines


class SlowFile(io.BytesIO):
    """Gives a byte at a time, so that every line and character is cut."""

    def read(self, _size: int | None = -1) -> bytes:
        return super().read(1)


def lines(content: bytes, codec: str = "utf-8") -> list[str]:
    return list(decoded_lines(SlowFile(content), "a.csv", codec))


@pytest.mark.parametrize(
    ("codec", "written"),
    [
        pytest.param("utf-8", "utf-8", id="UTF-8"),
        pytest.param("utf-8", "utf-8-sig", id="byte-order mark"),
        pytest.param("utf-16", "utf-16", id="UTF-16"),
        pytest.param("utf-16-be", "utf-16-be", id="UTF-16, the other end first"),
        pytest.param("cp1252", "cp1252", id="Windows"),
    ],
)
def test_lines_and_characters_cut_by_a_block_are_whole(codec: str, written: str) -> None:
    assert lines("Malmö\r\nOslo\n\rÅbo".encode(written), codec) == ["Malmö\r\n", "Oslo\n", "\r", "Åbo"]


def test_only_line_ends_end_a_line() -> None:
    assert lines("a\u2028b\x85c\x0bd\n".encode()) == ["a\u2028b\x85c\x0bd\n"]


@pytest.mark.parametrize(
    ("content", "before"),
    [
        pytest.param(b"a\nb\n\xe9\nc\n", ["a\n", "b\n"], id="in a line"),
        pytest.param(b"a\nb\r\xe9\nc\n", ["a\n", "b\r"], id="behind a lone carriage return"),
        pytest.param(b"a\nb\nc\0\n", ["a\n", "b\n"], id="NUL"),
        pytest.param("a\nb\nö".encode()[:-1], ["a\n", "b\n"], id="a character cut off at the end"),
    ],
)
@pytest.mark.parametrize("source", [SlowFile, io.BytesIO])
def test_whole_lines_come_before_the_error_and_it_names_its_own(
    content: bytes, before: list[str], source: type[io.BytesIO]
) -> None:
    rest = decoded_lines(source(content), "a.csv", "utf-8")

    assert list(islice(rest, len(before))) == before
    with pytest.raises(SourceError, match=r"a.csv:3: not valid UTF-8"):
        next(rest)


@pytest.mark.parametrize("name", ["utf-9", "base64", "zip", "undefined", "idna", "unicode_escape"])
def test_what_is_no_encoding_of_text_is_named(name: str) -> None:
    with pytest.raises(SourceError, match=f"'{name}' is not an encoding"):
        lines(b"a\n", name)


@given(st.text(), st.integers(1, 5))
def test_lines_are_those_of_python_for_any_block_size(text: str, size: int) -> None:
    content = text.replace("\0", "").encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "_BLOCK", size)

        found = list(decoded_lines(io.BytesIO(content), "a.csv", "utf-8"))

    assert found == list(io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig", newline=""))
