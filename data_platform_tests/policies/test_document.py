"""Files are read as their authors meant them, or the wrong line is reported."""

from typing import TYPE_CHECKING, Any

import pytest

from data_platform.policies.document import Document, parse_document, read_document

if TYPE_CHECKING:
    from data_platform.policies.problem import Problem


def parse(text: str, name: str = "a.yaml") -> tuple[Document | None, list[str]]:
    problems: list[Problem] = []
    document = parse_document(text, name, problems)
    return document, [str(problem) for problem in problems]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        pytest.param("NO", "NO", id="the country Norway"),
        pytest.param("yes", "yes", id="yes"),
        pytest.param("2013-01-31", "2013-01-31", id="a date without quotes"),
        pytest.param("12:30", "12:30", id="a time is no number of base 60"),
        pytest.param("010", "010", id="a leading zero"),
        pytest.param("1_000", "1_000", id="an underscore"),
        pytest.param("true", True, id="true"),
        pytest.param("40", 40, id="a whole number"),
        pytest.param("-0.5", -0.5, id="a number"),
        pytest.param("1e3", 1000.0, id="a number with an exponent"),
        pytest.param("", None, id="nothing"),
        pytest.param("&a [1, 2]", [1, 2], id="an anchor"),
    ],
)
def test_a_yaml_scalar_is_read_as_editors_read_it(written: str, meant: Any) -> None:
    document, problems = parse(f"key: {written}\n")

    assert problems == []
    assert document is not None
    assert document.data == {"key": meant}
    assert type(document.data["key"]) is type(meant)


def test_anchors_are_read_and_a_merge_is_a_key_as_any_other() -> None:
    document, problems = parse("a: &a {x: 1}\nb: *a\nc: {<<: *a}\n")

    assert problems == []
    assert document is not None
    assert document.data == {"a": {"x": 1}, "b": {"x": 1}, "c": {"<<": {"x": 1}}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("", "a.yaml:1: the file is empty; expected a mapping of keys to values", id="empty"),
        pytest.param("# later\n", "a.yaml:1: the file is empty; expected a mapping of keys to values", id="a comment"),
        pytest.param("- a\n", "a.yaml:1: found a list; expected a mapping of keys to values", id="a list"),
        pytest.param("hello\n", "a.yaml:1: found one value; expected a mapping of keys to values", id="one word"),
        pytest.param("a:\n\tb: 1\n", "a.yaml:2: a tab at the start of the line; YAML indents with spaces", id="a tab"),
        pytest.param("a: 1\na: 2\n", "a.yaml:2: a: appears twice, first at line 1; leave one of the two", id="twice"),
        pytest.param(
            "x:\n  - b: 1\n    b: 1\n", "a.yaml:3: b: appears twice, first at line 2; leave one of the two", id="deep"
        ),
        pytest.param("a: [1\nb: 2\n", "a.yaml:2: not YAML: did not find expected ',' or ']'", id="not closed"),
        pytest.param("a: *b\n", "a.yaml:1: not YAML: found undefined alias", id="an alias of nothing"),
        pytest.param("a: 1\n---\nb: 2\n", "a.yaml:2: not YAML: but found another document", id="two documents"),
        pytest.param("{[a]: 1}\n", "a.yaml:1: not YAML: found unhashable key", id="a key that is a list"),
        pytest.param("a: \x00\n", "a.yaml:1: not YAML: a character that text files do not have", id="a NUL"),
    ],
)
def test_yaml_that_is_not_a_mapping_is_a_problem_with_its_line(text: str, problem: str) -> None:
    assert parse(text) == (None, [problem])


def test_a_tag_that_makes_an_object_is_refused() -> None:
    document, problems = parse("a: !!python/object/apply:os.getcwd []\n")

    assert document is None
    assert "could not determine a constructor" in problems[0]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param('{\n "a": 1,\n}', "a.json:3: not JSON: ", id="a comma too many"),
        pytest.param('{\n\t"a": 1,\n\t"a": 2\n}', "a.json:3: a: appears twice, first at line 2", id="a key twice"),
        pytest.param('{"a": NaN}', "a.json: NaN is not JSON; expected a finite number", id="NaN"),
        pytest.param("[]", "a.json:1: found a list; expected a mapping", id="a list"),
        pytest.param("", "a.json:1: not JSON: ", id="empty"),
    ],
)
def test_json_that_is_not_a_mapping_is_a_problem_with_its_line(text: str, problem: str) -> None:
    document, problems = parse(text, "a.json")

    assert document is None
    assert len(problems) == 1
    assert problems[0].startswith(problem)


@pytest.mark.parametrize(
    ("location", "line"),
    [
        pytest.param(("slo", "volume"), 3, id="a key"),
        pytest.param(("tags", 1), 6, id="an entry of a list"),
        pytest.param(("slo", "freshness", "grace"), 2, id="a key that is not there: what encloses it"),
        pytest.param((), 2, id="the whole file, after its comments"),
    ],
)
def test_a_location_has_a_line(location: tuple[str | int, ...], line: int) -> None:
    document, _ = parse("# first\nslo:\n  volume: 1\ntags:\n  - a\n  - b\n")

    assert document is not None
    assert document.line(location) == line


def test_json_with_tabs_has_lines_too() -> None:
    document, _ = parse('{\n\t"a": {\n\t\t"b": 1\n\t}\n}', "a.json")

    assert document is not None
    assert document.line(("a", "b")) == 3


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        pytest.param(b"\xef\xbb\xbfa: 1\n", [], id="a byte order mark of UTF-8 is fine"),
        pytest.param(b"a: 1\nb: caf\xe9\n", ["a.yaml:2: not UTF-8 text; save the file as UTF-8"], id="Latin-1"),
        pytest.param("a: 1".encode("utf-16"), ["a.yaml:1: not UTF-8 text; save the file as UTF-8"], id="UTF-16"),
    ],
)
def test_a_file_is_utf_8(tmp_path: Any, content: bytes, problems: list[str]) -> None:
    (tmp_path / "a.yaml").write_bytes(content)
    found: list[Problem] = []

    document = read_document(tmp_path / "a.yaml", "a.yaml", found)

    assert [str(problem) for problem in found] == problems
    assert (document is None) is bool(problems)


def test_a_folder_in_the_place_of_a_file_is_a_problem(tmp_path: Any) -> None:
    (tmp_path / "a.yaml").mkdir()
    found: list[Problem] = []

    assert read_document(tmp_path / "a.yaml", "a.yaml", found) is None
    assert "cannot be read" in str(found[0])
