"""A file is the same lines in any encoding, and guesses are reported."""

from typing import TYPE_CHECKING

import pytest

from data_platform.legacy.jil.text import Source, read_lines

if TYPE_CHECKING:
    from data_platform.model.legacy_coverage import Finding

TEXT = "insert_job: Malmö\nmachine: m\n\ndescription: “x”"


def read(content: bytes) -> tuple[list[str], list[str]]:
    findings: list[Finding] = []
    return read_lines(Source("a.jil", content), findings), [str(finding) for finding in findings]


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_unicode_is_read_in_any_form_with_any_line_ends(codec: str, end: str) -> None:
    assert read(TEXT.replace("\n", end).encode(codec)) == (TEXT.split("\n"), [])


def test_a_final_line_end_makes_no_line() -> None:
    assert read(b"a\n") == read(b"a") == (["a"], [])
    assert read(b"") == ([], [])


def test_only_line_ends_end_a_line() -> None:
    assert read("a\u2028b\x0bc\x85d\n".encode())[0] == ["a\u2028b\x0bc\x85d"]


def test_windows_text_is_read_as_such_and_reported() -> None:
    lines, said = read(TEXT.encode("cp1252"))

    assert lines == TEXT.split("\n")
    assert said == ["a.jil:1: not UTF-8; read as Windows-1252 (and 1 more lines). Save the file as UTF-8"]


def test_a_file_of_two_encodings_is_read_line_by_line() -> None:
    lines, said = read("Malmö\n".encode() + "Malmö\n".encode("cp1252"))

    assert lines == ["Malmö", "Malmö"]
    assert said == ["a.jil:2: not UTF-8; read as Windows-1252. Save the file as UTF-8"]


def test_no_byte_is_without_a_character() -> None:
    lines, _ = read(b"a" + bytes(range(128, 256)))

    assert len(lines[0]) == 129


@pytest.mark.parametrize(
    ("content", "lines", "said"),
    [
        pytest.param(b"a\x00b", ["ab"], "1 NUL characters were removed", id="NUL"),
        pytest.param(
            "\ufeffa\n\ufeffb\u200b".encode(), ["a", "b"], "2 byte-order marks or other invisible", id="joined files"
        ),
        pytest.param("ab".encode("utf-16") + b"c", ["ab\ufffd"], "not whole UTF-16", id="half a character"),
    ],
)
def test_binary_content_is_reported(content: bytes, lines: list[str], said: str) -> None:
    found, findings = read(content)

    assert found == lines
    assert any(said in finding for finding in findings)
